# SPDX-License-Identifier: Apache-2.0
"""What a write answers: the record, and with `expand` what hangs below it, which is read after the commit."""
import unittest

from harness import Server
from support import RecordCase, expect, field, free_id, in_threads, insert, make_collection, path_of, relation

MEBIBYTE = 1 << 20


class Expanded(RecordCase):
    @classmethod
    def fixture(cls):
        users = make_collection(cls.server, "users", [free_id(), field("name"), field("key", hidden=True)])
        closed = make_collection(cls.server, "closed", [free_id(), field("name")], viewRule=None)
        posts = make_collection(cls.server, "posts", [free_id(), field("title", max=100),
                                                      relation("author", users), relation("place", closed)])
        make_collection(cls.server, "mine", [free_id(), field("title"), relation("author", users)],
                        viewRule="title = 'seen'")
        make_collection(cls.server, "asks", [free_id(), relation("post", posts), field("code")],
                        viewRule="@request.body.code = code || @request.body.author = 'ann'")
        make_collection(cls.server, "notes", [free_id(), relation("post", posts),
                                              field("text", max=2 * MEBIBYTE)])
        for key in ("ann", "bob"):
            insert(cls.server, "users", id=key, name=key.title(), key="secret")
        insert(cls.server, "closed", id="vault", name="Vault")

    def write(self, collection, body, record=None, **query):
        method = "POST" if record is None else "PATCH"
        return self.server.request(method, path_of(collection, record), body, query=query)

    def test_create_and_update_show_what_a_view_shows(self):
        made = expect(self.write("posts", {"title": "a", "author": "ann", "place": "vault"},
                                 expand="author,place,nothing"), 200)
        self.assertEqual(made.json["expand"], {"author": {
            "collectionId": made.json["expand"]["author"]["collectionId"], "collectionName": "users",
            "id": "ann", "name": "Ann"}})
        changed = expect(self.write("posts", {"author": "bob"}, made.json["id"], expand="author"), 200)
        self.assertEqual(changed.json["expand"]["author"]["name"], "Bob")
        seen = self.view("posts", made.json["id"], query={"expand": "author"})
        self.assertEqual((changed.body, changed.headers["etag"]), (seen.body, seen.headers["etag"]))

    def test_fields_reach_into_what_is_expanded(self):
        made = expect(self.write("posts", {"title": "b", "author": "ann"}, expand="author",
                                 fields="title,expand.author.name"), 200)
        self.assertEqual(made.json, {"title": "b", "expand": {"author": {"name": "Ann"}}})
        made = expect(self.write("posts", {"title": "b"}, expand="author", fields="title"), 200)
        self.assertEqual(made.json, {"title": "b"})

    def test_a_wrong_parameter_writes_nothing(self):
        before = self.page("posts")["totalItems"]
        for query in ({"expand": ".".join(["author"] * 50)}, {"expand": "author."},
                      {"fields": "title:nope(1)"}, {"expands": "author"}):
            self.check_error(self.write("posts", {"title": "c", "author": "ann"}, **query), 400)
        self.assertEqual(self.page("posts")["totalItems"], before)

    def test_a_record_that_its_writer_may_not_see_has_nothing_below_it(self):
        made = expect(self.write("mine", {"title": "unseen", "author": "ann"}, expand="author"), 200)
        self.assertEqual(set(made.json), {"collectionId", "collectionName", "id"})
        made = expect(self.write("mine", {"title": "seen", "author": "ann"}, expand="author"), 200)
        self.assertEqual(made.json["expand"]["author"]["id"], "ann")

    def test_rules_of_what_is_expanded_know_the_request_of_the_write(self):
        post = insert(self.server, "posts", title="d")["id"]
        for code in ("one", "two"):
            insert(self.server, "asks", post=post, code=code)
        shown = expect(self.write("posts", {"author": "ann"}, post, expand="asks_via_post"), 200).json
        self.assertEqual(len(shown["expand"]["asks_via_post"]), 2)
        shown = expect(self.write("posts", {"author": "bob"}, post, expand="asks_via_post"), 200).json
        self.assertNotIn("expand", shown)

    def test_many_at_once_each_see_their_own(self):
        def work(number):
            for turn in range(20):
                title = f"{number}-{turn}"
                made = self.server.post(path_of("posts"), {"title": title, "author": "ann"},
                                        query={"expand": "author"})
                shown = expect(made, 200).json
                self.assertEqual((shown["title"], shown["expand"]["author"]["id"]), (title, "ann"))
                made = self.server.patch(path_of("posts", shown["id"]), {"author": "bob"},
                                         query={"expand": "author"})
                self.assertEqual(expect(made, 200).json["expand"]["author"]["id"], "bob")
                self.server.delete(path_of("posts", shown["id"]))

        in_threads(8, work)

    def test_too_much_to_show_is_no_failure_of_the_write(self):
        post = insert(self.server, "posts", title="long")["id"]
        text = "x" * MEBIBYTE

        def fill(count):
            for _ in range(count):
                insert(self.server, "notes", post=post, text=text)

        # What no loop reads in one go is read on the slow lane.
        fill(12)
        shown = expect(self.write("posts", {"title": "long a"}, post, expand="notes_via_post"), 200).json
        self.assertEqual((shown["title"], len(shown["expand"]["notes_via_post"])), ("long a", 12))
        fill(21)
        self.check_error(self.view("posts", post, query={"expand": "notes_via_post"}), 400)
        plain = expect(self.write("posts", {"title": "long b"}, post, expand="notes_via_post"), 200)
        self.assertEqual(plain.json["title"], "long b")
        self.assertNotIn("expand", plain.json)
        seen = self.view("posts", post)
        self.assertEqual((plain.body, plain.headers["etag"]), (seen.body, seen.headers["etag"]))


class OneLoop(unittest.TestCase):
    def test_the_answer_comes_on_a_loop_that_writes_itself(self):
        with Server("--loops", "1") as server:
            server.token
            users = make_collection(server, "users", [free_id(), field("name")])
            make_collection(server, "posts", [free_id(), relation("author", users)])
            insert(server, "users", id="ann", name="Ann")

            def work(number):
                for _ in range(20):
                    made = server.post(path_of("posts"), {"author": "ann"}, query={"expand": "author"})
                    self.assertEqual(expect(made, 200).json["expand"]["author"]["name"], "Ann")

            in_threads(4, work)

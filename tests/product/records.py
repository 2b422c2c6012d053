# SPDX-License-Identifier: Apache-2.0
"""Records: creating, reading, changing and removing them; ids, modifiers, fields, versions."""
import json

from support import RecordCase, expect, field, free_id, in_threads, insert, make_collection, path_of


class Crud(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [
            field("title"), field("score", "number", onlyInt=True), field("weight", "number"),
            field("kinds", "select", values=["a", "b", "c"], maxSelect=3),
                                              field("created", "autodate", onCreate=True),
            field("updated", "autodate", onCreate=True, onUpdate=True)])

    def test_the_life_of_a_record(self):
        answer = expect(self.server.post(path_of("posts"), {"title": "x", "score": 1}), 200)
        record = answer.json
        self.assertRegex(record["id"], r"^[a-z0-9]{15}$")
        self.assertEqual((record["collectionName"], record["title"], record["score"]), ("posts", "x", 1))
        self.assertTrue(record["collectionId"])
        self.assertRegex(record["created"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$")
        self.assertEqual(self.view("posts", record["id"]).json, record)
        self.assertIn(record, self.page("posts", perPage=1000)["items"])
        changed = expect(self.change("posts", record["id"], {"title": "y"}), 200).json
        self.assertEqual((changed["title"], changed["score"], changed["created"]),
                         ("y", 1, record["created"]))
        self.assertGreaterEqual(changed["updated"], record["updated"])
        self.assertEqual(self.view("posts", record["id"]).json, changed)
        self.assertEqual(self.remove("posts", record["id"]).status, 204)
        for answer in (self.view("posts", record["id"]), self.change("posts", record["id"], {"title": "z"}),
                       self.remove("posts", record["id"])):
            self.check_error(answer, 404)

    def test_a_client_cannot_set_the_dates_of_the_server(self):
        record = expect(self.server.post(path_of("posts"), {"created": "1970-01-01 00:00:00.000Z"}), 200).json
        self.assertGreater(record["created"], "2020")
        changed = self.change("posts", record["id"], {"created": "1970-01-01 00:00:00.000Z",
                                                      "title": "t"}).json
        self.assertEqual(changed["created"], record["created"])

    def test_the_collection_by_id_and_in_another_case(self):
        record = self.insert("posts", title="x")
        for name in (record["collectionId"], "POSTS", "p%6Fsts"):
            answer = self.server.get(f"/api/collections/{name}/records/{record['id']}")
            self.assertEqual(expect(answer, 200).json, record)

    def test_modifiers_of_numbers(self):
        record = self.insert("posts", score=10, weight=1.5)["id"]
        for body, score, weight in (({"score+": 5}, 15, 1.5), ({"score-": 20}, -5, 1.5),
                                    ({"weight+": 0.25}, -5, 1.75),
                                    ({"weight-": "0.75", "score+": 6}, 1, 1)):
            answer = expect(self.change("posts", record, body), 200).json
            self.assertEqual((answer["score"], answer["weight"]), (score, weight), body)
        for body in ({"score+": 0.5}, {"score+": "x"}, {"score+": [1]}, {"score+": 9223372036854775807}):
            self.check_error(self.change("posts", record, body), 400, field="score")
        self.check_error(self.change("posts", record, {"title+": "x"}), 400, field="title")
        self.assertEqual(self.view("posts", record).json["score"], 1)
        self.assertEqual(expect(self.server.post(path_of("posts"), {"score+": 3}), 200).json["score"], 3)

    def test_modifiers_of_selects(self):
        record = self.insert("posts", kinds=["b"])["id"]
        for body, expected in (({"kinds+": "a"}, ["b", "a"]), ({"+kinds": "c"}, ["c", "b", "a"]),
                               ({"kinds-": ["b", "a"]}, ["c"]), ({"kinds+": ["a", "b"]}, ["c", "a", "b"]),
                               ({"kinds-": "nope"}, ["c", "a", "b"])):
            self.assertEqual(expect(self.change("posts", record, body), 200).json["kinds"], expected, body)
        self.check_error(self.change("posts", record, {"kinds+": "nope"}), 400, field="kinds")

    def test_a_change_of_nothing_changes_nothing(self):
        record = self.insert("posts", title="x")
        self.assertEqual(expect(self.change("posts", record["id"], {}), 200).json, record)
        self.assertEqual(expect(self.change("posts", record["id"], {"title": "x"}), 200).json, record)

    def test_the_id_cannot_be_changed(self):
        record = self.insert("posts", title="x")["id"]
        answer = self.change("posts", record, {"id": "another00000000", "title": "y"})
        if answer.status == 200:
            self.assertEqual(answer.json["id"], record)
        else:
            self.check_error(answer, 400, field="id")
        self.assertEqual(self.change("posts", record, {"id": record, "title": "y"}).status, 200)

    def test_RULE_02_a_create_without_a_result_to_see(self):
        make_collection(self.server, "mailbox", [free_id(), field("text"), field("open", "bool")],
                        viewRule="open = true",
                        listRule=None)
        answer = self.server.post(path_of("mailbox"), {"text": "secret", "id": "m1"})
        self.assertEqual(set(expect(answer, 200).json), {"id", "collectionId", "collectionName"})
        self.assertEqual(self.view("mailbox", "m1", token=self.token).json["text"], "secret")
        answer = expect(self.server.post(path_of("mailbox"), {"text": "seen", "open": True, "id": "m2"}), 200)
        self.assertEqual(answer.json["text"], "seen")
        answer = self.change("mailbox", "m2", {"open": False, "text": "gone"})
        self.assertEqual(set(expect(answer, 200).json), {"id", "collectionId", "collectionName"})
        self.assertEqual(self.view("mailbox", "m2", token=self.token).json["text"], "gone")
        self.check_error(self.view("mailbox", "m2"), 404)


class Ids(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "plain", [field("t")])
        make_collection(cls.server, "free", [free_id(pattern=""), field("t")])

    def test_an_id_of_its_own(self):
        record = expect(self.server.post(path_of("plain"), {"id": "abcdefghij01234", "t": "x"}), 200).json
        self.assertEqual(record["id"], "abcdefghij01234")
        self.check_error(self.server.post(path_of("plain"), {"id": "abcdefghij01234", "t": "y"}), 400,
                         field="id",
                         code="validation_not_unique")
        self.assertEqual(self.view("plain", "abcdefghij01234").json["t"], "x")

    def test_ids_that_do_not_fit(self):
        for bad in ("short", "ABCDEFGHIJ01234", "abcdefghij012345", "abcdefghij 1234", "abcdefghij0123é", 7,
                    ["a"], {},
                    True):
            self.check_error(self.server.post(path_of("plain"), {"id": bad}), 400, field="id")

    def test_no_id_and_an_empty_one_give_a_made_up_one(self):
        made = {expect(self.server.post(path_of("plain"), body), 200).json["id"]
                for body in ({}, {"id": ""}, {"id": None})}
        self.assertEqual(len(made), 3)

    def test_HTTP_08_every_id_addresses_exactly_its_record(self):
        ids = ["a/b", "a%2Fb", "é", "a b", "%", "😀", "a?b", "a#b", "a+b", "a\\b", "a;b=c", "%2e",
               "'", '"', "-"]
        for key in ids:
            expect(self.server.post(path_of("free"), {"id": key, "t": "of " + key}), 200)
        for key in ids:
            with self.subTest(id=key):
                encoded = "".join(f"%{byte:02X}" for byte in key.encode())
                answer = self.server.get(f"{path_of('free')}/{encoded}")
                self.assertEqual(expect(answer, 200).json["t"], "of " + key)
        for key in (".", ".."):
            answer = self.server.post(path_of("free"), {"id": key, "t": "dots"})
            if answer.status == 200:
                answer = self.server.get(f"{path_of('free')}/{key.replace('.', '%2E')}")
                self.assertEqual(expect(answer, 200).json["id"], key)
            else:
                self.check_error(answer, 400, field="id")
        # An escape of a plain character is that character, an escape of an escape is not.
        self.assertEqual(self.server.get("/api/collections/%66ree/records/%2D").json["t"], "of -")
        self.assertEqual(self.server.get(f"{path_of('free')}/a%252Fb").json["t"], "of a%2Fb")
        for path in ("/a/b", "/%zz", "/%", "/%FF", "/..", "/nope"):
            answer = self.server.get(path_of("free") + path)
            self.assertIn(answer.status, (400, 404), path)
            self.check_error(answer, answer.status)

    def test_the_list_cannot_be_addressed_as_a_record(self):
        self.assertIn(self.server.get(path_of("plain") + "/").status, (404, 200))
        self.check_error(self.server.patch(path_of("plain"), {}), 405)
        self.check_error(self.server.delete(path_of("plain")), 405)


class Fields(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [
            free_id(), field("title"), field("text", "editor"), field("n", "number"), field("data", "json"),
            field("secret", hidden=True)])
        insert(cls.server, "posts", id="a", title="Title", n=7, data={"k": {"deep": 1}, "other": 2},
               secret="s3cret",
               text="<p>Hello <b>big</b>   wide world, and then a long tail that goes on &amp; on</p>")

    def shown(self, fields, **options):
        single = expect(self.view("posts", "a", query={"fields": fields}, **options), 200).json
        listed = expect(self.server.get(path_of("posts"), query={"fields": fields}, **options),
                        200).json["items"][0]
        self.assertEqual(single, listed)
        return single

    def test_selection(self):
        self.assertEqual(self.shown("id,n"), {"id": "a", "n": 7})
        self.assertEqual(self.shown(" title , n "), {"title": "Title", "n": 7})
        self.assertEqual(self.shown("title,title"), {"title": "Title"})
        self.assertEqual(self.shown("nope"), {})
        self.assertEqual(set(self.shown("*")), {"id", "collectionId", "collectionName", "title", "text", "n",
                                                "data"})
        self.assertEqual(self.shown("collectionName"), {"collectionName": "posts"})

    def test_excerpt(self):
        self.assertEqual(self.shown("text:excerpt(5)"), {"text": "Hello"})
        self.assertEqual(self.shown("text:excerpt(5,true)"), {"text": "Hello..."})
        self.assertEqual(self.shown("text:excerpt(15,true)")["text"], "Hello big wide...")
        self.assertEqual(self.shown("title:excerpt(100,true)"), {"title": "Title"})
        everything = self.shown("*,text:excerpt(5)")
        self.assertEqual((everything["text"], everything["title"]), ("Hello", "Title"))

    def test_what_is_no_selection(self):
        for bad in ("text:excerpt", "text:excerpt(", "text:excerpt()", "text:excerpt(-1)", "text:excerpt(x)",
                    "text:nope",
                    "text:excerpt(5,maybe)", "a" * 5000, ",".join(f"f{number}" for number in range(300)),
                    "a.b.."):
            with self.subTest(fields=bad[:40]):
                self.check_error(self.view("posts", "a", query={"fields": bad}), 400)

    def test_S_09_S_10_hidden_fields_never_appear(self):
        for fields in ("id,secret", "*,secret", "secret", "secret:excerpt(3)", "expand.secret", "*",
                       " secret ",
                       "data.secret", "SECRET"):
            self.assertNotIn("s3cret", json.dumps(self.shown(fields)))
            self.assertNotIn("secret", self.shown(fields))
        for fields in ("secret:x", "x:secret", "secret as x", "secret x"):
            answer = self.view("posts", "a", query={"fields": fields})
            if answer.status != 200:
                self.check_error(answer, 400)
            self.assertNotIn("s3cret", answer.text)
        self.assertEqual(self.shown("secret", token=self.token), {"secret": "s3cret"})

    def test_hidden_fields_are_not_written_by_others(self):
        self.change("posts", "a", {"secret": "changed"})
        self.assertEqual(self.view("posts", "a", token=self.token).json["secret"], "s3cret")


class Versions(RecordCase):
    """BATCH-05, S-37: ETag, If-None-Match, If-Match."""

    def setUp(self):
        name = "v" + self.id().rsplit("_", 1)[-1]
        self.name = self.collection(f"{name}_{len(self.id())}",
                                    [free_id(), field("t"), field("n", "number")])["name"]
        self.insert(self.name, id="a", t="one")

    def tag(self, **options):
        return expect(self.view(self.name, "a", **options), 200).headers["etag"]

    def test_BATCH_05_the_tag_is_of_the_version_only(self):
        tag = self.tag()
        self.assertRegex(tag, r'^"[^"]+"$')
        self.assertEqual(self.tag(query={"fields": "id"}), tag)
        self.assertEqual(self.tag(), tag)
        answer = self.change(self.name, "a", {"t": "two"})
        self.assertNotEqual(self.tag(), tag)
        self.assertEqual(answer.headers["etag"], self.tag())
        made = self.server.post(path_of(self.name), {"id": "b"})
        self.assertEqual(made.headers["etag"], self.view(self.name, "b").headers["etag"])
        # A version is never used twice.
        seen = {tag, self.tag()}
        self.change(self.name, "a", {"t": "one"})
        self.assertNotIn(self.tag(), seen)

    def test_BATCH_05_if_none_match(self):
        tag = self.tag()
        for header in (tag, f"W/{tag}", f'"nope", {tag}', "*"):
            answer = self.view(self.name, "a", headers={"If-None-Match": header})
            self.assertEqual((answer.status, answer.body), (304, b""), header)
            self.assertEqual(answer.headers["etag"], tag)
        for header in ('"nope"', tag.strip('"'), tag.replace('"', "'"), ""):
            self.assertEqual(self.view(self.name, "a", headers={"If-None-Match": header}).status, 200, header)
        self.change(self.name, "a", {"t": "two"})
        self.assertEqual(self.view(self.name, "a", headers={"If-None-Match": tag}).status, 200)

    def test_BATCH_05_if_none_match_on_a_list(self):
        answer = self.server.get(path_of(self.name))
        tag = answer.headers["etag"]
        again = self.server.get(path_of(self.name), headers={"If-None-Match": tag})
        self.assertEqual((again.status, again.body), (304, b""))
        self.change(self.name, "a", {"t": "two"})
        self.assertEqual(self.server.get(path_of(self.name), headers={"If-None-Match": tag}).status, 200)

    def test_BATCH_05_if_match_on_a_stale_version(self):
        stale = self.tag()
        self.change(self.name, "a", {"t": "of another"})
        for answer in (self.change(self.name, "a", {"t": "mine"}, headers={"If-Match": stale}),
                       self.remove(self.name, "a", headers={"If-Match": stale}),
                       self.change(self.name, "a", {"t": "mine"}, headers={"If-Match": '"nope"'}),
                       self.change(self.name, "a", {"t": "mine"}, headers={"If-Match": f"W/{self.tag()}"})):
            self.check_error(answer, 412)
        self.assertEqual(self.view(self.name, "a").json["t"], "of another")
        for header in (self.tag(), f'"nope", {self.tag()}', "*"):
            self.assertEqual(self.change(self.name, "a", {"n+": 1}, headers={"If-Match": self.tag()}).status,
                             200, header)
        self.assertEqual(self.remove(self.name, "a", headers={"If-Match": self.tag()}).status, 204)
        self.check_error(self.change(self.name, "a", {}, headers={"If-Match": "*"}), 404)

    def test_BATCH_05_of_parallel_changes_with_one_tag_exactly_one_wins(self):
        for _ in range(10):
            tag = self.tag()
            statuses = in_threads(4, lambda number: self.change(
                self.name, "a", {"t": f"by {number}", "n+": 1}, headers={"If-Match": tag}).status)
            self.assertEqual(sorted(statuses), [200, 412, 412, 412])
        self.assertEqual(self.view(self.name, "a").json["n"], 10)

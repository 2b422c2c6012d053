# SPDX-License-Identifier: Apache-2.0
"""Relations: what they may point at, what expand shows of them, what becomes of them when a target goes."""
from support import RecordCase, expect, field, free_id, insert, make_collection, path_of, relation


class Values(RecordCase):
    @classmethod
    def fixture(cls):
        people = make_collection(cls.server, "people", [free_id(), field("name")])
        make_collection(cls.server, "tasks", [free_id(), relation("owner", people),
                                              relation("helpers", people,
                                                                                             maxSelect=3,
                                                       minSelect=0)])
        for key in ("ann", "bob", "cy", "di"):
            insert(cls.server, "people", id=key, name=key)

    def made(self, **members):
        return expect(self.server.post(path_of("tasks"), members), 200).json

    def test_a_single_relation(self):
        self.assertEqual(self.made(owner="ann")["owner"], "ann")
        self.assertEqual(self.made(owner="")["owner"], "")
        self.assertEqual(self.made(owner=None)["owner"], "")
        self.assertEqual(self.made(owner=["bob"])["owner"], "bob")
        self.assertEqual(self.made()["owner"], "")
        for bad in ("nope", ["nope"], 7, {"id": "ann"}, "' OR 1=1 --"):
            self.check_error(self.server.post(path_of("tasks"), {"owner": bad}), 400, field="owner")

    def test_a_relation_of_several_keeps_its_order(self):
        self.assertEqual(self.made(helpers=["cy", "ann"])["helpers"], ["cy", "ann"])
        self.assertEqual(self.made(helpers="ann")["helpers"], ["ann"])
        self.assertEqual(self.made(helpers=[])["helpers"], [])
        self.assertEqual(self.made()["helpers"], [])
        self.assertEqual(self.made(helpers=["ann", "ann", "bob"])["helpers"], ["ann", "bob"])
        for bad in (["ann", "nope"], ["ann", "bob", "cy", "di"], [1], [["ann"]], {"a": "ann"}):
            self.check_error(self.server.post(path_of("tasks"), {"helpers": bad}), 400, field="helpers")

    def test_modifiers(self):
        task = self.made(helpers=["ann"])["id"]
        for body, expected in (({"helpers+": "bob"}, ["ann", "bob"]),
                               ({"+helpers": "cy"}, ["cy", "ann", "bob"]),
                               ({"helpers+": ["ann"]}, ["cy", "ann", "bob"]),
                               ({"helpers-": "ann"}, ["cy", "bob"]),
                               ({"helpers-": ["nope", "cy"]}, ["bob"]), ({"helpers-": "bob"}, []),
                               ({"helpers": ["ann", "bob"]}, ["ann", "bob"])):
            self.assertEqual(expect(self.change("tasks", task, body), 200).json["helpers"], expected, body)
        self.check_error(self.change("tasks", task, {"helpers+": ["cy", "di"]}), 400, field="helpers")
        self.check_error(self.change("tasks", task, {"helpers+": "nope"}), 400, field="helpers")
        self.assertEqual(self.view("tasks", task).json["helpers"], ["ann", "bob"])
        self.assertEqual(expect(self.change("tasks", task, {"owner+": "ann"}), 200).json["owner"], "ann")
        self.assertEqual(expect(self.change("tasks", task, {"owner-": "ann"}), 200).json["owner"], "")


class Expand(RecordCase):
    @classmethod
    def fixture(cls):
        orgs = make_collection(cls.server, "orgs", [free_id(), field("name")])
        users = make_collection(cls.server, "users", [free_id(), field("name"), field("secret", hidden=True),
                                                      relation("org", orgs)])
        closed = make_collection(cls.server, "closed", [free_id(), field("name")], viewRule=None,
                                 listRule=None)
        some = make_collection(cls.server, "some", [free_id(), field("name")], viewRule='name = "open"')
        posts = make_collection(cls.server, "posts", [
            free_id(), field("title"), relation("author", users), relation("editors", users, many=True),
            relation("locked", closed), relation("partly", some, many=True)])
        make_collection(cls.server, "comments", [free_id(), field("text"), relation("post", posts),
                                                 relation("by", users)])
        insert(cls.server, "orgs", id="acme", name="Acme")
        for key in ("ann", "bob"):
            insert(cls.server, "users", id=key, name=key.title(), org="acme" if key == "ann" else "",
                   secret="s3cret")
        insert(cls.server, "closed", id="c", name="closed")
        insert(cls.server, "some", id="yes", name="open")
        insert(cls.server, "some", id="no", name="shut")
        insert(cls.server, "posts", id="p1", title="one", author="ann", editors=["bob", "ann"], locked="c",
               partly=["no", "yes"])
        insert(cls.server, "posts", id="p2", title="two", author="ann")
        insert(cls.server, "posts", id="p3", title="three")
        for key, post in (("c1", "p1"), ("c2", "p1"), ("c3", "p2")):
            insert(cls.server, "comments", id=key, text=key, post=post, by="bob")

    def expanded(self, expand, record="p1", collection="posts", **options):
        return expect(self.view(collection, record, query={"expand": expand}, **options), 200).json

    def test_parents(self):
        record = self.expanded("author,editors")
        self.assertEqual(record["expand"]["author"]["name"], "Ann")
        self.assertEqual(record["expand"]["author"]["collectionName"], "users")
        self.assertEqual([user["id"] for user in record["expand"]["editors"]], ["bob", "ann"])
        self.assertNotIn("secret", record["expand"]["author"])
        self.assertEqual(record["author"], "ann")

    def test_levels(self):
        record = self.expanded("author.org,editors.org")
        self.assertEqual(record["expand"]["author"]["expand"]["org"]["name"], "Acme")
        bob, ann = record["expand"]["editors"]
        self.assertEqual(ann["expand"]["org"]["id"], "acme")
        self.assertNotIn("org", bob.get("expand", {}))

    def test_children(self):
        record = self.expanded("comments_via_post.by.org")
        self.assertEqual([comment["id"] for comment in record["expand"]["comments_via_post"]], ["c1", "c2"])
        self.assertEqual(record["expand"]["comments_via_post"][0]["expand"]["by"]["name"], "Bob")
        record = self.expanded("posts_via_author.comments_via_post", "ann", "users")
        self.assertEqual([post["id"] for post in record["expand"]["posts_via_author"]], ["p1", "p2"])
        self.assertEqual(len(record["expand"]["posts_via_author"][0]["expand"]["comments_via_post"]), 2)
        record = self.expanded("posts_via_editors", "bob", "users")
        self.assertEqual([post["id"] for post in record["expand"]["posts_via_editors"]], ["p1"])

    def test_lists_expand_each_record(self):
        items = self.page("posts", expand="author,comments_via_post", sort="id")["items"]
        self.assertEqual([item.get("expand", {}).get("author", {}).get("id") for item in items],
                         ["ann", "ann", None])
        self.assertEqual([len(item.get("expand", {}).get("comments_via_post", [])) for item in items],
                         [2, 1, 0])

    def test_the_view_rule_of_the_target_decides(self):
        record = self.expanded("locked,partly,author")
        self.assertNotIn("locked", record["expand"])
        self.assertEqual([item["id"] for item in record["expand"]["partly"]], ["yes"])
        self.assertIn("author", record["expand"])
        record = self.expanded("locked,partly", token=self.token)
        self.assertEqual(record["expand"]["locked"]["name"], "closed")
        self.assertEqual([item["id"] for item in record["expand"]["partly"]], ["no", "yes"])
        self.assertEqual(self.expanded("author", token=self.token)["expand"]["author"]["secret"], "s3cret")

    def test_S_05_what_is_hidden_looks_like_what_does_not_exist(self):
        wrong = self.expanded("nope")
        for expand in ("locked", "nope_via_post", "title", "author.nope", "locked.posts_via_locked"):
            record = self.expanded(expand)
            record.get("expand", {}).pop("author", None)
            self.assertEqual(record.get("expand") or None, wrong.get("expand") or None, expand)

    def test_fields_reach_into_expand(self):
        fields = "title,expand.author.name,expand.comments_via_post.id"
        answer = self.view("posts", "p1", query={"expand": "author.org,comments_via_post", "fields": fields})
        self.assertEqual(expect(answer, 200).json, {"title": "one", "expand": {
            "author": {"name": "Ann"}, "comments_via_post": [{"id": "c1"}, {"id": "c2"}]}})
        answer = self.view("posts", "p1", query={"expand": "author", "fields": "*,expand.author.id"})
        self.assertEqual(answer.json["expand"], {"author": {"id": "ann"}})
        answer = self.view("posts", "p1", query={"expand": "author", "fields": "id"})
        self.assertEqual(answer.json, {"id": "p1"})

    def test_writes_expand_too(self):
        answer = self.server.post(path_of("posts"), {"author": "bob"},
                                  query={"expand": "author", "fields": "*,expand.*"})
        self.assertEqual(expect(answer, 200).json["expand"]["author"]["id"], "bob")
        record = answer.json["id"]
        answer = self.change("posts", record, {"author": "ann"}, query={"expand": "author"})
        self.assertEqual(expect(answer, 200).json["expand"]["author"]["id"], "ann")
        self.remove("posts", record)

    def test_S_83_limits(self):
        self.assertEqual(self.view("posts", "p1",
                                   query={"expand": "author" + ".posts_via_author.author" * 2}).status, 200)
        for expand in ("author" + ".posts_via_author.author" * 25, ",".join(["author.org"] * 1000),
                       "a" * 5000, "a..b",
                       "author.", ".author", "author,,org", "auth or", "author(", "a'b"):
            answer = self.view("posts", "p1", query={"expand": expand})
            if answer.status != 200:
                self.check_error(answer, 414 if len(expand) > 8000 else 400)
            else:
                self.assertLess(len(answer.body), 2000, expand)


class Removal(RecordCase):
    """What happens to those who point at a record that goes."""

    def pair(self, name, **options):
        target = make_collection(self.server, name + "_targets", [free_id()])
        make_collection(self.server, name, [free_id(), field("t"), relation("one", target, **options),
                                            relation("some", target, many=True, **options)])
        for key in ("a", "b"):
            self.insert(name + "_targets", id=key)

    def test_without_cascade_the_relation_is_cleared(self):
        self.pair("cleared")
        self.insert("cleared", id="r", one="a", some=["b", "a"])
        self.assertEqual(self.remove("cleared_targets", "a").status, 204)
        record = self.view("cleared", "r").json
        self.assertEqual((record["one"], record["some"]), ("", ["b"]))

    def test_with_cascade_the_record_goes_along(self):
        self.pair("cascading", cascadeDelete=True)
        self.insert("cascading", id="one", one="a")
        self.insert("cascading", id="other", one="b")
        self.insert("cascading", id="both", some=["a", "b"])
        self.insert("cascading", id="only", some=["a"])
        self.assertEqual(self.remove("cascading_targets", "a").status, 204)
        self.assertEqual(sorted(self.ids("cascading")), ["both", "other"])
        self.assertEqual(self.view("cascading", "both").json["some"], ["b"])

    def test_a_required_relation_holds_its_target(self):
        self.pair("needed", required=True)
        self.insert("needed", id="r", one="a", some=["a", "b"])
        self.check_error(self.remove("needed_targets", "a"), 400)
        self.assertEqual(self.view("needed", "r").json["some"], ["a", "b"])
        self.assertEqual(sorted(self.ids("needed_targets")), ["a", "b"])
        self.change("needed", "r", {"one": "b"})
        self.assertEqual(self.remove("needed_targets", "a").status, 204)
        self.assertEqual(self.view("needed", "r").json["some"], ["b"])
        self.check_error(self.remove("needed_targets", "b"), 400)

    def test_a_required_relation_with_cascade_goes_along(self):
        self.pair("both", required=True, cascadeDelete=True)
        self.insert("both", id="r", one="a", some=["b"])
        self.assertEqual(self.remove("both_targets", "a").status, 204)
        self.assertEqual(self.ids("both"), [])

    def test_a_chain_and_a_tree_on_itself(self):
        made = make_collection(self.server, "nodes", [free_id()])
        fields = made["fields"] + [relation("up", made, cascadeDelete=True),
                                   relation("friends", made, many=True)]
        expect(self.change_collection("nodes", {"fields": fields}), 200)
        self.insert("nodes", id="root")
        self.insert("nodes", id="left", up="root", friends=["root"])
        self.insert("nodes", id="right", up="root", friends=["left"])
        self.insert("nodes", id="leaf", up="left")
        self.insert("nodes", id="other", friends=["leaf", "right"])
        self.change("nodes", "root", {"up": "root", "friends": ["other"]})
        self.assertEqual(self.ids("nodes", filter="up.up = 'root'", sort="id"),
                         ["leaf", "left", "right", "root"])
        self.assertEqual(self.remove("nodes", "left").status, 204)
        self.assertEqual(self.ids("nodes", sort="id"), ["other", "right", "root"])
        self.assertEqual(self.view("nodes", "other").json["friends"], ["right"])
        self.assertEqual(self.view("nodes", "right").json["friends"], [])
        self.assertEqual(self.remove("nodes", "root").status, 204)
        self.assertEqual(self.ids("nodes"), ["other"])

    def test_two_collections_that_point_at_each_other(self):
        left = make_collection(self.server, "lefts", [free_id()])
        right = make_collection(self.server, "rights", [free_id(),
                                                        relation("left", left, cascadeDelete=True)])
        expect(self.change_collection("lefts", {"fields": left["fields"] + [
            relation("right", right, cascadeDelete=True)]}), 200)
        self.insert("lefts", id="l")
        self.insert("rights", id="r", left="l")
        self.change("lefts", "l", {"right": "r"})
        self.assertEqual(self.remove("rights", "r").status, 204)
        self.assertEqual((self.ids("lefts"), self.ids("rights")), ([], []))

    def test_a_failing_cascade_changes_nothing(self):
        top = make_collection(self.server, "tops", [free_id()])
        middle = make_collection(self.server, "middles",
                                 [free_id(), relation("top", top, cascadeDelete=True)])
        make_collection(self.server, "bottoms", [free_id(), relation("middle", middle, required=True)])
        self.insert("tops", id="t")
        for key in ("m1", "m2"):
            self.insert("middles", id=key, top="t")
        self.insert("bottoms", id="b", middle="m2")
        self.check_error(self.remove("tops", "t"), 400)
        self.assertEqual((self.ids("tops"), self.ids("middles", sort="id"), self.ids("bottoms")),
                         (["t"], ["m1", "m2"], ["b"]))

    def test_S_35_a_cascade_does_not_ask_the_rules_of_who_goes_along(self):
        top = make_collection(self.server, "owned", [free_id()])
        make_collection(self.server, "attached", [free_id(), relation("owned", top, cascadeDelete=True)],
                        deleteRule=None)
        self.insert("owned", id="o")
        self.insert("attached", id="a", owned="o")
        self.check_error(self.remove("attached", "a"), 403)
        self.assertEqual(self.remove("owned", "o").status, 204)
        self.assertEqual(self.ids("attached"), [])

    def test_CASC_03_a_new_record_has_no_links_of_an_old_one(self):
        tags = make_collection(self.server, "labels", [free_id()])
        make_collection(self.server, "items", [free_id(), relation("labels", tags, many=True)])
        self.insert("labels", id="t1")
        self.insert("items", id="1")
        self.insert("items", id="2", labels=["t1"])
        self.assertEqual(self.remove("items", "2").status, 204)
        self.assertEqual(self.view("labels", "t1", query={"expand": "items_via_labels"}).json.get("expand",
                                                                                                  {}), {})
        self.assertEqual(self.insert("items", id="2")["labels"], [])
        made = [self.insert("items")["id"] for _ in range(3)]
        self.remove("items", made[2])
        again = self.insert("items")
        self.assertNotIn(again["id"], made)
        self.assertEqual(again["labels"], [])
        self.insert("items", id="3", labels=["t1"])
        self.remove("labels", "t1")
        self.insert("labels", id="t1")
        self.assertEqual(self.view("items", "3").json["labels"], [])

# SPDX-License-Identifier: Apache-2.0
"""Collections: creating, reading, changing and removing them through the API."""
import json

from harness import ProductCase
from support import RULES, RecordCase, expect, field, free_id, insert, make_collection, path_of, relation

COLLECTIONS = "/api/collections"


class SchemaCase(RecordCase):
    def create(self, body):
        return self.server.post(COLLECTIONS, {"type": "base", **body}, token=self.token)

    def get(self, name):
        return self.server.get(self.collection_path(name), token=self.token)

    def fields_of(self, name):
        return [item["name"] for item in expect(self.get(name), 200).json["fields"]]

    def refused(self, body, *names):
        """A collection that must be refused, with an error for each name; nothing of it may remain."""
        answer = self.create(body)
        self.check_error(answer, 400)
        for name in names:
            self.assertIn(name, answer.json["data"])
        return answer


class Create(SchemaCase):
    def test_every_type_of_field(self):
        target = expect(self.create({"name": "targets"}), 200).json
        kinds = [
            field("a_text", min=1, max=10, pattern="^[a-z]+$"), field("a_number", "number", min=-1, max=1e6),
            field("an_int", "number", onlyInt=True), field("a_bool", "bool"), field("an_email", "email"),
            field("a_url", "url"), field("a_date", "date", min="2020-01-01 00:00:00.000Z"),
            field("an_autodate", "autodate", onCreate=True, onUpdate=True),
            field("a_select", "select", values=["x", "y"], maxSelect=1),
            field("selects", "select", values=["x", "y", "z"], maxSelect=2),
                 field("a_json", "json", maxSize=100),
            relation("a_relation", target), relation("relations", target, many=True, cascadeDelete=True),
            field("an_editor", "editor"), field("a_place", "geoPoint"),
        ]
        made = expect(self.create({"name": "every", "fields": kinds, "listRule": "", "viewRule": None}),
                      200).json
        self.assertEqual([item["name"] for item in made["fields"]], ["id"] + [item["name"] for item in kinds])
        by_name = {item["name"]: item for item in made["fields"]}
        for asked in kinds:
            got = by_name[asked["name"]]
            for option, value in asked.items():
                self.assertEqual(got[option], value, (asked["name"], option))
            self.assertTrue(got["id"])
        self.assertEqual(len({item["id"] for item in made["fields"]}), len(made["fields"]))
        self.assertEqual((made["listRule"], made["viewRule"], made["createRule"]), ("", None, None))
        self.assertEqual((made["type"], made["system"], made["indexes"]), ("base", False, []))
        self.assertRegex(made["created"], r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}Z$")
        # The same by name, by id, by name in another case, and in the list.
        for name in ("every", made["id"], "EVERY"):
            self.assertEqual(expect(self.get(name), 200).json, made)
        listed = expect(self.server.get(COLLECTIONS, query={"perPage": 100}, token=self.token), 200).json
        self.assertIn(made, listed["items"])
        self.assertEqual(set(listed), {"page", "perPage", "totalItems", "totalPages", "items"})
        # And what was answered can be sent back without a change.
        answer = self.server.patch(self.collection_path("every"), made, token=self.token)
        self.assertEqual(expect(answer, 200).json["fields"], made["fields"])

    def test_an_id_of_its_own_and_one_that_is_taken(self):
        self.assertEqual(expect(self.create({"name": "own_id", "id": "pbc_0000000001"}), 200).json["id"],
                         "pbc_0000000001")
        self.check_error(self.create({"name": "own_id_2", "id": "pbc_0000000001"}), 400)

    def test_names(self):
        expect(self.create({"name": "Taken"}), 200)
        for name in ("", " ", "a b", "1st", "a-b", "a.b", "ü", "a" * 300, "select;", "Taken", "taken",
                     "TAKEN", None, 7,
                     "_superusers", "sqlite_master", "sqlite_x", "_x", "x__y", "a\0b", 'a"b'):
            with self.subTest(name=name):
                self.refused({"name": name}, "name")
        for name in ("select", "order", "group", "Table", "x_1"):
            with self.subTest(name=name):
                expect(self.create({"name": name, "fields": [field("from"), field("where", "number")],
                                    "listRule": "",
                                    "createRule": ""}), 200)
                expect(self.server.post(path_of(name), {"from": "a", "where": 1}), 200)
                self.assertEqual(self.ids(name, filter="from = 'a' && where = 1",
                                          sort="-from,where").__len__(), 1)

    def test_field_names(self):
        for name in ("", "a b", "1st", "a-b", "ü", "a" * 200, "collectionId", "collectionName", "expand",
                     "_v", None):
            with self.subTest(name=name):
                self.refused({"name": "bad_field", "fields": [field(name)]})
        self.refused({"name": "bad_field", "fields": [field("a"), field("A")]})
        self.refused({"name": "bad_field", "fields": [field("a"), field("a", "number")]})
        self.refused({"name": "bad_field", "fields": [field("x_via_y")]})
        self.assertEqual(self.get("bad_field").status, 404)

    def test_bad_options_name_the_field(self):
        for bad in (field("x", "nope"), field("x", "number", min=5, max=1), field("x", "text", min=5, max=1),
                    field("x", "text", pattern="("), field("x", "select", values=[]), field("x", "relation"),
                    field("x", "relation", collectionId="nope", maxSelect=1),

                    field("x", "number", min="one"), field("x", "bool", required="yes"),
                    field("x", "date", min="soon"), {"name": "x"}, "x", None):
            with self.subTest(field=bad):
                answer = self.refused({"name": "bad_option", "fields": [bad]})
                self.assertTrue(any(name.startswith("fields") for name in answer.json["data"]), answer.json)

    def test_many_errors_at_once(self):
        answer = self.refused({"name": "a b", "fields": [field("x y"), field("ok"), field("z", "nope")],
                               "listRule": "nope = 1"})
        self.assertIn("name", answer.json["data"])
        self.assertIn("fields.0.name", json.dumps(answer.json["data"]))

    def test_bodies_that_are_none(self):
        for body in ("[]", "{}", '{"name":"x"', "null"):
            self.check_error(self.server.post(COLLECTIONS, body, token=self.token,
                                              headers={"Content-Type": "application/json"}), 400)
        self.check_error(self.create({"name": "x", "fields": {"a": 1}}), 400)
        self.check_error(self.create({"name": "x", "indexes": "none"}), 400)
        self.check_error(self.create({"name": "x", "type": "nope"}), 400)

    def test_rules_are_checked_when_they_are_saved(self):
        for rule in RULES:
            for text in ("nope = 1", "title =", "title = 'x", "@request.nope = 1", "title ~~ 1",
                         "@collection.nope.x = 1", "other.title = 1", "(" * 50 + "title = 1" + ")" * 50):
                with self.subTest(rule=rule, text=text):
                    answer = self.refused({"name": "ruled", "fields": [field("title")], rule: text}, rule)
                    self.assertRegex(answer.json["data"][rule]["message"], r"position \d+")
        expect(self.create({"name": "ruled", "fields": [field("title")],
                            "listRule": "title = 'x' && @request.auth.id != '' && @request.query.q:isset",
                            "createRule": "@request.body.title:isset = true && @request.headers.x_key = 'k'",
                            "updateRule": "@request.body.title:changed = false",
                            "viewRule": "@collection.ruled.title ?= title && @request.method = 'GET'"}), 200)
        self.check_error(self.change_collection("ruled", {"listRule": "nope = 1"}), 400, field="listRule")
        # A field that a rule speaks of cannot go unnoticed.
        self.check_error(self.change_collection("ruled", {"fields": []}), 400)

    def test_unknown_collections_are_404(self):
        for method, path in (("GET", "/nope"), ("PATCH", "/nope"), ("DELETE", "/nope"),
                             ("DELETE", "/nope/truncate")):
            self.check_error(self.server.request(method, COLLECTIONS + path, {}, token=self.token), 404)


class Indexes(SchemaCase):
    def make(self, name, *indexes, **options):
        return self.create({"name": name, "fields": [field("a"), field("b", "number")],
                            "indexes": list(indexes),
                            **dict.fromkeys(RULES, ""), **options})

    def test_a_unique_index_refuses_the_second(self):
        expect(self.make("uniq", "CREATE UNIQUE INDEX uniq_a ON uniq (a)"), 200)
        self.insert("uniq", a="x")
        answer = self.server.post(path_of("uniq"), {"a": "x"})
        self.check_error(answer, 400, field="a", code="validation_not_unique")
        other = self.insert("uniq", a="y")["id"]
        self.check_error(self.change("uniq", other, {"a": "x"}), 400, field="a", code="validation_not_unique")
        self.assertEqual(self.change("uniq", other, {"a": "y"}).status, 200)
        self.assertEqual(sorted(item["a"] for item in self.page("uniq")["items"]), ["x", "y"])

    def test_a_unique_index_over_two_and_one_that_leaves_empty_out(self):
        expect(self.make("pair", "CREATE UNIQUE INDEX pair_ab ON pair (a, b)"), 200)
        self.insert("pair", a="x", b=1)
        self.insert("pair", a="x", b=2)
        self.check_error(self.server.post(path_of("pair"), {"a": "x", "b": 1}), 400)
        expect(self.make("part", "CREATE UNIQUE INDEX part_a ON part (a) WHERE a != ''"), 200)
        self.insert("part", a="")
        self.insert("part", a="")
        self.insert("part", a="x")
        self.check_error(self.server.post(path_of("part"), {"a": "x"}), 400, field="a")

    def test_nocase(self):
        expect(self.make("nocase", "CREATE UNIQUE INDEX nocase_a ON nocase (a COLLATE NOCASE)"), 200)
        self.insert("nocase", a="ABC")
        self.check_error(self.server.post(path_of("nocase"), {"a": "abc"}), 400, field="a")

    def test_indexes_that_are_none(self):
        for index in ("", "CREATE INDEX", "DROP TABLE bad", "CREATE INDEX i ON bad (nope)",
                      "CREATE INDEX i ON bad ()",
                      "CREATE INDEX i ON bad (a); DROP TABLE bad", "CREATE INDEX i ON bad (lower(a))",
                      "CREATE INDEX i ON bad (a) WHERE a IN (SELECT 1)", 7, None):
            with self.subTest(index=index):
                answer = self.make("bad", index)
                self.check_error(answer, 400)
                self.assertTrue(any(name.startswith("indexes") for name in answer.json["data"]), answer.json)
        self.check_error(self.make("bad", "CREATE INDEX i ON bad (a)", "CREATE INDEX i ON bad (b)"), 400)
        self.assertEqual(self.get("bad").status, 404)

    def test_SCHEMA_06_a_unique_index_over_duplicates_changes_nothing(self):
        expect(self.make("dups"), 200)
        first, second = self.insert("dups", a="x")["id"], self.insert("dups", a="x")["id"]
        before = self.get("dups").json
        answer = self.change_collection("dups", {"indexes": ["CREATE UNIQUE INDEX dups_a ON dups (a)"],
                                                 "fields": before["fields"] + [field("c")]})
        self.check_error(answer, 400)
        self.assertTrue(first in answer.text or second in answer.text, "no conflicting record is named")
        self.assertEqual(self.get("dups").json, before)
        self.assertEqual(len(self.ids("dups")), 2)
        self.remove("dups", second)
        expect(self.change_collection("dups", {"indexes": ["CREATE UNIQUE INDEX dups_a ON dups (a)"]}), 200)

    def test_SCHEMA_06_nulls_are_no_duplicates(self):
        expect(self.create({"name": "nulls", "fields": [field("a", nullable=True)],
                            **dict.fromkeys(RULES, "")}), 200)
        for value in (None, None, "x"):
            self.insert("nulls", a=value)
        expect(self.change_collection("nulls", {"indexes": ["CREATE UNIQUE INDEX nulls_a ON nulls (a)"]}),
               200)
        self.insert("nulls", a=None)
        self.check_error(self.server.post(path_of("nulls"), {"a": "x"}), 400, field="a")


class Remove(SchemaCase):
    def test_delete_and_truncate(self):
        made = make_collection(self.server, "gone", [field("a")])
        self.insert("gone", a="x")
        self.assertEqual(self.server.delete(self.collection_path("gone") + "/truncate",
                                            token=self.token).status, 204)
        self.assertEqual(self.ids("gone"), [])
        self.insert("gone", a="y")
        self.assertEqual(self.server.delete(self.collection_path(made["id"]), token=self.token).status, 204)
        self.check_error(self.get("gone"), 404)
        self.check_error(self.server.get(path_of("gone")), 404)
        make_collection(self.server, "gone", [field("a")])
        self.assertEqual(self.ids("gone"), [])

    def test_a_target_of_relations_cannot_be_removed(self):
        target = make_collection(self.server, "target", [field("a")])
        make_collection(self.server, "pointing", [relation("to", target)])
        self.check_error(self.server.delete(self.collection_path("target"), token=self.token), 400)
        expect(self.server.delete(self.collection_path("pointing"), token=self.token), 204)
        expect(self.server.delete(self.collection_path("target"), token=self.token), 204)

    def test_system_collections_stay(self):
        for method, path, body in (("DELETE", "", None), ("PATCH", "", {"name": "users"}),
                                   ("PATCH", "", {"fields": []}), ("PATCH", "", {"listRule": ""})):
            answer = self.server.request(method, self.collection_path("_superusers") + path, body,
                                         token=self.token)
            if body == {"fields": []} and answer.status == 200:
                self.assertIn("password", [item["name"] for item in answer.json["fields"]])
            else:
                self.check_error(answer, answer.status if answer.status in (400, 403) else 400)
        self.assertEqual(self.server.get(COLLECTIONS, token=self.token).status, 200)

    def test_no_secret_is_shown(self):
        answer = expect(self.get("_superusers"), 200)
        self.assertNotRegex(answer.text, r'"secret":"[^"]')


class Import(SchemaCase):
    def put(self, collections, **options):
        return self.server.put(COLLECTIONS + "/import", {"collections": collections, **options},
                               token=self.token)

    def test_SCHEMA_08_what_the_file_does_not_name_stays(self):
        posts = make_collection(self.server, "posts", [field("title"), field("body")])
        make_collection(self.server, "comments", [field("text")])
        kept = self.insert("posts", title="t", body="b")["id"]
        self.insert("comments", text="c")
        expect(self.put([{**posts, "fields": [item for item in posts["fields"] if item["name"] != "body"]}]),
               204)
        self.assertEqual(self.get("comments").status, 200)
        self.assertEqual(len(self.ids("comments")), 1)
        self.assertEqual(self.fields_of("posts"), ["id", "title", "body"])
        self.assertEqual(self.view("posts", kept).json["body"], "b")
        # Only when asked.
        expect(self.put([{**posts, "fields": posts["fields"][:2]}], deleteMissing=True), 204)
        self.check_error(self.get("comments"), 404)
        self.assertEqual(self.fields_of("posts"), ["id", "title"])
        self.assertEqual(self.view("posts", kept).json["title"], "t")
        self.assertEqual(self.get("_superusers").status, 200)

    def test_a_schema_with_relations_among_its_own(self):
        answer = self.put([
            {"id": "pbc_1000000001", "name": "left", "type": "base", "fields": [
                field("others", "relation", collectionId="pbc_1000000002", maxSelect=9)]},
            {"id": "pbc_1000000002", "name": "right", "type": "base", "fields": [
                field("other", "relation", collectionId="pbc_1000000001", maxSelect=1)]}])
        expect(answer, 204)
        left = self.insert("left")["id"]
        right = self.insert("right", other=left)["id"]
        self.assertEqual(self.server.patch(path_of("left", left), {"others": [right]},
                                           token=self.token).status, 200)
        made = self.get("left").json
        expect(self.put([made]), 204)
        self.assertEqual(self.get("left").json["fields"], made["fields"])

    def test_a_file_with_one_mistake_changes_nothing(self):
        answer = self.put([{"name": "fine", "type": "base", "fields": [field("a")]},
                           {"name": "not fine", "type": "base"}])
        self.check_error(answer, 400)
        self.check_error(self.get("fine"), 404)

    def test_bodies(self):
        for body in ({}, {"collections": {}}, {"collections": [1]}, {"collections": None}):
            self.check_error(self.server.put(COLLECTIONS + "/import", body, token=self.token), 400)


class Scaffolds(ProductCase):
    def test_scaffolds_can_be_created(self):
        answer = expect(self.server.get(COLLECTIONS + "/meta/scaffolds", token=self.token), 200)
        base = answer.json["base"]
        expect(self.server.post(COLLECTIONS, {**base, "name": "scaffolded"}, token=self.token), 200)
        insert(self.server, "scaffolded")


class Listing(SchemaCase):
    def test_pages_of_collections(self):
        for name in ("la", "lb", "lc"):
            make_collection(self.server, name, [free_id()])
        page = self.server.get(COLLECTIONS, query={"perPage": 2, "page": 1, "sort": "name",
                                                   "filter": 'name ~ "l%"'},
                               token=self.token)
        if page.status == 200:
            self.assertEqual([item["name"] for item in page.json["items"]], ["la", "lb"])
        else:
            self.check_error(page, 400)

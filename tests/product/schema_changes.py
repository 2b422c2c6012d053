# SPDX-License-Identifier: Apache-2.0
"""Changes of a collection that has data: nothing is lost unasked, and everybody sees them at once."""
import contextlib
import sqlite3
import threading
import time

from harness import ProductCase
from support import (Client, RecordCase, expect, field, free_id, in_threads, insert, make_collection,
                     open_data,
                     path_of, relation)


def with_fields(collection, *changes, drop=(), rename=None):
    """A collection's fields, some dropped, some renamed, some more."""
    rename = rename or {}
    kept = [{**item, "name": rename.get(item["name"], item["name"])} for item in collection["fields"]
            if item["name"] not in drop]
    return {"fields": kept + list(changes)}


class Change(RecordCase):
    def make(self, name, *fields, **options):
        return make_collection(self.server, name, [free_id(), *fields], **options)

    def test_renaming_a_field_keeps_its_values(self):
        made = self.make("renamed", field("old"), field("n", "number"))
        self.insert("renamed", id="a", old="x", n=1)
        changed = expect(self.change_collection("renamed", with_fields(made, rename={"old": "fresh"})),
                         200).json
        self.assertEqual([item["name"] for item in changed["fields"]], ["id", "fresh", "n"])
        record = self.view("renamed", "a").json
        self.assertEqual(record["fresh"], "x")
        self.assertNotIn("old", record)
        self.assertEqual(self.ids("renamed", filter="fresh = 'x'"), ["a"])
        self.check_error(self.server.get(path_of("renamed"), query={"filter": "old = 'x'"}), 400)

    def test_two_fields_change_names_with_each_other(self):
        made = self.make("swapped", field("a"), field("b"))
        self.insert("swapped", id="r", a="was a", b="was b")
        expect(self.change_collection("swapped", with_fields(made, rename={"a": "b", "b": "a"})), 200)
        record = self.view("swapped", "r").json
        self.assertEqual((record["a"], record["b"]), ("was b", "was a"))

    def test_renaming_a_collection_keeps_its_records(self):
        made = self.make("before", field("title"))
        self.insert("before", id="a", title="x")
        answer = expect(self.change_collection("before", {"name": "after"}), 200)
        self.assertEqual((answer.json["id"], answer.json["name"]), (made["id"], "after"))
        self.assertEqual(self.view("after", "a").json["title"], "x")
        self.assertEqual(self.view("after", "a").json["collectionName"], "after")
        self.check_error(self.server.get(path_of("before")), 404)

    def test_adding_fields_gives_their_zero_or_null(self):
        made = self.make("added", field("title"))
        self.insert("added", id="a", title="x")
        expect(self.change_collection("added", with_fields(
            made, field("t"), field("n", "number"), field("i", "number", onlyInt=True), field("b", "bool"),
            field("d", "date"), field("s", "select", values=["x", "y"], maxSelect=2), field("j", "json"),
            field("g", "geoPoint"), field("nn", "number", nullable=True), field("nt", nullable=True))), 200)
        record = self.view("added", "a").json
        self.assertEqual([record[name] for name in ("title", "t", "n", "i", "b", "d", "s", "nn", "nt")],
                         ["x", "", 0, 0, False, "", [], None, None])
        self.assertEqual(record["g"], {"lon": 0, "lat": 0})
        self.assertEqual(self.ids("added", filter="t = '' && n = 0 && b = false && nn = null"), ["a"])

    def test_removing_a_field_leaves_the_others(self):
        made = self.make("removed", field("a"), field("b"), field("c"),
                         indexes=["CREATE INDEX removed_c ON removed (c)"])
        self.insert("removed", id="r", a="1", b="2", c="3")
        expect(self.change_collection("removed", with_fields(made, drop=("b",))), 200)
        record = self.view("removed", "r").json
        self.assertEqual((record["a"], record["c"]), ("1", "3"))
        self.assertNotIn("b", record)
        # A field of the same name later is another field.
        made = self.server.get(self.collection_path("removed"), token=self.token).json
        expect(self.change_collection("removed", with_fields(made, field("b"))), 200)
        self.assertEqual(self.view("removed", "r").json["b"], "")

    def test_an_indexed_field_does_not_go_without_its_index(self):
        made = self.make("indexed", field("a"), field("b"),
                         indexes=["CREATE UNIQUE INDEX indexed_a ON indexed (a)"])
        answer = self.change_collection("indexed", with_fields(made, drop=("a",)))
        if answer.status != 200:
            self.check_error(answer, 400)
            answer = self.change_collection("indexed", {**with_fields(made, drop=("a",)), "indexes": []})
        self.assertEqual(expect(answer, 200).json["indexes"], [])

    def test_another_type_under_the_same_field_is_refused_or_keeps_the_value(self):
        made = self.make("retyped", field("a"))
        self.insert("retyped", id="r", a="12")
        fields = [item if item["name"] != "a" else {**item, "type": "number"} for item in made["fields"]]
        answer = self.change_collection("retyped", {"fields": fields})
        if answer.status == 200:
            self.assertEqual(self.view("retyped", "r").json["a"], 12)
        else:
            self.check_error(answer, 400)
            self.assertEqual(self.view("retyped", "r").json["a"], "12")

    def test_a_select_and_a_relation_become_several_and_one_again(self):
        target = self.make("aims")
        made = self.make("widened", field("s", "select", values=list("vwxyz"), maxSelect=1),
                         relation("to", target))
        for key in ("t1", "t2"):
            self.insert("aims", id=key)
        self.insert("widened", id="full", s="x", to="t1")
        self.insert("widened", id="empty")

        def widen(many):
            fields = [item if item["name"] == "id" else {**item, "maxSelect": many}
                      for item in made["fields"]]
            return self.change_collection("widened", {"fields": fields})

        expect(widen(5), 200)
        record = self.view("widened", "full").json
        self.assertEqual((record["s"], record["to"]), (["x"], ["t1"]))
        record = self.view("widened", "empty").json
        self.assertEqual((record["s"], record["to"]), ([], []))
        # Values beyond the first are not thrown away unasked.
        self.change("widened", "full", {"s": ["y", "x"], "to": ["t2", "t1"]})
        answer = widen(1)
        self.check_error(answer, 400)
        self.assertIn("record full", answer.json["message"])
        self.assertEqual(self.view("widened", "full").json["to"], ["t2", "t1"])
        self.change("widened", "full", {"s": ["y"], "to": ["t1", "t2"]})
        self.check_error(widen(1), 400)
        self.change("widened", "full", {"to": ["t2"]})
        expect(widen(1), 200)
        record = self.view("widened", "full").json
        self.assertEqual((record["s"], record["to"]), ("y", "t2"))
        self.assertEqual(self.view("widened", "empty").json["to"], "")

    def test_required_and_bounds_bind_what_comes_later(self):
        made = self.make("bounded", field("a"))
        self.insert("bounded", id="r", a="")
        fields = [item if item["name"] != "a" else {**item, "required": True, "max": 3}
                  for item in made["fields"]]
        expect(self.change_collection("bounded", {"fields": fields}), 200)
        self.assertEqual(self.view("bounded", "r").json["a"], "")
        self.check_error(self.server.post(path_of("bounded"), {"a": ""}), 400, field="a")
        self.check_error(self.server.post(path_of("bounded"), {"a": "long"}), 400, field="a")

    def test_nullable_on_and_off(self):
        made = self.make("nulls", field("a"))
        self.insert("nulls", id="r", a="x")

        def nullable(flag):
            fields = [item if item["name"] != "a" else {**item, "nullable": flag} for item in made["fields"]]
            return self.change_collection("nulls", {"fields": fields})

        expect(nullable(True), 200)
        self.change("nulls", "r", {"a": None})
        self.assertIsNone(self.view("nulls", "r").json["a"])
        # Null is a value: it is not thrown away unasked.
        answer = nullable(False)
        self.check_error(answer, 400)
        self.assertIn("record r", answer.json["message"])
        self.change("nulls", "r", {"a": ""})
        expect(nullable(False), 200)
        self.assertEqual(expect(self.change("nulls", "r", {"a": None}), 200).json["a"], "")

    def test_SCHEMA_02_renaming_touches_only_the_index_of_that_field(self):
        made = self.make("langs", field("en"), field("enx"), field("unrelated"), indexes=[
            "CREATE UNIQUE INDEX langs_en ON langs (en) WHERE en != ''",
            "CREATE INDEX langs_enx ON langs (enx)"])
        expect(self.change_collection("langs", with_fields(made, field("english"))), 200)
        made = self.server.get(self.collection_path("langs"), token=self.token).json
        before = made["indexes"]
        changed = expect(self.change_collection("langs", with_fields(made, rename={"enx": "eny"})), 200).json
        self.assertEqual(changed["indexes"][0], before[0])
        self.assertIn("(`eny`)", changed["indexes"][1])
        self.insert("langs", en="same")
        self.check_error(self.server.post(path_of("langs"), {"en": "same"}), 400, field="en")
        self.insert("langs", english="same", eny="same")
        self.insert("langs", english="same", eny="same")

    def test_SCHEMA_03_names_move_between_collections(self):
        def name_of(old, new):
            return expect(self.change_collection(old, {"name": new}), 200)

        index = "CREATE UNIQUE INDEX {0}_t ON {0} (t)"
        self.make("sa", field("t"), indexes=[index.format("sa")])
        self.insert("sa", id="one", t="1")
        self.insert("sa", id="two", t="2")
        name_of("sa", "sb")
        self.make("sa", field("t"))
        self.insert("sa", id="three", t="3")
        self.assertEqual((self.ids("sa"), sorted(self.ids("sb"))), (["three"], ["one", "two"]))
        name_of("sa", "sc")
        name_of("sb", "sa")
        name_of("sc", "sb")
        self.assertEqual((sorted(self.ids("sa")), self.ids("sb")), (["one", "two"], ["three"]))
        self.check_error(self.server.post(path_of("sa"), {"t": "1"}), 400, field="t")
        expect(self.server.delete(self.collection_path("sa"), token=self.token), 204)
        self.make("sa", field("t"), indexes=[index.format("sa")])
        self.assertEqual((self.ids("sa"), self.ids("sb")), ([], ["three"]))

    def test_a_rebuild_does_not_empty_children(self):
        parents = self.make("parents", field("a"), field("b"))
        self.make("children", relation("parent", parents, cascadeDelete=True, required=True),
                  relation("parents", parents, many=True, cascadeDelete=True))
        self.insert("parents", id="p", a="1", b="2")
        self.insert("children", id="c", parent="p", parents=["p"])
        for change in ({"drop": ("b",)}, {"rename": {"a": "z"}}):
            made = self.server.get(self.collection_path("parents"), token=self.token).json
            expect(self.change_collection("parents", with_fields(made, **change)), 200)
            child = self.view("children", "c").json
            self.assertEqual((child["parent"], child["parents"]), ("p", ["p"]), change)
        made = self.server.get(self.collection_path("parents"), token=self.token).json
        fields = [item if item["name"] != "z" else {**item, "nullable": True} for item in made["fields"]]
        expect(self.change_collection("parents", {"fields": fields}), 200)
        self.assertEqual(self.view("children", "c").json["parent"], "p")

    def test_rules_follow_a_change_at_once(self):
        self.make("ruled", field("a"), listRule="a = 'x'")
        self.insert("ruled", id="r", a="y")
        self.assertEqual(self.ids("ruled"), [])
        expect(self.change_collection("ruled", {"listRule": "a = 'y'"}), 200)
        self.assertEqual(self.ids("ruled"), ["r"])
        expect(self.change_collection("ruled", {"listRule": None}), 200)
        self.check_error(self.server.get(path_of("ruled")), 403)


class Failing(RecordCase):
    def test_SCHEMA_07_a_change_that_fails_leaves_the_old_schema_whole(self):
        made = make_collection(self.server, "whole", [free_id(), field("a"), field("b")])
        for key in ("x", "y"):
            self.insert("whole", id=key, a="same", b=key)
        # The rebuild is done before the index finds the duplicates.
        change = {**with_fields(made, field("c"), drop=("b",)),
                  "indexes": ["CREATE UNIQUE INDEX whole_a ON whole (a)"]}
        self.check_error(self.change_collection("whole", change), 400)
        self.assertEqual(self.server.get(self.collection_path("whole"), token=self.token).json, made)
        self.assertEqual([self.view("whole", key).json["b"] for key in ("x", "y")], ["x", "y"])
        self.server.stop()
        with open_data(self.server) as file:
            tables = [name for name, in file.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        self.assertEqual([name for name in tables if "whole" in name], ["whole"])
        self.server.start()
        self.remove("whole", "y")
        expect(self.change_collection("whole", change), 200)
        self.assertEqual(self.view("whole", "x").json["c"], "")


class Cached(ProductCase):
    """CACHE-01: prepared statements never outlive the shape they were made for."""
    arguments = ("--loops", "2")

    def test_CACHE_01_lists_follow_the_schema_on_every_connection(self):
        make_collection(self.server, "shapes", [free_id(), field("a")])
        for number in range(5):
            insert(self.server, "shapes", id=f"r{number}", a=f"a{number}")
        clients = [Client(self.server) for _ in range(4)]
        path = self.server.get("/api/collections/shapes", token=self.token).json

        def members():
            for client in clients:
                for _ in range(10):
                    answer = self.server.get(path_of("shapes"))
                    yield answer.json["items"][0]
                    status, body = client.request("GET", path_of("shapes") + "?sort=-id")
                    self.assertEqual(status, 200, body)

        stopping = threading.Event()

        def write(number):
            client = Client(self.server)
            done = 0
            while not stopping.is_set():
                status, body = client.request("PATCH", path_of("shapes", f"r{number}"), {"a": f"a{number}"})
                if status != 200:
                    raise AssertionError(f"a write answered {status}: {body!r}")
                done += 1
            return done

        def change():
            try:
                made = path
                for step in range(4):
                    steps = ((with_fields(made, field("b", "number")), {"a", "b"}),
                             (None, None), ({"drop": ("b",)}, {"a"}))
                    for kind, expected in steps:
                        if kind is None:
                            body, expected = with_fields(made, rename={"b": "c"}), {"a", "c"}
                        elif "drop" in kind:
                            body = with_fields(made, drop=("c",))
                        else:
                            body = kind
                        made = expect(self.server.patch("/api/collections/shapes", body, token=self.token),
                                      200).json
                        for item in members():
                            self.assertEqual(set(item) - {"id", "collectionId", "collectionName"}, expected,
                                             step)
                            self.assertRegex(item["a"], r"^a\d$")
            finally:
                stopping.set()

        work = [change] + [lambda number=number: write(number) for number in range(2)]
        in_threads(3, lambda number: work[number]())


class OtherProcess(ProductCase):

    def test_what_another_process_commits_is_seen(self):
        make_collection(self.server, "shared", [free_id(), field("a")])
        insert(self.server, "shared", id="r", a="x")
        with contextlib.closing(sqlite3.connect(self.server.directory / "data.db", timeout=10)) as file, file:
            file.execute("UPDATE shared SET a = 'from outside' WHERE id = 'r'")
        self.assertEqual(self.server.get(path_of("shared", "r")).json["a"], "from outside")
        answer = self.server.patch(path_of("shared", "r"), {"a": "and back"})
        self.assertEqual(expect(answer, 200).json["a"], "and back")

    def test_writes_wait_for_another_process_and_reads_do_not(self):
        make_collection(self.server, "patient", [free_id(), field("a")])
        insert(self.server, "patient", id="r", a="x")
        answers = []

        def write():
            answer = self.server.patch(path_of("patient", "r"), {"a": "mine"})
            answers.append((answer.status, time.monotonic()))

        with contextlib.closing(sqlite3.connect(self.server.directory / "data.db", timeout=10,
                                                isolation_level=None)) as file:
            file.execute("BEGIN IMMEDIATE")
            file.execute("UPDATE patient SET a = 'theirs' WHERE id = 'r'")
            writer = threading.Thread(target=write)
            writer.start()
            begun = time.monotonic()
            reads = 0
            while time.monotonic() < begun + 0.5:
                self.assertEqual(self.server.get(path_of("patient", "r")).json["a"], "x")
                reads += 1
            released = time.monotonic()
            file.execute("COMMIT")
            writer.join()
        self.assertEqual(answers[0][0], 200)
        self.assertGreater(answers[0][1], released)
        self.assertGreater(reads, 5, "the loop is not held while the write waits")
        self.assertEqual(self.server.get(path_of("patient", "r")).json["a"], "mine")


class OtherProcessOneLoop(OtherProcess):
    arguments = ("--loops", "1")

# SPDX-License-Identifier: Apache-2.0
"""What a unique index promises, and what a refusal by it tells; long lists and long numbers."""
import json

from support import (Client, RecordCase, expect, field, free_id, in_threads, insert, make_collection, path_of,
                     relation)

ME = "@request.headers.x_me"


class Unique(RecordCase):
    def unique(self, name, *columns, **options):
        """A collection whose columns together are unique."""
        fields = [free_id(), *(field(column.split()[0]) for column in columns), field("note")]
        return make_collection(self.server, name, fields, indexes=[
            f"CREATE UNIQUE INDEX {name}_unique ON {name} ({', '.join(columns)})"], **options)

    def test_CASC_04_a_change_is_of_the_sent_fields_alone(self):
        parents = make_collection(self.server, "parents", [free_id(), field("v", "number"), field("loc"),
                                                           field("code")],
                                  indexes=["CREATE UNIQUE INDEX parents_code ON parents (code)"])
        make_collection(self.server, "children", [free_id(), relation("parent", parents, cascadeDelete=True)])
        insert(self.server, "parents", id="one", v=1, loc="here", code="a")
        insert(self.server, "parents", id="two", v=1, loc="there", code="b")
        insert(self.server, "children", id="child", parent="one")
        expect(self.change("parents", "one", {"v": 2}), 200)
        # A taken id is no wish to replace its record.
        self.check_error(self.server.post(path_of("parents"), {"id": "one", "v": 3, "code": "c"}), 400,
                         field="id", code="validation_not_unique")
        for method, record, body in (("PATCH", "one", {"v": 4, "code": "b"}),
                                     ("POST", None, {"id": "three", "code": "b"})):
            self.check_error(self.server.request(method, path_of("parents", record), body), 400, field="code",
                             code="validation_not_unique")
        shown = [(row["id"], row["v"], row["loc"], row["code"]) for row in self.page("parents")["items"]]
        self.assertEqual(shown, [("one", 2, "here", "a"), ("two", 1, "there", "b")])
        self.assertEqual(self.view("children", "child").json["parent"], "one")

    def test_CASC_05_ignoring_case_is_of_ASCII_letters(self):
        """As the compatibility page says; what is not folded by the index is folded by `~`."""
        self.unique("folded", "name COLLATE NOCASE")
        for first, second, taken in (("ABC", "abc", True), ("x-Ray", "X-rAY", True), ("АБВ", "абв", False),
                                     ("LÖWE", "Löwe", False), ("caf\u00e9", "cafe\u0301", False)):
            with self.subTest(first=first):
                insert(self.server, "folded", name=first)
                answer = self.server.post(path_of("folded"), {"name": second})
                if taken:
                    self.check_error(answer, 400, field="name", code="validation_not_unique")
                else:
                    expect(answer, 200)
        self.assertEqual(len(self.ids("folded", filter="name ~ 'абв'")), 2)

    def test_CASC_07_of_many_that_want_one_value_one_gets_it(self):
        self.unique("taken", "key", "lane")
        keys = 100

        def work(number):
            client = Client(self.server)
            statuses = []
            for key in range(keys):
                # Half of them ask for the id as well: then either constraint may be told.
                body = {"key": f"k{key}", "lane": "x", "note": str(number)}
                if number % 2 == 0:
                    body["id"] = f"id{key}"
                status, answer = client.request("POST", path_of("taken"), body)
                if status != 200:
                    problem = json.loads(answer)
                    codes = {told["code"] for told in problem["data"].values()}
                    self.assertEqual((status, codes), (400, {"validation_not_unique"}), problem)
                statuses.append(status)
            client.close()
            return statuses

        results = in_threads(8, work)
        for key in range(keys):
            self.assertEqual(sum(statuses[key] == 200 for statuses in results), 1, key)
        self.assertEqual(self.page("taken")["totalItems"], keys)

    def test_S_34_a_taken_value_is_told_where_the_caller_may_list(self):
        """Even when the rule hides the record that has it: the compatibility page says so, and what to do."""
        self.unique("names", "name", listRule=f"note = {ME}", viewRule=f"note = {ME}")
        insert(self.server, "names", name="taken", note="alice")
        mallory = {"X-Me": "mallory"}
        self.assertEqual(self.ids("names", headers=mallory), [])
        answer = self.server.post(path_of("names"), {"name": "taken", "note": "mallory"}, headers=mallory)
        self.check_error(answer, 400, field="name", code="validation_not_unique")
        self.assertNotIn(b"alice", answer.body)
        # Where nothing may be listed, a value that is taken is like any other refusal.
        expect(self.change_collection("names", {"listRule": None}), 200)
        answer = self.server.post(path_of("names"), {"name": "taken", "note": "mallory"}, headers=mallory)
        self.check_error(answer, 400)
        self.assertEqual(answer.json["data"], {})


class Long(RecordCase):
    @classmethod
    def fixture(cls):
        cls.numbers = [0, 1, -1, 2**15, -2**15 - 1, 2**31 - 1, 2**31, -2**31, -2**31 - 1, 2**32, 2**53 + 1,
                       -2**53 - 1, 2**63 - 1, -2**63]
        keys = make_collection(cls.server, "keys", [free_id(), field("n", "number", onlyInt=True)])
        make_collection(cls.server, "uses", [free_id(), relation("key", keys)])
        for place, number in enumerate(cls.numbers):
            insert(cls.server, "keys", id=f"k{place}", n=number)
            insert(cls.server, "uses", id=f"u{place}", key=f"k{place}")

    def test_TYPE_02_whole_numbers_of_every_width_are_found(self):
        for place, number in enumerate(self.numbers):
            with self.subTest(number=number):
                self.assertEqual(self.ids("keys", filter=f"n = {number}"), [f"k{place}"])
                self.assertEqual(self.ids("keys", filter=f"n in ({number})"), [f"k{place}"])
                self.assertEqual(self.ids("uses", filter=f"key.n = {number}"), [f"u{place}"])
                above = [f"k{at}" for at, other in enumerate(self.numbers) if other > number]
                self.assertEqual(self.ids("keys", filter=f"n > {number}"), above)
        for number in (2**63, -2**63 - 1, 10**40):
            answer = self.server.get(path_of("keys"), query={"filter": f"n = {number}"})
            self.assertIn(answer.status, (200, 400), number)
            self.check_error(self.server.post(path_of("keys"), {"n": number}), 400, field="n")

    def test_BATCH_04_lists_of_many_values(self):
        """A list is one parameter, however long."""
        def rule(count):
            return "id in (" + ",".join(f"'k{place}'" for place in range(2, count + 2)) + ")"

        rows = [f"k{place}" for place in range(2, len(self.numbers))]
        expect(self.change_collection("keys", {"listRule": rule(10_000)}), 200)
        self.assertEqual(self.ids("keys"), rows)
        self.check_error(self.change_collection("keys", {"listRule": rule(10_001)}), 400, field="listRule")
        expect(self.change_collection("keys", {"listRule": ""}), 200)
        # With GET the request line bounds them.
        self.assertEqual(self.ids("keys", filter=rule(400)), rows)
        self.check_error(self.server.get(path_of("keys"), query={"filter": rule(2000)}), 414)
        # A chain of comparisons is not nested by its length.
        self.assertEqual(self.ids("keys", filter="||".join(f"id='k{at}'" for at in range(2, 202))), rows)
        chain = "||".join(f"id='k{at}'" for at in range(2, 203))
        self.check_error(self.server.get(path_of("keys"), query={"filter": chain}), 400)

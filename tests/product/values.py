# SPDX-License-Identifier: Apache-2.0
"""What fields take and how it comes back: cases/values.jsonl, and what needs more than one field."""
import json
import random

from support import (RecordCase, expect, field, free_id, from_cases, insert, make_collection, open_data,
                     path_of, read_cases)


@from_cases("values.jsonl")
class Values(RecordCase):
    """All fields of the cases are in one collection, under names made of their definitions."""

    @classmethod
    def fixture(cls):
        cls.names = {}
        for case in read_cases("values.jsonl"):
            key = json.dumps(case["field"], sort_keys=True)
            cls.names.setdefault(key, f"f{len(cls.names)}")
        for key, name in cls.names.items():
            definition = json.loads(key)
            make_collection(cls.server, "c" + name, [{**definition, "name": name}])

    def check(self, case):
        name = self.names[json.dumps(case["field"], sort_keys=True)]
        body = f'{{"{name}":{case["send"]}}}'
        answer = self.server.post(path_of("c" + name), body, headers={"Content-Type": "application/json"})
        if "code" in case:
            self.check_error(answer, 400, field=name, code=case["code"])
            self.assertTrue(answer.json["data"][name]["message"])
            return
        expect(answer, 200)
        again = self.view("c" + name, answer.json["id"])
        for shown in (answer, again):
            if "digits" in case:
                self.assertIn(f'"{name}":{case["digits"]},'.encode(), shown.body.replace(b"}", b",}"))
            else:
                self.assertEqual(shown.json[name], case["stored"])
                self.assertIs(type(shown.json[name]) is bool, type(case["stored"]) is bool)


class Together(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "forms", [
            free_id(), field("name", required=True), field("age", "number", min=0), field("mail", "email"),
            field("day", "date"), field("kind", "select", values=["a"], maxSelect=1),
                                              field("n", "number", required=True),
            field("b", "bool", required=True), field("m", "number", nullable=True), field("data", "json")])

    def test_every_field_at_fault_is_named_at_once(self):
        answer = self.server.post(path_of("forms"), {"age": -1, "mail": "x", "day": "x", "kind": "z",
                                                     "n": "x"})
        self.check_error(answer, 400)
        self.assertEqual(set(answer.json["data"]), {"name", "age", "mail", "day", "kind", "n", "b"})
        for error in answer.json["data"].values():
            self.assertEqual(set(error), {"code", "message"})
        self.assertEqual(self.ids("forms", filter="age < 0"), [])

    def test_TYPE_10_required_means_present(self):
        body = {"name": "x", "n": 0, "b": False}
        record = expect(self.server.post(path_of("forms"), body), 200).json
        self.assertEqual((record["n"], record["b"], record["m"]), (0, False, None))
        self.check_error(self.server.post(path_of("forms"), {"name": "x", "b": False}), 400, field="n")
        self.check_error(self.server.post(path_of("forms"), {"name": "x", "n": 1, "b": None}), 400, field="b")
        changed = self.change("forms", record["id"], {"m": 0}).json
        self.assertEqual(changed["m"], 0)
        self.check_error(self.change("forms", record["id"], {"name": ""}), 400, field="name")
        self.check_error(self.change("forms", record["id"], {"n": None}), 400, field="n")
        # What a change does not name is not asked for.
        self.assertEqual(self.change("forms", record["id"], {"age": 3}).status, 200)

    def test_BATCH_01_each_record_stands_alone(self):
        first = expect(self.server.post(path_of("forms"), {"name": "x", "n": 1, "b": True, "m": 5}), 200).json
        second = expect(self.server.post(path_of("forms"), {"b": True, "n": 1, "name": "x"}), 200).json
        self.assertEqual((first["m"], second["m"]), (5, None))

    def test_TYPE_01_integers_keep_their_digits_on_every_path(self):
        make_collection(self.server, "ids", [free_id(), field("x", "number", onlyInt=True),
                                             field("j", "json")])
        numbers = [9007199254740993, 9007199254740992, 9223372036854775807, -9223372036854775808,
                   1152735103331642317]
        for at, number in enumerate(numbers):
            self.insert("ids", id=f"r{at}", x=number, j={"x": number})
        listed = self.page("ids", sort="id")["items"]
        self.assertEqual([item["x"] for item in listed], numbers)
        self.assertEqual([item["j"]["x"] for item in listed], numbers)
        for at, number in enumerate(numbers):
            self.assertEqual(self.ids("ids", filter=f"x = {number}"), [f"r{at}"])
            self.assertEqual(self.ids("ids", filter=f"j.x = {number}"), [f"r{at}"])
        self.assertEqual(self.ids("ids", sort="x"), ["r3", "r1", "r0", "r4", "r2"])
        self.assertEqual(self.walk("ids", 1, sort="x"), ["r3", "r1", "r0", "r4", "r2"])

    def test_S_40_a_number_of_2000_digits(self):
        make_collection(self.server, "sizes", [field("i", "number", onlyInt=True), field("r", "number"),
                                               field("j", "json")])
        for name, value, status in (("i", "9" * 2000, 400), ("r", "9" * 2000, 400), ("i", "1e400", 400),
                                    ("r", "0." + "1" * 2000, 200), ("j", "9" * 2000, 400),
                                    ("j", "9" * 300, 200)):
            answer = self.server.post(path_of("sizes"), f'{{"{name}":{value}}}',
                                      headers={"Content-Type": "application/json"})
            self.assertEqual(answer.status, status, (name, value[:10], answer.body[:200]))

    def test_random_values_come_back_as_they_were(self):
        source = random.Random(5)
        make_collection(self.server, "noise", [free_id(), field("t"), field("i", "number", onlyInt=True),
                                               field("r", "number"), field("j", "json")])

        def text():
            alphabets = ("abc", "'\"\\%_;-- ", "éÉßıİ", "日本語", "😀\u200d👩", "\t\n\r\x01\x7f", "\u2028\ufeff")
            return "".join(source.choice(source.choice(alphabets)) for _ in range(source.randint(0, 20)))

        def value(depth):
            kind = source.randint(0, 7 if depth else 5)
            if kind == 6:
                return [value(depth - 1) for _ in range(source.randint(0, 4))]
            if kind == 7:
                return {text(): value(depth - 1) for _ in range(source.randint(0, 4))}
            return (None, True, source.randint(-10**18, 10**18), source.uniform(-1e9, 1e9), text(), "")[kind]

        for number in range(200):
            sent = {"t": text(), "i": source.randint(-2**63, 2**63 - 1),
                    "r": source.choice((source.uniform(-1, 1), source.uniform(-1e300, 1e300),
                                        float(source.randint(0, 9)))),
                    "j": value(3)}
            made = expect(self.server.post(path_of("noise"), sent), 200).json
            seen = self.view("noise", made["id"]).json
            for name, expected in sent.items():
                self.assertEqual(seen[name], expected, (number, name))
                self.assertEqual(made[name], expected, (number, name))


class Untyped(RecordCase):
    """TYPE-09: what is no text is not shown as one."""

    def test_TYPE_09_a_blob_and_a_text_like_it_can_be_told_apart(self):
        make_collection(self.server, "things", [free_id(), field("data", "json")])
        insert(self.server, "things", id="a", data="/+4i")
        insert(self.server, "things", id="b", data={"$blob": "/+4i"})
        records = {item["id"]: item["data"] for item in self.page("things")["items"]}
        self.assertEqual(records, {"a": "/+4i", "b": {"$blob": "/+4i"}})
        with open_data(self.server) as file:
            self.assertEqual(file.execute("SELECT typeof(data) FROM things").fetchall(),
                             [("text",), ("text",)])

# SPDX-License-Identifier: Apache-2.0
"""Filters: cases/filters.jsonl on one fixture, and what needs data of its own."""
import contextlib
import datetime
import itertools
import random
import re
import sqlite3

from harness import Server
from support import RecordCase, expect, field, free_id, from_cases, insert, make_collection, path_of, relation

POSTS = {
    "p1": {"title": "Alpha", "note": "x", "n": 1, "r": 1.5, "m": 0, "ok": True, "day": "2024-01-15 10:00:00Z",
           "kind": "live", "kinds": ["draft", "live"], "data": {"a": 1, "b": {"c": "deep"}, "l": [1, 2]},
           "place": {"lon": 2.35, "lat": 48.85}, "author": "ann", "editors": ["bob"], "tags": ["red", "big"]},
    "p2": {"title": "beta", "note": "", "n": 2, "r": -2.25, "m": None, "ok": False,
           "day": "2024-02-29 23:59:59.999Z", "kind": "draft", "kinds": ["live"], "data": [1, 2, 3],
           "author": "bob", "editors": ["ann", "bob"], "tags": ["red"]},
    "p3": {"title": "ÉTÉ 100%", "note": None, "n": -3, "r": 0, "m": 5, "ok": True},
    "p4": {"title": "account_id", "note": "null", "n": 9007199254740993, "r": 1e10, "ok": False,
           "day": "1999-12-31 23:59:59.999Z", "kind": "gone", "kinds": ["gone"], "data": "text",
           "place": {"lon": 13.4, "lat": 52.5}, "author": "cy", "editors": ["cy"], "tags": ["old"]},
    "p5": {"title": "accountXid", "note": " ", "n": 9007199254740992, "r": 0.1, "m": -1, "ok": True,
           "day": "2023-08-06 05:00:00Z", "kind": "live", "kinds": ["draft", "live", "gone"],
           "data": {"a": "1"},
           "author": "ann", "editors": ["ann"], "tags": ["red", "old"]},
    "p6": {"title": "quote\"s 'n back\\slash", "note": "a,b", "n": 0, "r": 2, "m": 0, "ok": False,
           "day": "2024-01-15 10:00:00.001Z", "kind": "draft", "kinds": ["draft"], "data": False,
           "author": "bob", "editors": ["ann", "cy"], "tags": ["big"]},
}


@from_cases("filters.jsonl")
class Filters(RecordCase):
    @classmethod
    def fixture(cls):
        orgs = make_collection(cls.server, "orgs", [free_id(), field("name")])
        authors = make_collection(cls.server, "authors", [free_id(), field("name"), relation("org", orgs)])
        tags = make_collection(cls.server, "tags", [free_id(), field("name")])
        choices = ["draft", "live", "gone"]
        posts = make_collection(cls.server, "posts", [
            free_id(), field("title"), field("note", nullable=True), field("n", "number", onlyInt=True),
            field("r", "number"), field("m", "number", nullable=True), field("ok", "bool"),
                                                      field("day", "date"),
            field("kind", "select", values=choices, maxSelect=1),
                                                      field("kinds", "select", values=choices, maxSelect=3),
            field("data", "json"), field("place", "geoPoint"), relation("author", authors),
            relation("editors", authors, many=True), relation("tags", tags, many=True)])
        make_collection(cls.server, "comments", [free_id(), relation("post", posts), field("text"),
                                                 field("score", "number"), relation("by", authors)])
        rows = {
            "orgs": {"o1": {"name": "Acme"}, "o2": {"name": "Evil"}},
            "authors": {"ann": {"name": "Ann Lee", "org": "o1"}, "bob": {"name": "Bob Ünal"},
                        "cy": {"name": "Кирилл", "org": "o2"}},
            "tags": {name: {"name": name} for name in ("red", "big", "old")},
            "posts": POSTS,
            "comments": {"c1": {"post": "p1", "text": "good", "score": 5, "by": "ann"},
                         "c2": {"post": "p1", "text": "bad", "score": 1},
                         "c3": {"post": "p2", "text": "good", "score": 3}, "c4": {"text": "orphan"}},
        }
        for collection, records in rows.items():
            for key, record in records.items():
                insert(cls.server, collection, record, id=key)

    def check(self, case):
        collection = case.get("collection", "posts")
        answer = self.server.get(path_of(collection), query={"filter": case["filter"], "perPage": "100"})
        if "error" in case:
            self.check_error(answer, 400)
            # Whole words: "position 1" is not "position 13".
            self.assertRegex(answer.json["message"], rf"\b{re.escape(case['error'])}\b")
        else:
            found = [item["id"] for item in expect(answer, 200).json["items"]]
            self.assertEqual(sorted(found), sorted(case["ids"]))
            self.assertEqual(answer.json["totalItems"], len(found))


class Values(RecordCase):
    """A value in a filter means itself, whatever characters it has."""

    @classmethod
    def fixture(cls):
        make_collection(cls.server, "words", [field("word")])
        make_collection(cls.server, "sets", [free_id(), field("list", "select", maxSelect=7,
                                                              values=["a", "b", "c", "a,b", "{x}", "NULL",
                                                                      "null"])])

    def quoted(self, text):
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'

    def test_FILT_02_every_value_finds_its_own_row(self):
        words = ['a"b', "a'b", "back\\slash", "ends with \\", '"; or 1=1', 'x" || id != "', "x,y", ")", "(",
                 " end ",
                 "%", "_", "\\%", "tab\t", "new\nline", "é", "e\u0301", "😀", "// no comment", "@now", "null",
                 "\ufffd"]
        own = {word: self.insert("words", word=word)["id"] for word in words}
        for word, record in own.items():
            with self.subTest(word=word):
                self.assertEqual(self.ids("words", filter=f"word = {self.quoted(word)}"), [record])
                self.assertEqual(self.ids("words", filter=f"word in ({self.quoted(word)})"), [record])
                self.assertNotIn(record, self.ids("words", filter=f"word != {self.quoted(word)}"))

    def test_FILT_01_lists_of_values_with_commas_and_quotes(self):
        for word in ("x,y", "a,b", "x", "y"):
            self.insert("words", word="list " + word)
        pair = [self.insert("words", word=word)["id"] for word in ("list (1),\"2\"", "list '3' ")]
        found = self.ids("words", filter='word in ("list x,y", "list a,b")')
        self.assertEqual(len(found), 2)
        found = self.ids("words", filter="word in (\"list (1),\\\"2\\\"\", 'list \\'3\\' ')")
        self.assertEqual(sorted(found), sorted(pair))

    def test_FILT_03_an_element_with_a_comma_is_one_element(self):
        rows = {"r1": ["a,b", "c"], "r2": ["a", "b", "c"], "r3": ["{x}"], "r4": ["NULL"], "r5": ["null"],
                "r6": []}
        for key, value in rows.items():
            self.insert("sets", id=key, list=value)
        for element, expected in (("a,b", ["r1"]), ("{x}", ["r3"]), ("NULL", ["r4"]), ("null", ["r5"]),
                                  ("a", ["r2"]), ("", [])):
            with self.subTest(element=element):
                found = self.ids("sets", filter=f"list ?= {self.quoted(element)}")
                # A list without elements counts as one row of nothing, which is equal to empty.
                self.assertEqual([key for key in found if element or key != "r6"], expected)


class Logic(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "truth", [free_id()] + [field(name, "bool") for name in "abcd"])
        for bits in itertools.product((False, True), repeat=4):
            key = "".join("1" if bit else "0" for bit in bits)
            insert(cls.server, "truth", dict(zip("abcd", bits)), id=key)

    def check(self, text, python):
        expected = [key for key in ("".join(bits) for bits in itertools.product("01", repeat=4))
                    if eval(python, {name: bit == "1" for name, bit in zip("abcd", key)})]  # our own text
        self.assertEqual(self.ids("truth", filter=text, sort="id"), expected, text)

    def test_FILT_08_precedence(self):
        for text in ("a && b || c && d", "a || b && c", "!a || b && !c", "(a || b) && c",
                     "!(a || b) && c || d",
                     "a || (b && (c || !d))", "!(a && !(b || !c))"):
            self.check(text, text.replace("&&", " and ").replace("||", " or ").replace("!", " not "))

    def test_FILT_08_random_expressions_agree_with_a_reference(self):
        source = random.Random(8)

        def expression(depth):
            """The same condition for us and for Python."""
            if depth == 0 or source.random() < 0.2:
                name, value = source.choice("abcd"), source.random() < 0.5
                sign = source.choice(("=", "!="))
                python = "==" if sign == "=" else "!="
                return f"{name} {sign} {str(value).lower()}", f"({name} {python} {value})"
            if source.random() < 0.2:
                inner, python = expression(depth - 1)
                return f"!({inner})", f"(not {python})"
            parts = [expression(depth - 1) for _ in range(source.randint(2, 3))]
            word = source.choice((("&&", " and "), ("||", " or ")))
            return (f"({f' {word[0]} '.join(ours for ours, _ in parts)})",
                    f"({word[1].join(python for _, python in parts)})")

        for _ in range(100):
            self.check(*expression(4))


class Sizes(RecordCase):
    """Long filters: they work up to a limit that is told, and are 400 beyond."""

    @classmethod
    def fixture(cls):
        make_collection(cls.server, "numbers", [free_id(), field("n", "number", onlyInt=True)])
        for number in range(20):
            insert(cls.server, "numbers", id=f"n{number}", n=number)

    def answer(self, filter_text):
        return self.server.get(path_of("numbers"), query={"filter": filter_text, "perPage": 100})

    def test_FILT_09_a_list_of_as_many_values_as_the_request_line_takes(self):
        for count in (998, 999, 1000, 1001):
            values = ",".join(str(number) for number in range(10, 10 + count))
            answer = self.server.get(f"{path_of('numbers')}?perPage=100&filter=n%20in%20({values})")
            self.assertEqual(len(expect(answer, 200).json["items"]), 10, count)

    def test_FILT_09_a_list_beyond_the_request_line_is_414_and_the_server_goes_on(self):
        values = ",".join(str(number) for number in range(100_000))
        self.assertIn(self.answer(f"n in ({values})").status, (400, 414))
        self.assertEqual(self.answer("n in (1)").status, 200)

    def test_FILT_10_chains_of_or(self):
        chain = " || ".join(f"n={number}" for number in range(200))
        self.assertEqual(len(expect(self.answer(chain), 200).json["items"]), 20)
        chain = "||".join(f"n={number}" for number in range(201))
        self.check_error(self.answer(chain), 400)
        # Longer than the request line: refused before the filter is looked at.
        chain = "||".join("n=1" for _ in range(999))
        self.check_error(self.answer(chain), 414)

    def test_FILT_10_pairs(self):
        pairs = " || ".join(f"(n={number} && id='n{number}')" for number in range(100))
        self.assertEqual(len(expect(self.answer(pairs), 200).json["items"]), 20)

    def test_nesting(self):
        self.assertEqual(self.answer("(" * 20 + "n=1" + ")" * 20).status, 200)
        for depth in (21, 100, 1000):
            self.check_error(self.answer("(" * depth + "n=1" + ")" * depth), 400)
            self.check_error(self.answer("!" * depth + "(n=1)"), 400)

    def test_characters(self):
        filler = "n = 1 // "
        self.assertEqual(self.answer(filler + "x" * (3500 - len(filler))).status, 200)
        self.check_error(self.answer(filler + "x" * (3501 - len(filler))), 400)

    def test_steps_along_relations(self):
        loop = self.collection("loops", [free_id(), field("name")])
        self.assertEqual(self.change_collection("loops", {
            "fields": loop["fields"] + [relation("up", loop)]}).status, 200)
        previous = ""
        for number in range(8):
            self.insert("loops", id=f"l{number}", name=f"name {number}", up=previous)
            previous = f"l{number}"
        self.assertEqual(self.ids("loops", filter="up.up.up.up.up.up.name = 'name 1'"), ["l7"])
        self.check_error(self.server.get(path_of("loops"), query={"filter": "up." * 7 + "name = 'name 0'"}),
                         400)


class Clock(RecordCase):
    def test_macros_are_the_time_in_UTC(self):
        self.collection("events", [free_id(), field("at", "date")])
        now = datetime.datetime.now(datetime.timezone.utc)
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        times = {"lastyear": day.replace(month=1, day=1) - datetime.timedelta(milliseconds=1),
                 "yearstart": day.replace(month=1, day=1), "todaystart": day,
                 "todayend": day + datetime.timedelta(days=1, milliseconds=-1),
                 "tomorrow": day + datetime.timedelta(days=1), "hence": now + datetime.timedelta(hours=1),
                 "ago": now - datetime.timedelta(hours=1)}
        for key, time in times.items():
            self.insert("events", id=key, at=time.isoformat(timespec="milliseconds"))
        if datetime.datetime.now(datetime.timezone.utc).date() != now.date():
            self.skipTest("midnight passed")
        for macro, expected in (("@todayStart", "todaystart"), ("@todayEnd", "todayend"),
                                ("@yearStart", "yearstart")):
            self.assertIn(expected, self.ids("events", filter=f"at = {macro}"))
        later = self.ids("events", filter="at > @now")
        self.assertIn("hence", later)
        self.assertNotIn("ago", later)
        self.assertIn("lastyear", self.ids("events", filter="at < @yearStart"))
        self.assertNotIn("yearstart", self.ids("events", filter="at < @yearStart"))
        self.assertEqual(len(self.ids("events", filter=f"@year = {now.year} && @month = {now.month}")),
                         len(times))
        # Sunday is 0.
        self.assertEqual(len(self.ids("events", filter=f"@weekday = {now.isoweekday() % 7}")), len(times))


class Large(RecordCase):
    """FILT-12: many rows, put into the file while no server runs."""
    rows = 20_000

    @classmethod
    def fixture(cls):
        tags = make_collection(cls.server, "tags", [free_id(), field("name")])
        make_collection(cls.server, "posts", [free_id(), field("title"), relation("tags", tags, many=True)])
        for number in range(8):
            insert(cls.server, "tags", id=f"t{number}", name=f"t{number}")
        insert(cls.server, "posts", id="first", title="first", tags=["t1"])
        cls.server.stop()
        with contextlib.closing(sqlite3.connect(cls.server.directory / "data.db")) as file, file:
            columns = [row[1] for row in file.execute("PRAGMA table_info(posts)")]
            version = file.execute("SELECT max(_v) FROM posts").fetchone()[0]
            rows = [{"id": f"p{number}", "title": f"post {number}", "_v": version}
                    for number in range(cls.rows)]
            file.executemany(f"INSERT INTO posts ({', '.join(columns)}) VALUES "
                             f"({', '.join(':' + name for name in columns)})", rows)
            links = [(f"p{number}", position, f"t{(number + position) % 8}")
                     for number in range(cls.rows) for position in range(2)]
            file.executemany("INSERT INTO posts__tags (owner, position, target) VALUES (?, ?, ?)", links)
        cls.server.start()

    def seconds(self, filter_text):
        begun = datetime.datetime.now()
        page = self.page("posts", filter=filter_text, perPage=1)
        return (datetime.datetime.now() - begun).total_seconds(), page["totalItems"]

    def test_FILT_12_a_relation_condition_written_twice_costs_about_as_much_as_once(self):
        self.seconds('tags.name ?= "t1"')
        once, total = self.seconds('tags.name ?= "t1"')
        self.assertEqual(total, self.rows // 4 + 1)
        twice, same = self.seconds('tags.name ?= "t1" || tags.name ?= "t1"')
        self.assertEqual(same, total)
        self.assertLess(twice, once * 10 + 0.5)
        five = " || ".join(f'tags ?= "t{number}"' for number in range(5))
        spent, total = self.seconds(five)
        self.assertEqual(total, self.rows * 6 // 8 + 1)
        self.assertLess(spent, once * 20 + 1)

    def test_LOCK_02_a_slow_list_leaves_the_others_alone(self):
        self.assertEqual(len(self.ids("posts", filter='title ~ "post 1999"', sort="id")), 11)
        self.assertEqual(self.server.get("/api/health").status, 200)


class Restarted(RecordCase):
    def test_TYPE_13_the_locale_of_the_process_does_not_show(self):
        for locale in ("de_DE.UTF-8", "tr_TR.UTF-8"):
            with Server(environment={"LC_ALL": locale, "TZ": "Asia/Kathmandu"}) as server:
                make_collection(server, "prices", [free_id(), field("d", "number"), field("at", "date"),
                                                   field("name")])
                for key, number in (("a", 7.0), ("b", 84.3), ("c", 13.4), ("d", 3), ("e", 3.00), ("f", -2)):
                    insert(server, "prices", id=key, d=number, at="2024-06-01T00:30:00Z", name="TITLE")
                path = path_of("prices")
                items = server.get(path, query={"sort": "d,id"}).json["items"]
                self.assertEqual([item["id"] for item in items], ["f", "d", "e", "a", "c", "b"])
                self.assertEqual(items[5]["d"], 84.3)
                self.assertEqual(items[0]["at"], "2024-06-01 00:30:00.000Z")
                self.assertEqual(server.get(path, query={"filter": "d > 9.5"}).json["totalItems"], 2)
                self.assertEqual(server.get(path, query={"filter": "d = 3"}).json["totalItems"], 2)
                self.assertEqual(server.get(path, query={"filter": 'name ~ "title"'}).json["totalItems"], 6)

# SPDX-License-Identifier: Apache-2.0
"""Requests that nobody would write: never a 5xx, always an answer in the wire's form, the server alive.

QUERN_FUZZ_SEED and QUERN_FUZZ_ROUNDS choose other requests and more of them."""
import json
import os
import random
from urllib.parse import quote

from support import RecordCase, field, free_id, insert, make_collection, path_of, relation

SEED = int(os.environ.get("QUERN_FUZZ_SEED", "1"))
ROUNDS = int(os.environ.get("QUERN_FUZZ_ROUNDS", "500"))

PIECES = ["title", "n", "m", "ok", "day", "kinds", "data", "place", "author", "tags", "posts_via_author",
          "name", "id", "nope",
          "data.a.b", "author.name", "tags.name", "author.posts_via_author.title", "place.lon", "@now",
          "@todayStart", "@nope",
          "@request.auth.id", "@collection.posts.title", "@rowid", "@random", "=", "!=", ">", ">=", "<", "<=",
          "~", "!~", "?=",
          "?!=", "?>", "?~", "?!~", "&&", "||", "!", "(", ")", "in (", "not in (", ",", "1", "-1.5", "1e308",
          "1e-400",
          "9223372036854775807", "9223372036854775808", "true", "false", "null", "'x'", '"y"', '"%a%"',
          "'\\%'", '"\\u00e9"',
          "'", '"', "\\", "//", "\n", " ", ":length", ":each", ":lower", ":isset", ":changed", ":nope",
          "geoDistance(",
          "strftime(", "'%Y'", "'now'", "+", "-", "*", "/", ";", "--", "\0", "é", "😀", "\ufeff", "[0]", ".",
          "..", "$", "{", "}"]
VALUES = [None, True, False, 0, -0.0, 1, -1, 2**53 + 1, 2**63 - 1, 2**63, -2**63 - 1, 1.5, 1e308, "", " ",
          "x", "\0", "é",
          "\ud83d\ude00", "null", "0", "1e5", "2024-02-30", "2024-02-29T00:00:00+14:00", [], [[]], ["x"],
          ["x", "x"], [1, None],
          {}, {"": 0}, {"lon": 1, "lat": 2}, {"lon": "x"}, {"a": {"b": 1}}, "x" * 10_000, "a" * 15, "ann",
          ["ann"]]
KEYS = ["title", "n", "i", "m", "ok", "day", "kinds", "data", "place", "author", "tags", "id", "nope",
        "created", "expand", "_v",
        "collectionId", ""]


class Fuzz(RecordCase):
    @classmethod
    def fixture(cls):
        authors = make_collection(cls.server, "authors", [free_id(), field("name")])
        tags = make_collection(cls.server, "tags", [free_id(), field("name")])
        make_collection(cls.server, "posts", [
            free_id(), field("title", max=50), field("n", "number"), field("i", "number", onlyInt=True),
            field("m", "number", nullable=True), field("ok", "bool"), field("day", "date"),
            field("kinds", "select", values=["x", "y"], maxSelect=2), field("data", "json"),
                                              field("place", "geoPoint"),
            relation("author", authors), relation("tags", tags, many=True),
                                              field("created", "autodate", onCreate=True)])
        insert(cls.server, "authors", id="ann", name="Ann")
        insert(cls.server, "tags", id="red", name="red")
        for number in range(20):
            insert(cls.server, "posts", id=f"p{number}", title=f"title {number}", n=number / 2, i=number,
                   author="ann",
                   tags=["red"], kinds=["x"], data={"a": {"b": number}}, day="2024-01-01")

    def judge(self, answer, what):
        self.assertLess(answer.status, 500, f"seed {SEED}: {what!r}: {answer.body[:500]!r}")
        if answer.status >= 400:
            self.assertEqual(set(answer.json), {"status", "message", "data"}, what)
            self.assertEqual(answer.json["status"], answer.status)
            for word in ("SELECT ", "sqlite", "no such column", "syntax error near", "data.db", ".cpp"):
                self.assertNotIn(word, answer.text, what)
        elif answer.body:
            answer.json  # it parses

    def tearDown(self):
        self.assertEqual(self.server.get("/api/health").status, 200)
        self.assertEqual(self.server.process.poll(), None)

    def text(self, source, most=12):
        return source.choice(("", " ")).join(source.choice(PIECES) for _ in range(source.randint(1, most)))

    def expression(self, source, depth=3):
        """A filter that has a chance of being one."""
        if depth and source.random() < 0.5:
            parts = [self.expression(source, depth - 1) for _ in range(source.randint(1, 3))]
            return source.choice(("", "!")) + "(" + source.choice((" && ", " || ")).join(parts) + ")"
        left = source.choice(PIECES[:26]) + source.choice(("", "", "", ":length", ":lower", ":each"))
        right = source.choice(["1", "0", "'x'", '""', "null", "true", "-1.5", "@now", "title", "author.name",
                               "'2024-01-01'",
                               "'%a_'", "9223372036854775807", "data.a"])
        if source.random() < 0.2:
            other = source.choice(("1", "null", '""'))
            return f"{left} {source.choice(('in', 'not in'))} ({right}, {other})"
        return f"{left} {source.choice(PIECES[30:45])} {right}"

    def test_filters(self):
        source = random.Random(SEED)
        good = 0
        for number in range(ROUNDS):
            text = self.expression(source) if number % 2 else self.text(source)
            answer = self.server.get(path_of("posts"), query={"filter": text, "perPage": 3})
            self.judge(answer, text)
            good += answer.status == 200
        self.assertGreater(good, ROUNDS / 20, "hardly a filter was one")

    def test_a_filter_and_its_negation_share_nothing(self):
        source = random.Random(SEED + 1)
        for _ in range(ROUNDS // 2):
            text = self.expression(source, 2)
            answer = self.server.get(path_of("posts"), query={"filter": text, "fields": "id"})
            if answer.status != 200:
                continue
            other = self.server.get(path_of("posts"), query={"filter": f"!({text})", "fields": "id"})
            self.judge(other, text)
            if other.status != 200:
                continue
            ids = [{item["id"] for item in page.json["items"]} for page in (answer, other)]
            self.assertEqual(ids[0] & ids[1], set(), text)
            self.assertEqual(len(ids[0] | ids[1]), 20, text)

    def test_sorts_fields_expands_and_pages(self):
        source = random.Random(SEED + 2)
        for _ in range(ROUNDS):
            names = source.sample(["sort", "fields", "expand", "page", "perPage", "cursor", "skipTotal",
                                   "nope"],
                                  source.randint(1, 3))
            query = {name: self.text(source, 5) if source.random() < 0.7 else source.choice(
                ["-n,title", "id,tags.name", "author,tags", "posts_via_author", "1", "1000", "",
                 "id,title:excerpt(3,true)"])
                for name in names}
            self.judge(self.server.get(path_of("posts"), query=query), query)
            self.judge(self.server.get(path_of("posts", "p1"), query=query), query)

    def body(self, source):
        body = {}
        for _ in range(source.randint(0, 5)):
            key = source.choice(KEYS)
            key = source.choice((key, key, key, key + "+", "+" + key, key + "-"))
            body[key] = source.choice(VALUES)
        return body

    def test_bodies(self):
        source = random.Random(SEED + 3)
        for _ in range(ROUNDS):
            body = self.body(source)
            data = json.dumps(body)
            if source.random() < 0.2:
                at = source.randrange(len(data) + 1)
                data = data[:at] + source.choice(["", ",", "}", "\x00", "1e999", "\\u", '"',
                                                  "[" * 200]) + data[at + 1:]
            headers = {"Content-Type": "application/json"}
            self.judge(self.server.post(path_of("posts"), data, headers=headers), data)
            self.judge(self.server.patch(path_of("posts", "p1"), data, headers=headers), data)
        page = self.server.get(path_of("posts"), query={"perPage": 1000})
        self.judge(page, "the list of all that was stored")
        self.assertEqual(page.status, 200)

    def test_collections(self):
        source = random.Random(SEED + 4)
        kinds = ["text", "number", "bool", "email", "url", "date", "autodate", "select", "json", "file",
                 "relation", "password",
                 "editor", "geoPoint", "nope", None, 7]
        for number in range(ROUNDS // 5):
            fields = []
            for _ in range(source.randint(0, 4)):
                item = {"name": source.choice([*KEYS, f"f{source.randint(0, 3)}"]),
                        "type": source.choice(kinds)}
                for option in source.sample(["min", "max", "required", "nullable", "hidden", "values",
                                             "maxSelect", "collectionId",
                                             "pattern", "onlyInt", "id", "system", "primaryKey", "maxSize"],
                                            3):
                    item[option] = source.choice(VALUES)
                fields.append(item)
            body = {"name": source.choice([f"made{number % 7}", "posts", source.choice(PIECES)]),
                    "type": "base", "fields": fields}
            for member in source.sample(["listRule", "viewRule", "createRule", "indexes", "id", "system",
                                         "type", "fields"], 2):
                body[member] = source.choice([self.text(source, 4), source.choice(VALUES),
                                              [self.text(source, 4)]])
            name = f"/api/collections/made{source.randint(0, 6)}"
            self.judge(self.server.post("/api/collections", body, token=self.token), body)
            self.judge(self.server.patch(name, body, token=self.token), body)
            self.judge(self.server.get(name + "/records"), body)
            self.judge(self.server.put("/api/collections/import", {"collections": [body]}, token=self.token),
                       body)
        self.assertEqual(self.server.get("/api/collections", token=self.token).status, 200)

    def test_paths(self):
        source = random.Random(SEED + 5)
        words = ["api", "collections", "posts", "records", "p1", "import", "meta", "scaffolds",
                 "auth-refresh", "truncate", "health",
                 "..", ".", "", "%00", "%2F", "%", "%zz", "%FF", "é", "a b", "_superusers", "~", "*", "'",
                 "x" * 300]
        for _ in range(ROUNDS):
            path = "/" + "/".join(source.choice(words) for _ in range(source.randint(0, 7)))
            path = quote(path, safe="/%'*~.") + source.choice(("", "?", "?a", "?=", "?&&", "?perPage=1",
                                                               "?%zz=1"))
            method = source.choice(("GET", "HEAD", "POST", "PUT", "PATCH", "OPTIONS"))
            answer = self.server.request(method, path, None if method in ("GET", "HEAD", "OPTIONS") else {})
            if method == "HEAD":
                self.assertLess(answer.status, 500, path)
            else:
                self.judge(answer, (method, path))

# SPDX-License-Identifier: Apache-2.0
"""Lists: order, pages, cursors."""
import base64

from support import RecordCase, field, free_id, insert, make_collection, path_of, relation


class Pages(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "items", [free_id(), field("n", "number", onlyInt=True)])
        for number in range(45):
            insert(cls.server, "items", id=f"i{number:02}", n=number)
        make_collection(cls.server, "none", [field("x")])

    def test_the_form_of_a_list(self):
        page = self.page("items", sort="n")
        self.assertEqual(list(page), ["page", "perPage", "totalItems", "totalPages", "items"])
        self.assertEqual((page["page"], page["perPage"], page["totalItems"], page["totalPages"]),
                         (1, 30, 45, 2))
        self.assertEqual([item["n"] for item in page["items"]], list(range(30)))
        page = self.page("items", sort="n", page=2)
        self.assertEqual((page["page"], [item["n"] for item in page["items"]]), (2, list(range(30, 45))))
        page = self.page("items", page=3)
        self.assertEqual((page["items"], page["totalItems"]), ([], 45))
        page = self.page("none")
        self.assertEqual((page["items"], page["totalItems"], page["totalPages"]), ([], 0, 0))

    def test_totals(self):
        page = self.page("items", filter="n < 10", perPage=4)
        self.assertEqual((page["totalItems"], page["totalPages"], len(page["items"])), (10, 3, 4))
        page = self.page("items", filter="n < 10", perPage=4, skipTotal=1)
        self.assertEqual((page["totalItems"], page["totalPages"], len(page["items"])), (-1, -1, 4))
        self.assertEqual(self.page("items", skipTotal="true")["totalItems"], -1)
        self.assertEqual(self.page("items", skipTotal=0)["totalItems"], 45)
        self.check_error(self.server.get(path_of("items"), query={"skipTotal": "maybe"}), 400)

    def test_every_page_once(self):
        for per_page in (1, 7, 44, 45, 46):
            seen = []
            for number in range(1, -(-45 // per_page) + 1):
                seen += self.ids("items", perPage=per_page, page=number)
            self.assertEqual(len(seen), 45)
            self.assertEqual(len(set(seen)), 45)

    def test_PAGE_07_sizes(self):
        for value, shown in (("1", 1), ("501", 501), ("1000", 1000), ("1001", 1000), ("1000000000", 1000),
                             ("2147483648", 1000), ("9223372036854775807", 1000)):
            page = self.page("items", perPage=value)
            self.assertEqual((page["perPage"], len(page["items"])), (shown, min(shown, 45)), value)
        page = self.page("items", perPage=0)
        self.assertEqual((page["perPage"], page["items"], page["totalItems"]), (0, [], 45))
        for value in ("-1", "", "abc", "1.5", "+1", " 1", "1 ", "0x10", "1e3", "9223372036854775808", "٣",
                      "1;"):
            self.check_error(self.server.get(path_of("items"), query={"perPage": value}), 400,
                             field="perPage")

    def test_PAGE_07_numbers_of_pages(self):
        for value in ("0", "-2", "", "abc", "9223372036854775808", "1.0"):
            self.check_error(self.server.get(path_of("items"), query={"page": value}), 400, field="page")
        for value in ("9223372036854775807", "4611686018427387904", "1000000000"):
            answer = self.server.get(path_of("items"), query={"page": value, "perPage": 1000})
            if answer.status == 200:
                self.assertEqual(answer.json["items"], [])
            else:
                self.check_error(answer, 400, field="page")

    def test_PAGE_08_random_order(self):
        self.assertEqual(sorted(self.ids("items", sort="@random")), [f"i{number:02}" for number in range(45)])
        orders = {tuple(self.ids("items", sort="@random", perPage=5)) for _ in range(10)}
        self.assertGreater(len(orders), 1)
        # It cannot be walked by cursor: there is no place in it to go on from.
        answer = self.server.get(path_of("items"), query={"sort": "@random", "cursor": "", "perPage": 10})
        self.check_error(answer, 400)


class Order(RecordCase):
    @classmethod
    def fixture(cls):
        people = make_collection(cls.server, "people", [free_id(), field("name"), field("age", "number")])
        make_collection(cls.server, "posts", [
            free_id(), field("title"), field("n", "number", nullable=True), field("ok", "bool"),
                                              field("secret", hidden=True),
            relation("author", people), relation("readers", people, many=True), field("data", "json")])
        for key, name, age in (("ann", "Ann", 30), ("bob", "Bob", 20)):
            insert(cls.server, "people", id=key, name=name, age=age)
        rows = (("d", "x", 2, True, "ann"), ("b", "X", None, False, "bob"), ("c", "a", 1, True, ""),
                ("a", "x", 1, False, "bob"))
        for key, title, number, flag, author in rows:
            insert(cls.server, "posts", id=key, title=title, n=number, ok=flag, author=author, secret=key)

    def test_orders(self):
        for sort, expected in (("id", "abcd"), ("-id", "dcba"), ("+id", "abcd"), ("title,id", "bcad"),
                               ("-title,id", "adcb"),
                               ("title,-id", "bcda"), ("n,id", "bacd"), ("-n,id", "dacb"), ("ok,id", "abcd"),
                               ("-ok,-id", "dcba"), (" n , -id ", "bcad"), ("@rowid", "dbca"),
                               ("-@rowid", "acbd"),
                               ("author.name,id", "cdab"), ("-author.age,id", "dabc"),
                               ("author.age,-id", "cbad"),
                               ("n", "bacd"), ("-n", "dacb"), ("-ok", "cdab"), ("", None)):
            with self.subTest(sort=sort):
                found = self.ids("posts", sort=sort)
                if expected is None:
                    self.assertEqual(sorted(found), list("abcd"))
                elif sort.count(",") == 0 and sort.strip("+-") in ("n", "ok"):
                    # The primary key is always the last key; its direction is the server's choice.
                    other = {"n": {"bacd", "bcad"}, "-n": {"dacb", "dcab"},
                             "-ok": {"cdab", "dcba", "cdba", "dcab"}}[sort]
                    self.assertIn("".join(found), other)
                else:
                    self.assertEqual("".join(found), expected)

    def test_PAGE_05_by_a_field_that_is_not_shown(self):
        items = self.page("posts", sort="-n,id", fields="id,title")["items"]
        self.assertEqual([item["id"] for item in items], list("dacb"))
        self.assertEqual(set(items[0]), {"id", "title"})
        self.assertEqual(self.walk("posts", 1, sort="-n,id", fields="id"), list("dacb"))
        self.assertEqual(self.walk("posts", 2, sort="author.name,id", fields="id,title"), list("cdab"))

    def test_PAGE_05_S_08_by_a_hidden_field(self):
        self.check_error(self.server.get(path_of("posts"), query={"sort": "secret"}), 400)
        self.assertEqual("".join(self.ids("posts", sort="-secret", token=self.token)), "dcba")

    def test_PAGE_09_what_is_no_order(self):
        for sort in ("title:asc$", "-nope", "ID", "title;drop", "(case when 1 then 1 end)", ",,", "--title",
                     "-", "title desc",
                     "title,,id", "1", "'title'", "author.nope", "readers.name", "title.x", "@nope",
                     "a" * 2000, "\0",
                     ",".join(["title"] * 200), ",".join(f"n{number}" for number in range(500)), "title`",
                     'title"'):
            with self.subTest(sort=sort[:40]):
                answer = self.server.get(path_of("posts"), query={"sort": sort})
                self.check_error(answer, 400)
                for word in ("SELECT", "SQL", "sqlite", "data.db", "ORDER BY", "no such column"):
                    self.assertNotIn(word, answer.text)

    def test_PAGE_09_a_key_twice(self):
        answer = self.server.get(path_of("posts"), query={"sort": "title,title,id"})
        if answer.status == 200:
            self.assertEqual([item["id"] for item in answer.json["items"]], list("bcad"))
        else:
            self.check_error(answer, 400)


class Cursors(RecordCase):
    @classmethod
    def fixture(cls):
        others = make_collection(cls.server, "others", [free_id(), field("name", nullable=True)])
        make_collection(cls.server, "rows", [
            free_id(), field("key", nullable=True), field("n", "number", nullable=True), field("at", "date"),
            field("title"), relation("other", others)])
        for key, name in (("x", "same"), ("y", "same"), ("z", None)):
            insert(cls.server, "others", id=key, name=name)
        values = [None, "null", "None", "", "a", "a", "b", None, None, "é", None, "a", None, "B",
                  "\U0001f600"]
        for number in range(30):
            insert(cls.server, "rows", id=f"r{number:02}", key=values[number % 15],
                   n=(None, 1, 1.5, 2)[number % 4],
                   at="2024-05-05T05:05:05.123456Z", title="same", other=("x", "y", "z", "")[number % 4])

    def test_the_form(self):
        page = self.page("rows", cursor="", perPage=7)
        self.assertEqual(set(page), {"perPage", "totalItems", "totalPages", "nextCursor", "items"})
        self.assertEqual((page["totalItems"], page["totalPages"], len(page["items"])), (-1, -1, 7))
        self.assertTrue(page["nextCursor"])
        page = self.page("rows", cursor="", perPage=31)
        self.assertEqual((page["nextCursor"], len(page["items"])), ("", 30))

    def test_PAGE_02_a_nullable_key_in_every_direction_and_size(self):
        for sort in ("key", "-key", "key,-n", "-n,key", "n,-id", "-at", "other.name", "-other.name,key",
                     "@rowid", "-@rowid", ""):
            whole = self.ids("rows", sort=sort)
            self.assertEqual(len(whole), 30)
            for per_page in (1, 2, 3, 7, 30):
                with self.subTest(sort=sort, per_page=per_page):
                    self.assertEqual(self.walk("rows", per_page, sort=sort), whole)

    def test_PAGE_02_with_a_filter(self):
        for text in ("key = null", 'key != null && n > 1', 'other.name = "same"'):
            self.assertEqual(self.walk("rows", 2, sort="-key", filter=text),
                             self.ids("rows", sort="-key", filter=text))

    def test_PAGE_03_equal_keys(self):
        for sort in ("at", "-at", "title,at"):
            for per_page in (2, 10):
                found = self.walk("rows", per_page, sort=sort)
                self.assertEqual(len(found), 30)
                self.assertEqual(len(set(found)), 30)

    def test_PAGE_02_the_row_of_the_cursor_goes(self):
        make_collection(self.server, "moving", [free_id(), field("n", "number", nullable=True)])
        for number in range(10):
            self.insert("moving", id=f"m{number}", n=None if number < 4 else number)
        page = self.page("moving", cursor="", perPage=3, sort="n,id")
        self.assertEqual([item["id"] for item in page["items"]], ["m0", "m1", "m2"])
        self.remove("moving", "m2")
        self.insert("moving", id="m2a", n=None)
        page = self.page("moving", cursor=page["nextCursor"], perPage=3, sort="n,id")
        self.assertEqual([item["id"] for item in page["items"]], ["m2a", "m3", "m4"])

    def test_PAGE_03_a_tampered_or_foreign_cursor_is_400(self):
        make_collection(self.server, "elsewhere", [free_id(), field("key", nullable=True)])
        cursor = self.page("rows", cursor="", perPage=2, sort="key")["nextCursor"]
        good = {"cursor": cursor, "perPage": 2, "sort": "key"}
        self.assertEqual(len(self.page("rows", **good)["items"]), 2)
        bad = [{"cursor": "x"}, {"cursor": cursor[:-1]}, {"cursor": cursor + "A"}, {"cursor": cursor[::-1]},
               {"cursor": "é"},
               {"cursor": "A" * 7000}, {"sort": "-key"}, {"sort": ""}, {"filter": "n = 1"}, {"page": 2}]
        for at in range(0, len(cursor), 5):
            bad.append({"cursor": cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1:]})
        for change in bad:
            with self.subTest(change=change):
                self.check_error(self.server.get(path_of("rows"), query={**good, **change}), 400)
        self.check_error(self.server.get(path_of("elsewhere"), query=good), 400)
        # Bound to the caller, too.
        self.check_error(self.server.get(path_of("rows"), query=good, token=self.token), 400)
        # How much a page takes may change on the way.
        self.assertEqual(len(self.page("rows", **{**good, "perPage": 5})["items"]), 5)

    def test_a_cursor_tells_nothing_of_its_values(self):
        make_collection(self.server, "unseen", [free_id(), field("key"), field("n", "number")])
        for number in range(6):
            self.insert("unseen", id=f"record{number}", key=f"confidential-{number}",
                        n=1_234_567_890 + number)
        query = {"cursor": "", "perPage": 2, "sort": "key,n", "fields": "id"}
        cursor = self.page("unseen", **query)["nextCursor"]
        self.assertRegex(cursor, "^[A-Za-z0-9_-]+$")
        sealed = base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))
        for part in (b"confidential", b"record", (1_234_567_891).to_bytes(8, "little"), b"key"):
            self.assertNotIn(part, sealed)
        # The same place gives the same cursor, so that an answer that has not changed keeps its tag.
        first = self.server.get(path_of("unseen"), query=query)
        again = self.server.get(path_of("unseen"), query=query,
                                headers={"If-None-Match": first.headers["etag"]})
        self.assertEqual((first.json["nextCursor"], again.status), (cursor, 304))
        for at in range(len(cursor)):
            changed = cursor[:at] + ("A" if cursor[at] != "A" else "B") + cursor[at + 1:]
            answer = self.server.get(path_of("unseen"), query={**query, "cursor": changed})
            self.check_error(answer, 400, field="cursor")

    def test_a_cursor_never_shows_more_than_the_rule(self):
        make_collection(self.server, "ruled", [free_id(), field("n", "number")], listRule="n < 5")
        for number in range(10):
            self.insert("ruled", id=f"q{number}", n=number)
        self.assertEqual(self.walk("ruled", 2, sort="-n"), ["q4", "q3", "q2", "q1", "q0"])

    def test_cursors_outlive_a_restart_or_are_refused(self):
        cursor = self.page("rows", cursor="", perPage=2, sort="id")["nextCursor"]
        self.server.restart()
        answer = self.server.get(path_of("rows"), query={"cursor": cursor, "perPage": 2, "sort": "id"})
        if answer.status == 200:
            self.assertEqual([item["id"] for item in answer.json["items"]], ["r02", "r03"])
        else:
            self.check_error(answer, 400)

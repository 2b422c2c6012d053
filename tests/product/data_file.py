# SPDX-License-Identifier: Apache-2.0
"""The data file is an SQLite database that makes sense to whoever opens it."""
import contextlib
import os
import socket
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from harness import BINARY, ProductCase, Server
from support import RecordCase, field, free_id, insert, make_collection, open_data, path_of, relation


class DataFile(RecordCase):

    @classmethod
    def fixture(cls):
        tags = make_collection(cls.server, "tags", [free_id(), field("name")])
        make_collection(cls.server, "posts", [
            free_id(), field("title"), field("n", "number", onlyInt=True), field("r", "number"),
                                              field("ok", "bool"),
            field("day", "date"), field("note", nullable=True),
                                              field("kinds", "select", values=["x", "y"], maxSelect=2),
            field("data", "json"), relation("tag", tags), relation("tags", tags, many=True)],
            indexes=["CREATE UNIQUE INDEX posts_title ON posts (title) WHERE title != ''",
                     "CREATE INDEX posts_n ON posts (n DESC)"])
        for key in ("t1", "t2", "t3"):
            insert(cls.server, "tags", id=key, name=key)
        insert(cls.server, "posts", id="a", title="007", n=9223372036854775807, r=1.5, ok=True,
               day="2024-02-29T12:00:00+02:00", note="x", kinds=["y", "x"], data="as it was", tag="t1",
               tags=["t3", "t1"])
        insert(cls.server, "posts", id="b")

    def rows(self, sql, *values):
        with open_data(self.server) as file:
            return file.execute(sql, values).fetchall()

    def test_tables_are_strict_and_values_have_their_types(self):
        strict = dict(self.rows("SELECT name, strict FROM pragma_table_list WHERE schema = 'main'"))
        for table in ("posts", "tags", "posts__tags"):
            self.assertEqual(strict[table], 1, table)
        kinds = self.rows("SELECT typeof(title), typeof(n), typeof(r), typeof(ok), typeof(day), "
                          "typeof(note), typeof(kinds), typeof(data), typeof(tag) FROM posts ORDER BY id")
        self.assertEqual(kinds[0], ("text", "integer", "real", "integer", "text", "text", "text", "text",
                                    "text"))
        self.assertEqual(kinds[1][:6], ("text", "integer", "real", "integer", "text", "null"))
        self.assertEqual(self.rows("SELECT title, n, ok, day, kinds, data, tag FROM posts WHERE id = 'a'"),
                         [("007", 9223372036854775807, 1, "2024-02-29 10:00:00.000Z", '["y","x"]',
                           '"as it was"', "t1")])
        self.assertEqual(self.rows("SELECT tag FROM posts WHERE id = 'b'"), [(None,)])

    def test_a_relation_of_several_is_a_join_table_with_an_order(self):
        self.assertEqual(self.rows("SELECT target FROM posts__tags WHERE owner = 'a' ORDER BY position"),
                         [("t3",), ("t1",)])

    def test_foreign_keys_are_real(self):
        keys = self.rows("SELECT \"from\", \"table\", \"to\" FROM pragma_foreign_key_list('posts')")
        self.assertIn(("tag", "tags", "id"), keys)
        targets = {(column, table) for column, table, _ in
                   self.rows('SELECT "from", "table", "to" FROM pragma_foreign_key_list(\'posts__tags\')')}
        self.assertEqual(targets, {("owner", "posts"), ("target", "tags")})
        self.assertEqual(self.rows("PRAGMA foreign_key_check"), [])

    def test_indexes_are_real_and_used(self):
        indexes = {name: unique for _, name, unique, *_ in self.rows("PRAGMA index_list(posts)")}
        self.assertEqual((indexes["posts_title"], indexes["posts_n"]), (1, 0))
        plan = self.rows("EXPLAIN QUERY PLAN SELECT id FROM posts WHERE n > 5")
        self.assertIn("posts_n", str(plan))
        # The way back from a target has an index, too.
        plan = self.rows("EXPLAIN QUERY PLAN SELECT owner FROM posts__tags WHERE target = 't1'")
        self.assertNotIn("SCAN", str(plan))

    def test_it_is_whole_and_holds_nothing_surprising(self):
        self.assertEqual(self.rows("PRAGMA integrity_check"), [("ok",)])
        tables = {name for name, in self.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        own = {name for name in tables if not name.startswith(("_", "sqlite_"))}
        self.assertEqual(own, {"posts", "tags", "posts__tags"})
        self.assertLessEqual(set(os.listdir(self.server.directory)),
                             {"data.db", "data.db-wal", "data.db-shm", "data.db-journal"})

    def test_TYPE_12_text_is_never_converted(self):
        for value in ("007", "1e5", "15E2621", "0x10", " 1", "nan", "inf", ".5", "+1"):
            made = self.insert("posts", title=value + " ")
            self.assertEqual(self.ids("posts", filter=f'title = "{value} "'), [made["id"]])
            self.assertEqual(self.rows("SELECT typeof(title), title FROM posts WHERE id = ?", made["id"]),
                             [("text", value + " ")])
            self.remove("posts", made["id"])


class Foreign(RecordCase):
    """Values that another program has put into the file."""

    @classmethod
    def fixture(cls):
        make_collection(cls.server, "rows", [free_id(), field("t"), field("n", "number"), field("j", "json"),
                                             field("b", "bool")])
        for key in ("a", "b", "c"):
            insert(cls.server, "rows", id=key, t=key, n=1, j={"k": 1}, b=True)

    def execute(self, sql):
        with contextlib.closing(sqlite3.connect(self.server.directory / "data.db", timeout=10)) as file, file:
            file.execute(sql)

    def listed(self):
        answer = self.server.get(path_of("rows"), query={"sort": "id"})
        self.assertEqual(answer.status, 200)
        answer.body.decode()  # valid UTF-8
        items = answer.json["items"]
        self.assertEqual([item["id"] for item in items], ["a", "b", "c"])
        return items

    def tearDown(self):
        self.execute("UPDATE rows SET t = id, n = 1, j = '{\"k\":1}', b = 1")

    def test_TYPE_07_text_that_is_no_UTF_8(self):
        for bytes_, shown in (("FF41", "\ufffdA"), ("C328", "\ufffd(")):
            self.execute(f"UPDATE rows SET t = CAST(X'{bytes_}' AS TEXT) WHERE id = 'b'")
            self.assertEqual([item["t"] for item in self.listed()], ["a", shown, "c"])
            self.assertEqual(self.view("rows", "b").json["t"], shown)

    def test_TYPE_03_a_number_that_is_not_finite(self):
        self.execute("UPDATE rows SET n = 9e999 WHERE id = 'b'")
        self.assertEqual([item["n"] for item in self.listed()], [1, None, 1])
        self.execute("UPDATE rows SET n = -9e999 WHERE id = 'b'")
        self.assertEqual([item["n"] for item in self.listed()], [1, None, 1])

    def test_json_that_is_none(self):
        for text in ("{", "nope", "", "{\"a\":1e999}", "[1,]"):
            self.execute(f"UPDATE rows SET j = '{text}' WHERE id = 'b'")
            items = self.listed()
            self.assertEqual((items[0]["j"], items[2]["j"]), ({"k": 1}, {"k": 1}))
            self.ids("rows", filter="j.k = 1")

    def test_a_bool_that_is_neither_does_not_get_in(self):
        with self.assertRaisesRegex(sqlite3.IntegrityError, "CHECK"):
            self.execute("UPDATE rows SET b = 7 WHERE id = 'b'")


class Starting(ProductCase):
    def refused(self, server):
        # It ends at once, and says why.
        with self.assertRaisesRegex(RuntimeError, r"(?s)ended with [1-9].*error"), server:
            pass

    def test_a_file_that_is_no_database_is_left_alone(self):
        with tempfile.TemporaryDirectory() as directory:
            path = Path(directory) / "data" / "data.db"
            path.parent.mkdir()
            path.write_bytes(b"this is somebody's letter, not a database" * 100)
            before = path.read_bytes()
            self.refused(Server(directory=path.parent, with_superuser=False))
            self.assertEqual(path.read_bytes(), before)

    def test_a_second_server_on_the_same_directory_is_refused(self):
        for mode in ("--shared", "--exclusive"):
            self.refused(Server(mode, directory=self.server.directory, with_superuser=False))
        self.assertEqual(self.server.get("/api/health").status, 200)

    def test_accounts_are_made_beside_a_running_server(self):
        made = self.server.command("superuser", "upsert", "late@example.com", "a-late-password")
        self.assertEqual(made.returncode, 0, made.stdout)
        self.server.sign_in("_superusers", "late@example.com", "a-late-password")

    def test_looking_for_accounts_makes_no_database(self):
        with tempfile.TemporaryDirectory() as directory:
            for arguments in (["list"], ["delete", "a@example.com"]):
                command = [str(BINARY), "superuser", *arguments, "--dir", directory + "/none"]
                looked = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                        timeout=30)
                self.assertEqual((looked.returncode, os.listdir(directory)), (1, []))
                self.assertIn("no database", looked.stdout)

    def test_an_exclusive_server_keeps_the_file_to_itself(self):
        with Server("--exclusive") as server:
            for mode in ("--shared", "--exclusive"):
                self.refused(Server(mode, directory=server.directory, with_superuser=False))
            made = server.command("superuser", "upsert", "late@example.com", "a-late-password")
            self.assertNotEqual(made.returncode, 0)
            self.assertIn("--exclusive", made.stdout)
            self.assertEqual(server.get("/api/health").status, 200)

    def test_an_address_in_use_is_told(self):
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            server = Server(with_superuser=False)
            server.port = taken.getsockname()[1]
            self.refused(server)

    def test_a_second_server_does_not_join_the_loops_of_the_first(self):
        with Server("--loops", "2", with_superuser=False) as running, tempfile.TemporaryDirectory() as other:
            command = [BINARY, "serve", "--dir", other, "--http", f"127.0.0.1:{running.port}", "--loops", "2"]
            ended = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                   text=True, timeout=30)
            self.assertNotEqual(ended.returncode, 0)
            self.assertIn("in use", ended.stdout)

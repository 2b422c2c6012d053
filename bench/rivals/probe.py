#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks the contract of the rivals, byte for byte, and ends with 1 and what differed.

usage: probe.py URL DATABASE [--no-rows] [--todos]        a server that runs, and the file it serves
       probe.py --rival NAME... [--journal wal|delete]    starts each by itself, on a fresh file"""
import argparse
import http.client
import json
import sqlite3
import sys
import tempfile
import threading
import urllib.parse
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

sys.dont_write_bytecode = True

from data import make_tables  # noqa: E402
from table import ALL, BY_NAME, ROOT  # noqa: E402
from measure import Context, Running, Void  # noqa: E402  (table.py knows where it is)

THREADS = 16
READS = 200
INCREMENTS = 500
ABSENT = 1_000_000_007
NOT_FOUND = b'{"error":"not found"}'


class Probe:
    """Asks one server, and compares with what is in its file. `differences` is what was found."""

    def __init__(self, url, database):
        parts = urllib.parse.urlsplit(url)
        self.host, self.port = parts.hostname, parts.port
        self.database = database
        self.differences = []
        self.local = threading.local()

    def rows(self, sql, *values):
        with closing(sqlite3.connect(self.database, timeout=30)) as db:
            return db.execute(sql, values).fetchall()

    def ask(self, method, path, body=None):
        """(status, media type, body); a connection for each thread, kept open."""
        if not hasattr(self.local, "connection"):
            self.local.connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        try:
            self.local.connection.request(method, path, body, headers)
            answer = self.local.connection.getresponse()
        except (http.client.RemoteDisconnected, ConnectionError):
            if method != "GET":
                raise
            self.local.connection.close()  # it was idle for too long; the next request opens it again
            self.local.connection.request(method, path, body, headers)
            answer = self.local.connection.getresponse()
        text = answer.read()
        return answer.status, (answer.getheader("Content-Type") or "").split(";")[0], text

    def differs(self, what, got, wanted):
        if got != wanted:
            self.differences.append(f"{what}: {got!r} instead of {wanted!r}")

    def expect(self, method, path, status, body, body_sent=None, media="application/json"):
        self.differs(f"{method} {path}", self.ask(method, path, body_sent), (status, media, body))

    def refuses(self, body):
        status, _, _ = self.ask("POST", "/todos", body)
        if status not in (400, 422):
            self.differences.append(f"POST /todos with {body[:40]!r}: {status} instead of 400 or 422")


def as_json(names, row):
    return json.dumps(dict(zip(names, row)), separators=(",", ":")).encode()


def user_json(row):
    return as_json(("id", "name", "email", "visits"), row)


def todo_json(row):
    return as_json(("id", "title", "done"), (row[0], row[1], bool(row[2])))


def check_reads(probe):
    probe.expect("GET", "/plaintext", 200, b"Hello, World!", media="text/plain")
    users = probe.rows("SELECT id, name, email, visits FROM users ORDER BY id * 7919 % 10007 LIMIT ?", READS)
    for route in ("/cold", "/hot"):
        probe.expect("GET", f"{route}/{ABSENT}", 404, NOT_FOUND)
        with ThreadPoolExecutor(THREADS) as pool:
            list(pool.map(lambda row: probe.expect("GET", f"{route}/{row[0]}", 200, user_json(row)), users))


def check_increments(probe):
    id, name, email, before = probe.rows("SELECT id, name, email, visits FROM users WHERE id > 16 LIMIT 1")[0]
    probe.expect("POST", f"/increment/{ABSENT}", 404, NOT_FOUND)
    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(lambda _: probe.ask("POST", f"/increment/{id}"), range(INCREMENTS)))
    wanted = {(200, "application/json", user_json((id, name, email, before + count)))
              for count in range(1, INCREMENTS + 1)}
    wrong = [answer for answer in answers if answer not in wanted]
    probe.differs("increments that were answered wrong", wrong[:3], [])
    probe.differs("different answers to increments", len(set(answers)), INCREMENTS)
    after = probe.rows("SELECT visits FROM users WHERE id = ?", id)[0][0]
    probe.differs("visits in the file after the increments", after, before + INCREMENTS)
    for route in ("/cold", "/hot"):
        probe.expect("GET", f"{route}/{id}", 200, user_json((id, name, email, after)))


def check_todos(probe):
    latest = probe.rows("SELECT id, title, done FROM todos ORDER BY id DESC LIMIT 20")
    probe.expect("GET", "/todos", 200, b"[" + b",".join(map(todo_json, latest)) + b"]")
    probe.expect("GET", f"/todos/{latest[0][0]}", 200, todo_json(latest[0]))
    probe.differs(f"GET /todos/{ABSENT}", probe.ask("GET", f"/todos/{ABSENT}")[0], 404)
    id = latest[0][0]
    for title, sent in (("buy milk", {}), ("x" * 200, {"done": True}), ("é" * 200, {"done": False})):
        id += 1
        status, media, body = probe.ask("POST", "/todos", json.dumps({"title": title, **sent}))
        made = {"id": id, "title": title, "done": sent.get("done", False)}
        probe.differs("POST /todos", (status, media, json.loads(body)), (201, "application/json", made))
        probe.differs("the row in the file", probe.rows("SELECT * FROM todos WHERE id = ?", id),
                      [(id, title, int(made["done"]))])
        probe.differs("the row read again", json.loads(probe.ask("GET", f"/todos/{id}")[2]), made)
    for bad in ('{"done":false}', '{"title":""}', '{"title":7}', '{"title":"x","done":"never"}', "{", "",
                json.dumps({"title": "x" * 201})):
        probe.refuses(bad)
    probe.differs("rows after bad bodies", probe.rows("SELECT max(id) FROM todos")[0][0], id)


def check(url, database, rows, todos):
    probe = Probe(url, database)
    if rows:
        check_reads(probe)
        check_increments(probe)
    if todos:
        check_todos(probe)
    return probe.differences


def check_rival(rival, journal):
    with tempfile.TemporaryDirectory(prefix="quern-probe-") as directory:
        database = f"{directory}/rows.db"
        make_tables(database)
        context = Context(root=str(ROOT), bin="", dir=directory)
        try:
            with Running(context, rival.contestant(journal=journal)) as server:
                url = f"http://127.0.0.1:{server.port}"
                differences = check(url, database, rival.rows, rival.todos)
                with closing(sqlite3.connect(database)) as db:
                    if (mode := db.execute("PRAGMA journal_mode").fetchone()[0]) != journal:
                        differences.append(f"journal mode {mode}")
                return differences
        except (Void, OSError, http.client.HTTPException) as error:
            return [f"{type(error).__name__}: {error}"]


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("server", nargs="*")
    parser.add_argument("--no-rows", action="store_true")
    parser.add_argument("--todos", action="store_true")
    parser.add_argument("--rival", nargs="+", choices=[one.name for one in ALL if one.rows or one.todos])
    parser.add_argument("--journal", nargs="+", choices=("wal", "delete"), default=["wal", "delete"])
    options = parser.parse_args()
    if options.rival:
        runs = [(f"{name} {journal}", check_rival(BY_NAME[name], journal))
                for name in options.rival for journal in options.journal]
    elif len(options.server) == 2:
        runs = [(options.server[0], check(*options.server, not options.no_rows, options.todos))]
    else:
        parser.error("URL and DATABASE, or --rival")
    for what, differences in runs:
        print(f"{what}: {'keeps the contract' if not differences else f'{len(differences)} differences'}")
        for difference in differences[:20]:
            print(f"  {difference[:600]}")
    return 1 if any(differences for _, differences in runs) else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""What several files of tests share: short ways to make collections and records, and cases kept as data.

A file in cases/ has one case a line, as JSON; empty lines and lines that begin with # are skipped. Every case
has a `name`, and becomes a test of the class that names the file:

    @from_cases("filters.jsonl")
    class Filters(RecordCase):
        def check(self, case):
            ..."""
import contextlib
import json
import re
import socket
import sqlite3
import threading
from pathlib import Path
from urllib.parse import quote

from harness import ProductCase

CASES = Path(__file__).resolve().parent / "cases"
RULES = ("listRule", "viewRule", "createRule", "updateRule", "deleteRule")


def read_cases(name):
    for number, line in enumerate((CASES / name).read_text().splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            try:
                yield json.loads(line)
            except ValueError as problem:
                raise ValueError(f"cases/{name}, line {number}: {problem}") from None


def from_cases(name):
    """Gives a test class one test for each case of a file; the class's `check(case)` judges it."""

    def decorate(cls):
        for case in read_cases(name):
            title = "test_" + re.sub(r"\W+", "_", case["name"]).strip("_")
            if hasattr(cls, title):
                raise ValueError(f"cases/{name} has two cases named {case['name']!r}")
            setattr(cls, title, lambda self, case=case: self.check(case))
        return cls

    return decorate


# --- definitions ---


def field(name, kind="text", **options):
    return {"name": name, "type": kind, **options}


def free_id(pattern="^[a-z0-9]+$"):
    """The field `id`, for a collection whose records have ids of any length that match the pattern."""
    return field("id", system=True, primaryKey=True, required=True, min=0, max=0, pattern=pattern,
                 autogeneratePattern="[a-z0-9]{15}")


def relation(name, target, many=False, **options):
    """A relation to a collection (as the API answered it); `many` gives it room for 99 records."""
    options.setdefault("maxSelect", 99 if many else 1)
    return field(name, "relation", collectionId=target["id"], **options)


def path_of(collection, record=None):
    """The path of a collection's records, or of one of them."""
    path = f"/api/collections/{quote(collection, safe='')}/records"
    return path if record is None else f"{path}/{quote(record, safe='')}"


def make_collection(server, name, fields, **options):
    """Creates a collection as superuser and returns it. Rules are open unless given."""
    body = {"name": name, "type": "base", "fields": fields, **dict.fromkeys(RULES, ""), **options}
    return expect(server.post("/api/collections", body, token=server.token), 200).json


def insert(server, collection, body=None, /, **members):
    """Creates a record as superuser and returns it."""
    body = {**(body or {}), **members}
    return expect(server.post(path_of(collection), body, token=server.token), 200).json


def expect(answer, status):
    """The answer itself, if it has that status."""
    if answer.status != status:
        raise AssertionError(f"answered {answer.status} instead of {status}: {answer.body[:2000]!r}")
    return answer


def open_data(server):
    """The server's data file, for looking at it; for `with`. The server does not run with --exclusive."""
    return contextlib.closing(sqlite3.connect(f"file:{server.directory}/data.db?mode=ro", uri=True))


# --- many at once ---


class Client:
    """One kept connection for a thread of its own, on a bare socket: some ten times as quick as http.client.

    Raises ConnectionError when the connection ends before an answer is complete."""

    def __init__(self, server, seconds=30):
        self.socket = socket.create_connection(("127.0.0.1", server.port), timeout=seconds)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.received = b""
        self.closing = False  # the server said that this was the last answer

    @staticmethod
    def text(method, path, body=None, token=None):
        """A request as bytes."""
        data = b"" if body is None else json.dumps(body).encode()
        lines = [f"{method} {path} HTTP/1.1", "Host: test", f"Content-Length: {len(data)}"]
        if body is not None:
            lines.append("Content-Type: application/json")
        if token:
            lines.append(f"Authorization: {token}")
        return "\r\n".join([*lines, "", ""]).encode() + data

    def request(self, method, path, body=None, token=None):
        """(status, body) of one request."""
        return self.exchange(self.text(method, path, body, token))

    def exchange(self, request):
        self.socket.sendall(request)
        while (end := self.received.find(b"\r\n\r\n")) < 0:
            self._receive()
        head = self.received[:end].lower()
        self.closing = b"\r\nconnection: close" in head
        status = int(head[9:12])
        length = re.search(rb"\r\ncontent-length: *(\d+)", head)
        size = end + 4 + (int(length[1]) if length and status != 304 else 0)
        while len(self.received) < size:
            self._receive()
        body, self.received = self.received[end + 4:size], self.received[size:]
        return status, body

    def _receive(self):
        piece = self.socket.recv(262144)
        if not piece:
            raise ConnectionError("the connection ended before the answer was complete")
        self.received += piece

    def close(self):
        self.socket.close()


def in_threads(count, work):
    """Calls work(0) … work(count - 1), each on a thread of its own; returns the results.

    The first error of a thread is raised here."""
    results = [None] * count
    errors = []

    def run(number):
        try:
            results[number] = work(number)
        except BaseException as error:  # what fails on a thread must fail the test
            errors.append(error)

    threads = [threading.Thread(target=run, args=(number,), daemon=True) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return results


class RecordCase(ProductCase):
    """A test class whose fixture() fills the server once, before the first test.

    The requests below are an anonymous caller's unless `token` is given."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.fixture()

    @classmethod
    def fixture(cls):
        pass

    def insert(self, collection, body=None, /, **members):
        return insert(self.server, collection, body, **members)

    def page(self, collection, *, token=None, headers=None, **query):
        """The answer of a list, which must be 200."""
        answer = self.server.get(path_of(collection), query=query, token=token, headers=headers)
        return expect(answer, 200).json

    def ids(self, collection, *, token=None, headers=None, **query):
        """The ids of a list, in its order; up to 1000 unless perPage is given."""
        query.setdefault("perPage", 1000)
        return [item["id"] for item in self.page(collection, token=token, headers=headers, **query)["items"]]

    def walk(self, collection, per_page, **query):
        """All ids by cursor. Fails if the walk does not end."""
        found, cursor = [], ""
        for _ in range(2000):
            page = self.page(collection, cursor=cursor, perPage=per_page, **query)
            self.assertLessEqual(len(page["items"]), per_page)
            found += [item["id"] for item in page["items"]]
            cursor = page["nextCursor"]
            if not cursor:
                return found
            self.assertTrue(page["items"], "an empty page that is not the last")
        self.fail("the cursor goes on for ever")

    def view(self, collection, record, **options):
        return self.server.get(path_of(collection, record), **options)

    def change(self, collection, record, body, **options):
        return self.server.patch(path_of(collection, record), body, **options)

    def remove(self, collection, record, **options):
        return self.server.delete(path_of(collection, record), **options)

    def collection_path(self, name):
        return f"/api/collections/{quote(name, safe='')}"

    def change_collection(self, name, body):
        """The answer of a schema change by the superuser."""
        return self.server.patch(self.collection_path(name), body, token=self.token)

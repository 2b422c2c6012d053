# SPDX-License-Identifier: Apache-2.0
"""What a contestant must answer right before its speed is of interest: the same bytes as all others, distinct
ids under concurrency, no lost change, exact counts."""
import http.client
import json
import random
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

from measure import ProbeFailed

CALLERS = 32
IDS = 1000
INCREMENTS = 5000
INSERTS = 500


def user(number, visits=None):
    """A row of the table `users`, as prepare.py makes it and as every contestant must write it."""
    return {"id": number, "name": f"user {number}", "email": f"user{number}@example.org",
            "visits": first_visits(number) if visits is None else visits}


def first_visits(number):
    return number * 259 % 1000


def compact(value):
    return json.dumps(value, separators=(",", ":")).encode()


class Caller:
    """A kept connection. One that idles while others ask may be closed by the server: use a new one then."""

    def __init__(self, url):
        self.connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=30)

    def ask(self, method, path, body=None, headers=None):
        headers = {**({"Content-Type": "application/json"} if body else {}), **(headers or {})}
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        return answer.status, answer.read()


def expect(what, found, wanted):
    if found != wanted:
        raise ProbeFailed(f"{what}: {found!r} instead of {wanted!r}")


def at_once(url, jobs, work):
    """work(caller, job) for all jobs, by CALLERS connections at once."""
    parts = [jobs[first::CALLERS] for first in range(CALLERS)]

    def run(part):
        caller = Caller(url)
        return [work(caller, job) for job in part]

    with ThreadPoolExecutor(CALLERS) as pool:
        return [answer for answers in pool.map(run, parts) for answer in answers]


def plaintext(_context, url):
    expect("the answer", Caller(url).ask("GET", "/plaintext"), (200, b"Hello, World!"))


def read_by_id(route, rows=10_000):
    """The bytes of many rows, asked for at once, and 404 for a row that is not there."""
    def probe(context, url):
        last = context.rows or rows
        numbers = [1, last, *random.Random(1).sample(range(1, last + 1), min(IDS, last))]
        wrong = []

        def ask(caller, number):
            found, wanted = caller.ask("GET", f"{route}/{number}"), (200, compact(user(number)))
            if found != wanted:
                wrong.append((number, found, wanted))

        at_once(url, numbers, ask)
        if wrong:
            expect(f"row {wrong[0][0]}", wrong[0][1], wrong[0][2])
        expect("a missing row", Caller(url).ask("GET", f"{route}/{last + 1}")[0], 404)
    return probe


def increments(read_route="/hot", number=17):
    """5,000 increments at once end at exactly 5,000 more."""
    def probe(_context, url):
        before = json.loads(Caller(url).ask("GET", f"{read_route}/{number}")[1])["visits"]
        statuses = at_once(url, range(INCREMENTS), lambda caller, _: caller.ask(
            "POST", f"/increment/{number}")[0])
        expect("increments answered 200", statuses.count(200), INCREMENTS)
        expect("the row after them", Caller(url).ask("GET", f"{read_route}/{number}"),
               (200, compact(user(number, before + INCREMENTS))))
    return probe


# --- collections -------------------------------------------------------------------------------------------


def record_by_id(path, record, rows):
    """Records with the content that record(number) gives, and 404 for one that is not there."""
    def probe(context, url):
        ask, last = Caller(url).ask, context.rows or rows
        for number in (1, min(77, last), last):
            status, text = ask("GET", f"{path}/{record(number)['id']}")
            expect("the status", status, 200)
            found = json.loads(text)
            expect(f"record {number}", {name: found.get(name) for name in record(number)}, record(number))
        expect("a missing record", ask("GET", f"{path}/{record(last + 1)['id']}")[0], 404)
    return probe


def record_increments(path, field, token=None):
    """The same through a collection's own door: `FIELD+` adds in the row's transaction."""
    def probe(_context, url):
        headers = {"Authorization": token} if token else {}
        before = json.loads(Caller(url).ask("GET", path, headers=headers)[1])[field]
        body = compact({f"{field}+": 1})
        statuses = at_once(url, range(INCREMENTS),
                           lambda caller, _: caller.ask("PATCH", path, body, headers)[0])
        expect("changes answered 200", statuses.count(200), INCREMENTS)
        expect(f"{field} after them",
               json.loads(Caller(url).ask("GET", path, headers=headers)[1])[field], before + INCREMENTS)
    return probe


def record_inserts(collection, body):
    """As many rows more as were acknowledged, all with ids of their own."""
    def probe(_context, url):
        path = f"/api/collections/{collection}/records"

        def count():
            return json.loads(Caller(url).ask("GET", f"{path}?perPage=1")[1])["totalItems"]

        before = count()
        answers = at_once(url, range(INSERTS), lambda caller, _: caller.ask("POST", path, body))
        expect("inserts answered 200", [status for status, _ in answers].count(200), INSERTS)
        expect("distinct ids", len({json.loads(text)["id"] for _, text in answers}), INSERTS)
        expect("rows", count(), before + INSERTS)
    return probe


# --- to-dos ------------------------------------------------------------------------------------------------

TODOS = 100


def todo(number):
    return {"id": number, "title": f"todo {number}", "done": False}


def todos(_context, url):
    """The to-do routes: the latest twenty, one, and a new one."""
    ask = Caller(url).ask
    latest = [todo(number) for number in range(TODOS, TODOS - 20, -1)]
    expect("the list", ask("GET", "/todos"), (200, compact(latest)))
    expect("one", ask("GET", "/todos/50"), (200, compact(todo(50))))
    expect("a missing one", ask("GET", "/todos/5000")[0], 404)
    expect("a body without title", ask("POST", "/todos", b'{"done":true}')[0] in (400, 422), True)
    answers = at_once(url, range(INSERTS), lambda caller, _: caller.ask("POST", "/todos", b'{"title":"new"}'))
    expect("created", [status for status, _ in answers].count(201), INSERTS)
    made = {json.loads(text)["id"] for _, text in answers}
    expect("ids", made, set(range(TODOS + 1, TODOS + INSERTS + 1)))
    expect("the list behind them", json.loads(Caller(url).ask("GET", "/todos")[1])[0],
           {"id": TODOS + INSERTS, "title": "new", "done": False})

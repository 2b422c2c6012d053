# SPDX-License-Identifier: Apache-2.0
"""Backends in a box: Quern and PocketBase answer the same requests over the same records. Data only."""
import json

import probes
from loads import QuernLoad
from measure import Contestant, Leg
from prepare import (EMAIL, PASSWORD, QUERN, QUERN_ACCOUNT, collection_posts, keep_as, lay_out_data,
                     make_collection, post)

ROWS = 100_000
RECORDS = "/api/collections/posts/records"
FREE = "/api/collections/free/records"
LIST = f"{RECORDS}?filter=views%3E5000&sort=views&perPage=20"
FREE_LIST = f"{LIST}&skipTotal=1".replace("posts", "free")
NEW = '{"title":"A new post","body":"Lorem ipsum dolor sit amet.","views":1,"score":0.5,"live":true}'
SIGN_IN = json.dumps({"identity": EMAIL, "password": PASSWORD})
POCKETBASE = "{root}/build/rivals/pocketbase/pocketbase"
SERVE = {
    "quern": ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}", "--loops", "1"],
    "pocketbase": [POCKETBASE, "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}"],
}
ACCOUNT = {"quern": QUERN_ACCOUNT,
           "pocketbase": [POCKETBASE, "superuser", "upsert", EMAIL, PASSWORD, "--dir", "{dir}/data"]}
NOTES = {
    "quern": "WAL, synchronous=FULL, group commit: what was acknowledged survives a loss of power",
    "pocketbase": "WAL, synchronous=NORMAL as it opens its file: a loss of power may take the last commits",
}


def collections():
    """`posts` under a rule that looks at a field, and `open` without any."""
    ruled = {**collection_posts(), "updateRule": ""}
    free = {**ruled, "name": "free", "listRule": "", "viewRule": "",
            "indexes": ["CREATE INDEX `free_views` ON `free` (`views`)"]}
    return ruled, free


def prepare(context):
    """{dir}/quern and {dir}/pocketbase with the same two collections, each filled by its own API."""
    rows = context.rows or ROWS
    for name in context.names:
        serve = QUERN if name == "quern" else SERVE[name]
        for collection in collections():
            make_collection(context, collection, [post(number) for number in range(1, rows + 1)], serve,
                            ACCOUNT[name])
        keep_as(context, name)


def probe_list(path):
    """The right twenty, in the right order, with the total where it was asked for."""
    def probe(context, url):
        status, text = probes.Caller(url).ask("GET", path)
        probes.expect("the status", status, 200)
        page, rows = json.loads(text), context.rows or ROWS
        probes.expect("the views", [item["views"] for item in page["items"]], list(range(5001, 5021)))
        probes.expect("the total", page["totalItems"], -1 if "skipTotal=1" in path else rows - 5000)
    return probe


def probe_change(_context, url):
    path = f"{RECORDS}/post00000000077"
    probes.expect("the status", probes.Caller(url).ask("PATCH", path, b'{"title":"Another title"}')[0], 200)
    probes.expect("the title", json.loads(probes.Caller(url).ask("GET", path)[1])["title"], "Another title")


def probe_sign_in(_context, url):
    ask = probes.Caller(url).ask
    path = "/api/collections/_superusers/auth-with-password"
    probes.expect("the status", ask("POST", path, SIGN_IN)[0], 200)
    wrong = json.dumps({"identity": EMAIL, "password": "another password"})
    probes.expect("the status of a wrong password", ask("POST", path, wrong)[0], 400)


def sides(path, method="GET", body="", probe=None):
    return [Contestant(name, SERVE[name], path=path, method=method, body=body, keys=ROWS, probe=probe,
                       rival="" if name == "quern" else name, note=NOTES[name], fresh=lay_out_data(name))
            for name in SERVE]


def leg(name, title, goal="", connections=64, **what):
    return Leg(f"backend-{name}", f"{title}, {connections} callers", sides(**what),
               load=QuernLoad(connections=connections), setup=prepare, goal=goal)


LEGS = [
    leg("get", "a record by its id under a rule", path=f"{RECORDS}/post{{key:011}}",
        probe=probes.record_by_id(RECORDS, post, ROWS)),
    leg("get-free", "a record by its id, no rule", path=f"{FREE}/post{{key:011}}",
        probe=probes.record_by_id(FREE, post, ROWS)),
    leg("list", "twenty of 100,000 records under a rule", path=f"{LIST}&skipTotal=1",
        probe=probe_list(f"{LIST}&skipTotal=1")),
    leg("list-total", "twenty of 100,000 records under a rule, and their number", path=LIST,
        probe=probe_list(LIST)),
    leg("list-free", "twenty of 100,000 records, no rule", path=FREE_LIST, probe=probe_list(FREE_LIST)),
    leg("create", "new records", goal="at least 5 times PocketBase's rate", path=RECORDS, method="POST",
        body=NEW, probe=probes.record_inserts("posts", NEW)),
    leg("update", "changes of random records", path=f"{RECORDS}/post{{key:011}}", method="PATCH",
        body='{"title":"Another title"}', probe=probe_change),
    leg("increment", "increments of random records", path=f"{RECORDS}/post{{key:011}}", method="PATCH",
        body='{"views+":1}', probe=probes.record_increments(f"{RECORDS}/post00000000077", "views")),
    leg("sign-in", "sign-ins of a superuser by password", connections=8,
        path="/api/collections/_superusers/auth-with-password", method="POST", body=SIGN_IN,
        probe=probe_sign_in),
]

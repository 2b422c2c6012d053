# SPDX-License-Identifier: Apache-2.0
"""Collections for the legs: made through the product itself, or through a rival that speaks the same API."""
import http.client
import json
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from measure import Contestant, Running
from tables import sync_file

ROWS = 10_000
CALLERS = 32
EMAIL, PASSWORD = "bench@example.org", "a long password"
QUERN = ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}", "--relaxed"]
QUERN_ACCOUNT = ["{bin}/quern", "superuser", "upsert", EMAIL, PASSWORD, "--dir", "{dir}/data"]


def ask(connection, method, path, body=None, token=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = token
    connection.request(method, path, json.dumps(body) if body is not None else None, headers)
    answer = connection.getresponse()
    text = answer.read()
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status} {text[:500]!r}")
    return json.loads(text) if text else None


def sign_in(port):
    """A superuser's token."""
    connection = http.client.HTTPConnection("127.0.0.1", port)
    return ask(connection, "POST", "/api/collections/_superusers/auth-with-password",
               {"identity": EMAIL, "password": PASSWORD})["token"]


def make_collection(context, collection, records, serve=QUERN, account=QUERN_ACCOUNT):
    """Makes {dir}/data with one collection and its records, by the commands of whoever keeps it."""
    subprocess.run([context.fill(part, 0) for part in account], check=True, stdout=subprocess.DEVNULL)
    with Running(context, Contestant("prepare", serve)) as running:
        token = sign_in(running.port)
        connection = http.client.HTTPConnection("127.0.0.1", running.port)
        ask(connection, "POST", "/api/collections", collection, token)
        path = f"/api/collections/{collection['name']}/records"

        def insert(part):
            caller = http.client.HTTPConnection("127.0.0.1", running.port)
            for record in part:
                ask(caller, "POST", path, record, token)

        with ThreadPoolExecutor(CALLERS) as pool:
            list(pool.map(insert, [records[first::CALLERS] for first in range(CALLERS)]))
        found = ask(connection, "GET", f"{path}?perPage=1", token=token)["totalItems"]
        if found != len(records):
            raise RuntimeError(f"{found} rows instead of {len(records)}")


def collection_posts():
    return {
        "name": "posts", "type": "base",
        "listRule": "live = true", "viewRule": "live = true", "createRule": "",
        "indexes": ["CREATE INDEX `posts_views` ON `posts` (`views`)"],
        "fields": [{"name": "title", "type": "text"}, {"name": "body", "type": "text"},
                   {"name": "views", "type": "number", "onlyInt": True}, {"name": "score", "type": "number"},
                   {"name": "live", "type": "bool"},
                   {"name": "created", "type": "autodate", "onCreate": True}],
    }


def post(number):
    return {"id": f"post{number:011d}", "title": f"Title of post {number}",
            "body": "Lorem ipsum dolor sit amet.", "views": number, "score": number / 8, "live": True}


def prepare_posts(context):
    """{dir}/seed with a collection `posts` of 10,000 rows, an index, and rules that look at a field."""
    rows = context.rows or ROWS
    make_collection(context, collection_posts(), [post(number) for number in range(1, rows + 1)])
    keep_as(context, "seed")


def keep_as(context, name):
    shutil.move(f"{context.dir}/data", f"{context.dir}/{name}")


def lay_out_data(name="seed"):
    """{dir}/data as a copy of {dir}/NAME, in front of every round."""
    def fresh(context):
        shutil.rmtree(f"{context.dir}/data", ignore_errors=True)
        shutil.copytree(f"{context.dir}/{name}", f"{context.dir}/data")
        sync_file(f"{context.dir}/data/data.db")
    return fresh

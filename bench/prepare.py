# SPDX-License-Identifier: Apache-2.0
"""Data for the legs: made through the product itself, once a leg."""
import http.client
import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

from measure import Contestant, Running

ROWS = 10_000
CALLERS = 32
EMAIL, PASSWORD = "bench@example.org", "a long password"


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


def insert_rows(port, numbers):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for number in numbers:
        ask(connection, "POST", "/api/collections/posts/records",
            {"id": f"post{number:011d}", "title": f"Title of post {number}",
             "body": "Lorem ipsum dolor sit amet.", "views": number, "score": number / 8, "live": True})


def prepare_posts(context):
    """Makes {dir}/data: a collection `posts` of 10,000 rows, an index, and rules that look at a field."""
    data = f"{context.dir}/data"
    subprocess.run([f"{context.bin}/quern", "superuser", "upsert", EMAIL, PASSWORD, "--dir", data],
                   check=True, stdout=subprocess.DEVNULL)
    server = Contestant("prepare", ["{bin}/quern", "serve", "--dir", data, "--http", "127.0.0.1:{port}",
                                    "--relaxed"])
    with Running(context, server) as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port)
        token = ask(connection, "POST", "/api/collections/_superusers/auth-with-password",
                    {"identity": EMAIL, "password": PASSWORD})["token"]
        ask(connection, "POST", "/api/collections", collection_posts(), token)
        parts = [range(first, ROWS, CALLERS) for first in range(CALLERS)]
        with ThreadPoolExecutor(CALLERS) as pool:
            list(pool.map(lambda numbers: insert_rows(running.port, numbers), parts))
        page = ask(connection, "GET", "/api/collections/posts/records?perPage=1")
        if page["totalItems"] != ROWS:
            raise RuntimeError(f"{page['totalItems']} rows instead of {ROWS}")

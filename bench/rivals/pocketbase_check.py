# SPDX-License-Identifier: Apache-2.0
"""Whether a PocketBase works as the legs use it: a superuser by its command line, collections by its API."""
import http.client
import subprocess

from measure import Running
from prepare import EMAIL, PASSWORD, ask, sign_in


VIEW = {"name": "about", "type": "view", "listRule": "",
        "viewQuery": "SELECT 1 AS id, sqlite_version() AS version"}


def sqlite_of_pocketbase(context, rival):
    """(version, None): a view of its own tells which SQLite it has; the options it does not tell."""
    program = context.fill(rival.command[0], 0)
    ran = subprocess.run([program, "superuser", "upsert", EMAIL, PASSWORD, "--dir", f"{context.dir}/data"],
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode != 0:
        raise OSError(f"superuser upsert: {ran.stdout.strip()[-200:]}")
    with Running(context, rival.contestant()) as server:
        connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=10)
        ask(connection, "POST", "/api/collections", VIEW, sign_in(server.port))
        return ask(connection, "GET", "/api/collections/about/records")["items"][0]["version"], None

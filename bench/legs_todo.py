# SPDX-License-Identifier: Apache-2.0
"""The to-do service: Quern as a library and as collections, FastAPI beside it, by profiles of durability."""
import json
import sys
from dataclasses import replace
from pathlib import Path

import probes
from loads import Ab, QuernLoad
from measure import Contestant, Leg, ProbeFailed
from prepare import keep_as, lay_out_data, make_collection
from tables import lay_out, prepare_tables

sys.path.append(str(Path(__file__).resolve().parent / "rivals"))

from table import BY_NAME  # noqa: E402

CONCURRENCY = 20
NEW = '{"title":"water the plants"}'
# profile -> journal, synchronous
PROFILES = {"rollback": ("delete", "full"), "wal-normal": ("wal", "normal"), "wal-full": ("wal", "full")}
PATHS = {"list": "/todos", "get": "/todos/{key}", "create": "/todos"}
RECORDS = "/api/collections/todos/records"
RECORD_PATHS = {"list": f"{RECORDS}?sort=-number&perPage=20&skipTotal=1",
                "get": f"{RECORDS}/todo{{key:011}}", "create": RECORDS}


def ask(phase):
    return {"method": "POST" if phase == "create" else "GET", "body": NEW if phase == "create" else "",
            "keys": probes.TODOS}


def library(phase, profile, name="quern", **environment):
    return Contestant(f"{name} {profile}", ["{bin}/bench_todo"], path=PATHS[phase], fresh=lay_out,
                      probe=probes.todos, environment={
                          "PORT": "{port}", "DATABASE": "{dir}/rows.db", "JOURNAL": PROFILES[profile][0],
                          "SYNCHRONOUS": PROFILES[profile][1], **environment}, **ask(phase))


def rival(name, phase, profile):
    return BY_NAME[name].contestant(*PROFILES[profile], name=f"{name} {profile}", path=PATHS[phase],
                                    fresh=lay_out, probe=probes.todos, **ask(phase))


def probe_records(_context, url):
    answer = json.loads(probes.Caller(url).ask("GET", RECORD_PATHS["list"])[1])
    numbers = [record["number"] for record in answer["items"]]
    if numbers != list(range(probes.TODOS, probes.TODOS - 20, -1)):
        raise ProbeFailed(f"the latest twenty are {numbers}")
    probes.record_inserts("todos", NEW.encode())(_context, url)


def collections(phase, profile, *flags, name="quern collections"):
    relaxed = ["--relaxed"] if PROFILES[profile][1] == "normal" else []
    return Contestant(f"{name} {profile}",
                      ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}",
                       "--loops", "1", *relaxed, *flags],
                      path=RECORD_PATHS[phase], fresh=lay_out_data(), probe=probe_records, **ask(phase))


def prepare(context):
    prepare_tables(context)
    make_collection(context, {
        "name": "todos", "type": "base", "listRule": "", "viewRule": "", "createRule": "",
        "indexes": ["CREATE INDEX `todos_number` ON `todos` (`number`)"],
        "fields": [{"name": "title", "type": "text", "required": True, "max": 200},
                   {"name": "done", "type": "bool"}, {"name": "number", "type": "number", "onlyInt": True}],
    }, [{"id": f"todo{number:011d}", "title": f"todo {number}", "done": False, "number": number}
        for number in range(1, probes.TODOS + 1)])
    keep_as(context, "seed")


def sides(phase):
    found = [library(phase, "wal-full"), library(phase, "wal-normal")]
    if phase == "create":
        found.append(library(phase, "wal-full", "quern, a commit each,", BATCH="1"))
    found += [collections(phase, "wal-full"), collections(phase, "wal-normal")]
    if phase == "create":
        found.append(collections(phase, "wal-full", "--batch-max", "1",
                                 name="quern collections, a commit each,"))
    found += [rival("fastapi-todo", phase, profile) for profile in PROFILES]
    found += [rival(name, phase, "wal-full") for name in ("fastapi-sqlmodel", "actix", "go-mattn", "bun")]
    return found


GOALS = {"list": "at least 10 times FastAPI's rate", "get": "",
         "create": "with group commit at least 5 times the rate without, at full durability"}
TITLES = {"list": "the latest twenty to-dos", "get": "a to-do by its id", "create": "a new to-do"}


def legs():
    found = []
    for phase, title in TITLES.items():
        leg = Leg(f"todo-{phase}", f"{title}, {CONCURRENCY} callers, by profile of durability", sides(phase),
                  load=QuernLoad(connections=CONCURRENCY), seconds=3, setup=prepare, goal=GOALS[phase])
        found.append(leg)
        if phase != "get":  # ab asks for one address only
            found.append(replace(leg, name=f"{leg.name}-ab", load=Ab(connections=CONCURRENCY),
                                 contestants=list(leg.contestants)))
    return found


LEGS = legs()

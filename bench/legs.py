# SPDX-License-Identifier: Apache-2.0
"""The legs: what is compared with what. Data only; how it is measured is in measure.py."""
import legs_backend
import legs_rows
import legs_store
import legs_todo
import probes
from loads import QuernLoad
from measure import Contestant, Leg
from prepare import ROWS, lay_out_data, post, prepare_posts

FLOOR = Contestant("floor", ["{bin}/bench_floor", "{port}"])
FIXED = Contestant("fixed", ["{bin}/bench_fixed", "{port}"])
QUERN = ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}", "--loops", "1"]
RECORD = "/api/collections/posts/records/post{key:011}"
LIST = "/api/collections/posts/records?filter=views%3E5000&sort=views&perPage=20&skipTotal=1"
RECORDS = "/api/collections/posts/records"
NEW = '{"title":"A new post","body":"Lorem ipsum dolor sit amet.","views":1,"score":0.5,"live":true}'


def served(name, path, *flags, **more):
    """The binary with the collection `posts`."""
    return Contestant(name, [*QUERN, *flags], path=path, keys=ROWS, fresh=lay_out_data(),
                      **{"probe": probes.record_by_id(RECORDS, post, ROWS), **more})


def insert(name, *flags, connections=64):
    return served(name, RECORDS, *flags, method="POST", body=NEW, load=QuernLoad(connections=connections),
                  probe=probes.record_inserts("posts", NEW))


def library(name, title, program, *arguments):
    """The library against the same written by hand; bench/program.h gives the two sides their time."""
    sides = [Contestant(side, [f"{{bin}}/{program}", "{seconds}", side, *arguments], program=True)
             for side in ("hand", "library")]
    return Leg(name, title, sides, pairs=11, seconds=2)


def orm(name, title, **sides):
    """What query sets do, each side a program of its own."""
    return Leg(name, title, [Contestant(side, ["{bin}/bench_library_orm", "{seconds}", what], program=True)
                             for side, what in sides.items()], pairs=11, seconds=2)


LEGS = [
    Leg("fixed", "a fixed answer through our server, against the least a socket loop can do", [FLOOR, FIXED],
        goal="at most 1.10 of the floor's CPU"),
    *(Leg(f"ring-{count}", f"the floor through epoll and through io_uring, {count} connections",
          [FLOOR, Contestant("floor, io_uring", ["{bin}/bench_floor_ring", "{port}"])],
          load=QuernLoad(connections=count),
          goal="a second way to wait is worth having from 5 % on at 64 connections")
      for count in (1, 64, 256)),
    Leg("record-get", "one record by its id under a view rule, against the least a socket loop can do",
        [FLOOR, served("record-get", RECORD)], setup=prepare_posts,
        goal="at most 1.5 of the floor's CPU, at least 0.85 of its rate"),
    Leg("list20", "twenty records by an indexed filter and sort, against the statement alone through SQLite",
        [Contestant("direct", ["{bin}/bench_list", "{dir}/data/data.db", "{seconds}"], program=True,
                    fresh=lay_out_data()),
         served("list20", LIST)], setup=prepare_posts,
        goal="at most 2.5 of the statement alone"),
    Leg("insert", "durable inserts: one caller, and 64 that share commits",
        [insert("1 caller", connections=1), insert("64 callers"),
         insert("64 callers, a commit each", "--batch-max", "1")], setup=prepare_posts,
        goal="64 callers at least 5 times the rate of a commit each"),
    Leg("shared", "one record by its id: the file kept to the process, against the file open to others",
        [served("exclusive", RECORD, "--exclusive"),
         served("shared", RECORD, "--shared")], setup=prepare_posts),
    Leg("shared-insert", "durable inserts by 64 callers: the file kept to the process, or open to others",
        [insert("exclusive", "--exclusive"), insert("shared", "--shared")], setup=prepare_posts),
    Leg("app-routes", "twenty routes with captures: a handler written by hand, against quern::App",
        [Contestant("switch", ["{bin}/bench_app_routes", "{port}", "switch"], path="/notes/4711/details"),
         Contestant("app", ["{bin}/bench_app_routes", "{port}", "app"], path="/notes/4711/details")]),
    library("library-json", "a body read into a struct by its rules: simdjson by hand, against Json<T>",
            "bench_library_json", "3"),
    library("library-dump", "twenty structs written as JSON: a writer by hand, against write_json()",
            "bench_library_dump", "20"),
    library("library-rows", "a hundred rows fetched and written as JSON: SQLite's C API, against Database",
            "bench_library_rows", "list"),
    library("library-row", "one row fetched by its id: SQLite's C API, against Database",
            "bench_library_rows", "row"),
    orm("query-set-text", "the statement of a query set: written anew, found again, and put together before",
        text="text", cached="cached", chain="chain"),
    orm("query-set-row", "one row fetched by its key: SQLite's C API, against Table::get() and a query set",
        hand="hand-row", get="get-row", set="set-row"),
    orm("query-set-list", "twenty rows by a condition and an order into structs: C API, against a query set",
        hand="hand-list", set="set-list"),
    *legs_rows.LEGS,
    *legs_todo.LEGS,
    *legs_store.LEGS,
    *legs_backend.LEGS,
]

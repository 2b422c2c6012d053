# SPDX-License-Identifier: Apache-2.0
"""The legs: what is compared with what. Data only; how it is measured is in measure.py."""
from measure import Contestant, Leg
from prepare import prepare_posts

FLOOR = Contestant("floor", ["{bin}/bench_floor", "{port}"])
FIXED = Contestant("fixed", ["{bin}/bench_fixed", "{port}"])
QUERN = ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}", "--loops", "1"]
RECORD = "/api/collections/posts/records/post00000005000"
LIST = "/api/collections/posts/records?filter=views%3E5000&sort=views&perPage=20&skipTotal=1"
INSERT = ["-s", "{root}/bench/insert.lua"]


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
    Leg("fixed", "a fixed answer through our server, against the least a socket loop can do", [FLOOR, FIXED]),
    Leg("record-get", "one record by its id under a view rule, against the least a socket loop can do",
        [FLOOR, Contestant("record-get", QUERN, path=RECORD)], setup=prepare_posts),
    Leg("list20", "twenty records by an indexed filter and sort, against the statement alone through SQLite",
        [Contestant("direct", ["{bin}/bench_list", "{dir}/data/data.db", "{seconds}"], program=True),
         Contestant("list20", QUERN, path=LIST)], setup=prepare_posts),
    Leg("insert", "durable inserts: one caller, and 64 that share commits",
        [Contestant("1 caller", QUERN, path="/api/collections/posts/records", wrk=["-c1", *INSERT]),
         Contestant("64 callers", QUERN, path="/api/collections/posts/records", wrk=["-c64", *INSERT])],
        wrk=["-t1"], setup=prepare_posts),
    Leg("shared", "one record by its id: the file kept to the process, against the file open to others",
        [Contestant("exclusive", [*QUERN, "--exclusive"], path=RECORD),
         Contestant("shared", [*QUERN, "--shared"], path=RECORD)], setup=prepare_posts),
    Leg("shared-insert", "durable inserts by 64 callers: the file kept to the process, or open to others",
        [Contestant("exclusive", [*QUERN, "--exclusive"], path="/api/collections/posts/records", wrk=INSERT),
         Contestant("shared", [*QUERN, "--shared"], path="/api/collections/posts/records", wrk=INSERT)],
        setup=prepare_posts),
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
]

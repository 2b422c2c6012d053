# SPDX-License-Identifier: Apache-2.0
"""Legs over a row by its id: the three ways, the rivals, many connections, a large table. Data only."""
import sys
from dataclasses import replace
from pathlib import Path

import probes
from loads import QuernLoad, Wrk
from measure import Contestant, Leg
from prepare import lay_out_data, post, prepare_posts
from tables import ROWS, forget_pages, lay_out, prepare_tables

sys.path.append(str(Path(__file__).resolve().parent / "rivals"))

from table import BY_NAME  # noqa: E402

ENVIRONMENT = {"PORT": "{port}", "DATABASE": "{dir}/rows.db", "JOURNAL": "wal", "SYNCHRONOUS": "full"}
PATHS = {"plaintext": "/plaintext", "cold": "/cold/{key}", "hot": "/hot/{key}", "library": "/library/{key}",
         "increment": "/increment/{key}"}
PROBES = {"plaintext": probes.plaintext, "increment": probes.increments(),
          **{way: probes.read_by_id(f"/{way}") for way in ("cold", "hot", "library")}}

RIVALS = ("actix", "go-mattn", "go-modernc", "bun", "fastapi", "aspnet")


def members(way):
    """What a contestant is asked on that way, whoever it is."""
    return {"path": PATHS[way], "method": "POST" if way == "increment" else "GET", "keys": ROWS,
            "probe": PROBES[way], "fresh": lay_out}


def quern(way, name=None):
    return Contestant(name or f"quern {way}", ["{bin}/bench_rows"], environment=ENVIRONMENT, **members(way))


def rivals(way):
    return [BY_NAME[name].contestant(**members(way)) for name in RIVALS]


RECORDS = "/api/collections/posts/records"
COLLECTIONS = Contestant(
    "quern collections",
    ["{bin}/quern", "serve", "--dir", "{dir}/data", "--http", "127.0.0.1:{port}", "--loops", "1"],
    path=f"{RECORDS}/post{{key:011}}", keys=ROWS, fresh=lay_out_data(),
    probe=probes.record_by_id(RECORDS, post, ROWS),
    note="a record of eight fields under a view rule, so its answer is longer")


def prepare_both(context):
    prepare_tables(context)
    prepare_posts(context)


FLOOR = Contestant("floor", ["{bin}/bench_floor", "{port}"], path="/plaintext")
WRK = Wrk(threads=4, connections=256)


def by_both(leg):
    """A leg once with our generator and once with the arguments that others publish their figures with."""
    other = replace(leg, name=f"{leg.name}-wrk", load=WRK, seconds=10, contestants=list(leg.contestants))
    return [leg, other]


def connection_legs():
    """The same work by more and more connections: the first is divided by."""
    what = {"plaintext": ("bare HTTP", (50, 200, 500, 1000)),
            "library": ("a row by its id", (50, 200, 500, 1000)),
            "increment": ("a durable change of a random row", (10, 50, 200))}
    legs = []
    for way, (words, counts) in what.items():
        sides = [replace(quern(way, f"{count} connections"), load=QuernLoad(connections=count))
                 for count in counts]
        if way == "plaintext":  # what the kernel takes for more connections, whoever answers
            sides += [replace(FLOOR, name=f"floor, {count} connections", load=QuernLoad(connections=count))
                      for count in counts]
        legs.append(Leg(f"connections-{way}", f"{words} through the library, by more and more connections",
                        sides, setup=prepare_tables,
                        goal="" if way == "increment" else "1000 at least 0.95 of the rate of 50"))
    return legs


LARGE_ROWS = 20_000_000


def prepare_large(context):
    context.rows = context.rows or LARGE_ROWS
    prepare_tables(context)
    # It is read only, and copying it in front of each round would take minutes.
    lay_out(context)


def large_legs():
    """Reads by random ids of a table that no cache of a program holds."""
    def large(side, way, fresh):
        return replace(side, fresh=fresh, keys=LARGE_ROWS, probe=probes.read_by_id(f"/{way}", LARGE_ROWS))

    def forget(context):
        forget_pages(f"{context.dir}/rows.db")

    legs = []
    for name, words, fresh, warm_up in (
            ("large-warm", "all of it in the system's cache", None, 1),
            ("large-cold", "none of it in the system's cache at the start", forget, 0)):
        sides = [large(quern(way), way, fresh) for way in ("library", "hot")]
        sides += [large(BY_NAME[rival].contestant(**members("hot")), "hot", fresh)
                  for rival in ("actix", "go-mattn")]
        legs.append(Leg(name, f"a row by its id out of 20 million, {words}", sides, setup=prepare_large,
                        warm_up_seconds=warm_up))
    return legs


def cold_program(flavour, phase, flag):
    return Contestant(f"{flavour} {phase} {flag}",
                      [f"{{bin}}/bench_cold_{flavour}", "{seconds}", "{dir}/rows.db", phase, flag],
                      program=True, fresh=lay_out)


LEGS = [
    Leg("ways", "three ways to a row, and the library's",
        [quern("plaintext"), quern("hot"), quern("library"), quern("cold")], setup=prepare_tables,
        goal="hot and library at least 0.95 of the rate of plaintext"),
    *by_both(Leg("plaintext", "Hello, World!", [quern("plaintext", "quern"), FLOOR, *rivals("plaintext")],
                 setup=prepare_tables, goal="at most 1.10 of the floor's CPU, and ahead of every rival")),
    *by_both(Leg("hot", "a row by its id, connection and statement kept",
                 [quern("library"), quern("hot"), COLLECTIONS, *rivals("hot")], setup=prepare_both,
                 goal="collections under a rule ahead of every rival")),
    *by_both(Leg("cold", "a row by its id, the database opened for each request",
                 [quern("cold"), *rivals("cold")], setup=prepare_tables)),
    Leg("cold-phases", "what a read costs that opens the database: phases, and how SQLite was compiled",
        [cold_program(flavour, phase, "private") for phase in ("open", "prepare", "all")
         for flavour in ("lean", "bundled")], seconds=2, setup=prepare_tables),
    Leg("cold-flavours", "a read that opens the database: the build, and the flag for a private cache",
        [cold_program(flavour, "all", flag) for flavour in ("lean", "bundled")
         for flag in ("private", "plain")], seconds=2, setup=prepare_tables,
        goal="the lean build at least 1.4 times as fast as the bundled one"),
    Leg("increment", "a durable change of a random row, 64 callers, synchronous=FULL",
        [quern("increment"), *rivals("increment")], setup=prepare_tables),
    *connection_legs(),
    *large_legs(),
]

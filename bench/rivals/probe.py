#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Starts rivals on fresh files and checks the contract: every route, to the byte, under concurrency.

usage: bench/rivals/probe.py [--journal wal delete] NAME..."""
import argparse
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from table import BY_NAME, ROOT  # noqa: E402
import probes  # noqa: E402  (table.py knows where it is)
from loads import Void  # noqa: E402
from measure import Context, ProbeFailed, probe  # noqa: E402
from tables import lay_out, prepare_tables  # noqa: E402

ROWS = (probes.plaintext, probes.read_by_id("/cold"), probes.read_by_id("/hot"), probes.increments())


def check(rival, journal):
    with tempfile.TemporaryDirectory(prefix="quern-rival-", dir=ROOT / "build") as directory:
        context = Context(root=str(ROOT), bin="", dir=directory)
        prepare_tables(context)
        checks = (*(ROWS if rival.rows else ()), *((probes.todos,) if rival.todos else ()))
        for wanted in checks:
            probe(context, rival.contestant(journal, probe=wanted, fresh=lay_out))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("names", nargs="+", choices=[name for name, one in BY_NAME.items() if
                                                     one.rows or one.todos])
    parser.add_argument("--journal", nargs="+", choices=("wal", "delete"), default=["wal", "delete"])
    options = parser.parse_args()
    status = 0
    for rival in map(BY_NAME.get, options.names):
        for journal in options.journal:
            try:
                check(rival, journal)
                print(f"{rival.name}, {journal}: keeps the contract", flush=True)
            except (ProbeFailed, Void) as failure:
                print(f"{rival.name}, {journal}: {failure}", flush=True)
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())

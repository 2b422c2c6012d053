# SPDX-License-Identifier: Apache-2.0
"""Legs of the library inside a program: every round is a run of the whole program, which tells the figures of
several classes of work. Each class is written as a leg of its own."""
import json
import subprocess
import sys
from pathlib import Path

from loads import Void
from measure import Contestant, Leg, ProbeFailed

sys.path.append(str(Path(__file__).resolve().parent / "rivals"))

from table import BY_NAME  # noqa: E402

ROWS = 20_000
PROBE_ROWS, PROBE_SECONDS_MAX = "1000", 60
CLASSES = {
    "seed": "rows inserted in transactions of 1,000",
    "read": "a row by a random id into a struct",
    "query": "twenty rows of a random bucket by name, into structs",
    "write": "one added to a random row, a transaction each",
    "write-32": "the same by 32 callers at once",
}


class StoreLeg(Leg):
    """A leg whose rounds are {"contestant", "classes": {class: figures}}."""

    unit = "operation"

    def figures(self, name, text):
        try:
            told = json.loads(text)["classes"]
            classes = {one["class"]: {
                "contestant": name,
                "requests": one["count"],
                "cpu_us_per_request": one["cpu_us"] / one["count"],
                "requests_per_second": one["ops_per_second"],
                "latency_p50_us": one["p50_us"],
                "latency_p99_us": one["p99_us"],
            } for one in told}
        except (ValueError, KeyError, TypeError, ZeroDivisionError):
            raise Void(f"{name} did not print its figures: {text.strip()[:200]!r}") from None
        if list(classes) != list(CLASSES):
            raise Void(f"{name} has other classes: {', '.join(classes)}")
        return {"contestant": name, "classes": classes}

    def line(self, name, figures):
        rates = (f"{kind} {one['requests_per_second']:.0f}/s" for kind, one in figures["classes"].items())
        return f"\n    {name}: " + "  ".join(rates)

    def parts(self, pairs):
        """The peak of memory is that of the whole run, so every class has it."""
        for name, words in CLASSES.items():
            leg = Leg(f"{self.name}-{name}", f"{words}; {self.title}", self.contestants, seconds=self.seconds)
            yield leg, [{side: {**figures["classes"][name], "peak_memory_kib": figures["peak_memory_kib"]}
                         for side, figures in pair.items()} for pair in pairs]


def prepare_rows(context):
    context.rows = context.rows or ROWS


def forget_store(context):
    """Removes what a program that was ended left behind."""
    for ending in ("", "-wal", "-shm"):
        Path(f"{context.dir}/store.db{ending}").unlink(missing_ok=True)


def probe(command):
    """A short run: the programs themselves look at the rows that they made, and end with an error if one is
    wrong or the directory is in memory."""
    def ask(context, _url):
        words = [context.fill(part, 0) for part in command]
        try:
            ran = subprocess.run([*words, PROBE_ROWS, "1"], timeout=PROBE_SECONDS_MAX, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True)
        except (OSError, subprocess.TimeoutExpired) as failure:
            raise ProbeFailed(str(failure)) from failure
        if ran.returncode != 0:
            raise ProbeFailed(ran.stderr.strip()[-300:] or f"it ended with {ran.returncode}")
    return ask


def side(mode, name, *command, **more):
    command = [*command, "{dir}", mode]
    return Contestant(name, [*command, "{rows}", "{seconds}"], program=True, probe=probe(command),
                      fresh=forget_store, **more)


def sides(mode):
    memory = ("a file in memory with a WAL, by Database::open_temporary(); the peak is without it"
              if mode == "ram" else "")
    return [side(mode, "C API", "{bin}/bench_store_sqlite"),
            side(mode, "quern", "{bin}/bench_store_quern", note=memory),
            side(mode, "go-store", *BY_NAME["go-store"].command, rival="go-store")]


def store(name, title, mode):
    return StoreLeg(name, title, sides(mode), setup=prepare_rows)


LEGS = [
    store("store-ram", "in memory", "ram"),
    store("store-durable", "on a disk, WAL and synchronous=FULL", "durable"),
]

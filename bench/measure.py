# SPDX-License-Identifier: Apache-2.0
"""Measuring: a server on one core, the load on another, what the kernel says the server used, and the
statistics of paired rounds."""
import http.client
import json
import math
import os
import random
import select
import signal
import socket
import statistics
import subprocess
import time
from dataclasses import dataclass, field

import account
from loads import QuernLoad, Target, Void

START_SECONDS_MAX = 30
STOP_SECONDS_MAX = 10
LOOK_SECONDS = 0.1


@dataclass
class Contestant:
    """One side of a comparison. `command`, `environment` and `body` may hold {bin}, {root}, {dir} and
    {port}, the command of a program also {rows} and {seconds}; {key} in path and body is the load's random
    key."""

    name: str
    command: list
    path: str = "/"
    environment: dict = field(default_factory=dict)
    method: str = "GET"
    body: str = ""
    headers: list = field(default_factory=list)
    keys: int = 1
    load: object = None  # instead of the leg's
    program: bool = False  # no server: it runs {seconds} by itself and prints its figures as JSON
    rival: str = ""  # of bench/rivals; must have been built
    note: str = ""  # what a reader must know of it: durability, what it does differently
    probe: object = None  # called with (context, base url or None) before any round; raises ProbeFailed
    fresh: object = None  # called with (context) in front of every round: lays out its data anew

    def target(self, context, port):
        return Target(f"http://127.0.0.1:{port}{self.path}", self.method, context.fill(self.body, port),
                      self.headers, self.keys)


@dataclass
class Leg:
    """A comparison of contestants over one workload. The others are divided by the first."""

    name: str
    title: str
    contestants: list
    load: object = field(default_factory=QuernLoad)
    pairs: int = 5
    seconds: int = 5
    warm_up_seconds: int = 1
    setup: object = None  # called once with (Context); prepares data directories, or raises NotReady
    goal: str = ""  # what the figures were meant to be

    @property
    def is_programs(self):
        """Nothing is served: no load, no latencies, and what is counted are operations."""
        return all(contestant.program for contestant in self.contestants)

    @property
    def unit(self):
        return "operation" if self.is_programs else "request"

    def figures(self, name, text):
        """Of a round, from what a program printed."""
        return program_figures(name, text)

    def line(self, name, figures):
        """A round of a contestant, to be said."""
        return f"{name} {figures['cpu_us_per_request']:.3f} us {figures['requests_per_second']:.0f}/s"

    def parts(self, pairs):
        """What is written: legs and their pairs. A leg whose rounds hold several figures is several."""
        return [(self, pairs)]


class NotReady(Exception):
    """The leg cannot run yet; the text says what is missing."""


class ProbeFailed(Exception):
    """A contestant answers wrong: it gets no figures."""


# --- one round ---------------------------------------------------------------------------------------------


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@dataclass
class Context:
    """Where things are. `fill` puts them into a contestant's texts."""

    root: str
    bin: str
    dir: str
    rows: int = 0  # of the tables; 0: as the leg has it
    names: tuple = ()  # of the contestants that are there
    server_core: int = 0
    load_core: int = 1

    def fill(self, text, port):
        values = {"{root}": self.root, "{bin}": self.bin, "{dir}": self.dir, "{port}": str(port),
                  "{rows}": str(self.rows)}
        for name, value in values.items():
            text = text.replace(name, value)
        return text


class Running:
    """A contestant's server, pinned to its core, in a session of its own."""

    def __init__(self, context, contestant):
        self.port = free_port()
        command = [context.fill(part, self.port) for part in contestant.command]
        added = {name: context.fill(value, self.port) for name, value in contestant.environment.items()}
        self.process = subprocess.Popen(["taskset", "-c", str(context.server_core), *command],
                                        env={**os.environ, **added}, start_new_session=True,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise Void(f"the server ended with {self.process.returncode}")
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1).close()
                return self
            except OSError:
                time.sleep(0.02)
        self.__exit__()
        raise Void("the server did not listen in time")

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def run_program(context, leg, contestant):
    """A contestant that needs no load: it works on the server's core and counts for itself."""
    command = [context.fill(part, 0).replace("{seconds}", str(leg.seconds)) for part in contestant.command]
    process = subprocess.Popen(["taskset", "-c", str(context.server_core), *command], stdout=subprocess.PIPE,
                               start_new_session=True)
    text, peak_memory_kib = watch(process)
    if process.wait() != 0:
        raise Void(f"{contestant.name} ended with {process.returncode}")
    return {**leg.figures(contestant.name, text), "peak_memory_kib": peak_memory_kib}


def watch(process):
    """What a program prints until its end, and the most memory that it had, looked at now and then and when
    it prints. (The account that the kernel gives at the end begins with the memory of who started it.)"""
    text, peak_memory_kib = b"", 0
    with process.stdout:
        while True:
            ready, _, _ = select.select([process.stdout], [], [], LOOK_SECONDS)
            peak_memory_kib = max(peak_memory_kib, account.peak_memory_kib(process.pid))
            if ready:
                piece = os.read(process.stdout.fileno(), 1 << 16)
                if not piece:
                    return text.decode(), peak_memory_kib
                text += piece


def program_figures(name, text):
    """The figures of a round from what a program printed. There are no latencies: nobody waited for it."""
    try:
        told = json.loads(text)
        return {
            "contestant": name,
            "requests": told["count"],
            "cpu_us_per_request": told["cpu_us"] / told["count"],
            "requests_per_second": told["count"] / told["seconds"],
        }
    except (ValueError, KeyError, TypeError, ZeroDivisionError):
        raise Void(f"{name} did not print its figures: {text.strip()[:200]!r}") from None


def served_figures(context, leg, contestant, server):
    """Warms a server up, loads it, and tells what that took."""
    target = contestant.target(context, server.port)
    load = contestant.load or leg.load
    if leg.warm_up_seconds:
        load.run(context, target, leg.warm_up_seconds)
    before = account.usage(server.process.pid)
    told = load.run(context, target, leg.seconds)
    user_ns, system_ns = account.spent(before, account.usage(server.process.pid))
    return {
        "contestant": contestant.name,
        "requests": told.requests,
        "cpu_us_per_request": (user_ns + system_ns) / 1e3 / told.requests,
        "user_us_per_request": user_ns / 1e3 / told.requests,
        "system_us_per_request": system_ns / 1e3 / told.requests,
        "requests_per_second": told.requests / told.seconds,
        "latency_p50_us": told.latency_p50_us,
        "latency_p99_us": told.latency_p99_us,
        "peak_memory_kib": account.peak_memory_kib(server.process.pid),
    }


def measure_round(context, leg, contestant):
    """Starts the contestant on its data and returns the figures of this round."""
    if contestant.fresh:
        contestant.fresh(context)
    if contestant.program:
        return run_program(context, leg, contestant)
    with Running(context, contestant) as server:
        return served_figures(context, leg, contestant, server)


def probe(context, contestant):
    """Asks a contestant what it must answer right before its speed is of interest."""
    if contestant.fresh:
        contestant.fresh(context)
    if contestant.program:
        contestant.probe(context, None)
        return
    with Running(context, contestant) as server:
        try:
            contestant.probe(context, server.url)
        except (OSError, http.client.HTTPException, ValueError) as failure:
            raise ProbeFailed(str(failure)) from failure


def probe_all(context, leg, say):
    """Takes those out that answer wrong, and returns them: (name, reason). Where one of ours does, there is
    nothing to compare: ProbeFailed."""
    failed = []
    for contestant in [side for side in leg.contestants if side.probe]:
        try:
            probe(context, contestant)
            say(f"  {contestant.name} answers right")
        except ProbeFailed as failure:
            if not contestant.rival:
                raise ProbeFailed(f"{contestant.name}: {failure}") from failure
            leg.contestants.remove(contestant)
            failed.append((contestant.name, f"it answers wrong: {failure}"))
            say(f"  {contestant.name} answers wrong: {failure}")
    return failed


def measure_leg(context, leg, say):
    """All rounds: one of each contestant a pair, the order turned round from pair to pair. A void round voids
    its pair, which is run again at most as often as there are pairs."""
    pairs, voids, attempt = [], [], 0
    while len(pairs) < leg.pairs and len(voids) <= leg.pairs:
        order = leg.contestants if attempt % 2 == 0 else leg.contestants[::-1]
        attempt += 1
        try:
            rounds = {contestant.name: measure_round(context, leg, contestant) for contestant in order}
        except Void as void:
            voids.append(str(void))
            say(f"  void: {void}")
            continue
        pairs.append(rounds)
        say("  " + "   ".join(leg.line(name, figures) for name, figures in rounds.items()))
    if len(pairs) < leg.pairs:
        raise Void(f"too many void rounds, the last: {voids[-1]}")
    return pairs, voids


# --- statistics --------------------------------------------------------------------------------------------

FIGURES = ("cpu_us_per_request", "user_us_per_request", "system_us_per_request", "requests_per_second",
           "latency_p50_us", "latency_p99_us", "peak_memory_kib")


def ratio(pairs, name, base, figure, resamples=10000, seed=1):
    """Geometric mean of the paired ratios name/base, with a bootstrap interval of 95 %."""
    logs = [math.log(pair[name][figure] / pair[base][figure]) for pair in pairs]
    chance = random.Random(seed)
    means = sorted(statistics.fmean(chance.choices(logs, k=len(logs))) for _ in range(resamples))
    return {
        "ratio": math.exp(statistics.fmean(logs)),
        "low": math.exp(means[int(0.025 * resamples)]),
        "high": math.exp(means[int(0.975 * resamples) - 1]),
    }


def summary(leg, pairs):
    """Medians of every contestant of what its rounds have, and the ratios to the first."""
    base = leg.contestants[0].name
    lines = []
    for contestant in leg.contestants:
        rounds = [pair[contestant.name] for pair in pairs]
        line = {"contestant": contestant.name}
        if contestant.note:
            line["note"] = contestant.note
        for figure in FIGURES:
            if figure in rounds[0]:
                line[figure] = statistics.median(one[figure] for one in rounds)
        if contestant.name != base:
            line["cpu_ratio"] = ratio(pairs, contestant.name, base, "cpu_us_per_request")
            line["throughput_ratio"] = ratio(pairs, contestant.name, base, "requests_per_second")
        lines.append(line)
    return lines

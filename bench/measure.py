# SPDX-License-Identifier: Apache-2.0
"""Measuring: a server on one core, the load on another, CPU time from the kernel's account of the process,
and the statistics of paired rounds."""
import ctypes
import json
import math
import os
import random
import re
import signal
import socket
import statistics
import subprocess
import time
from dataclasses import dataclass, field

START_SECONDS_MAX = 30
STOP_SECONDS_MAX = 10


@dataclass
class Contestant:
    """One side of a comparison. `command` and `environment` may hold {bin}, {root}, {dir} and {port}."""

    name: str
    command: list
    path: str = "/"
    environment: dict = field(default_factory=dict)
    wrk: list = field(default_factory=list)  # further wrk arguments: headers, a script
    program: bool = False  # no server: it runs {seconds} by itself and prints its figures as JSON


@dataclass
class Leg:
    """A comparison of contestants over one workload. The others are divided by the first."""

    name: str
    title: str
    contestants: list
    wrk: list = field(default_factory=lambda: ["-t1", "-c64"])
    pairs: int = 7
    seconds: int = 5
    warm_up_seconds: int = 1
    setup: object = None  # called once with (Context); prepares data directories, or raises NotReady

    @property
    def is_programs(self):
        """Nothing is served: no load, no latencies, and what is counted are operations."""
        return all(contestant.program for contestant in self.contestants)

    @property
    def unit(self):
        return "operation" if self.is_programs else "request"


class NotReady(Exception):
    """The leg cannot run yet; the text says what is missing."""


class Void(Exception):
    """The round does not count; the text says why."""


# --- CPU time ----------------------------------------------------------------------------------------------

_libc = ctypes.CDLL(None, use_errno=True)


def cpu_clock(pid):
    """The id of the CPU-time clock of a process: all its threads, ended ones included."""
    clock = ctypes.c_int()
    error = _libc.clock_getcpuclockid(ctypes.c_int(pid), ctypes.byref(clock))
    if error:
        raise OSError(error, os.strerror(error))
    return clock.value


def session_pids(leader):
    """All processes of the session that `leader` began: a server may have made workers."""
    pids = []
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                with open(f"/proc/{entry}/stat") as file:
                    fields = file.read().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[3]) == leader:
                pids.append(int(entry))
    return pids


def cpu_nanoseconds(leader):
    """CPU time spent so far by the server, user and system, in nanoseconds."""
    return sum(time.clock_gettime_ns(cpu_clock(pid)) for pid in session_pids(leader))


# --- wrk ---------------------------------------------------------------------------------------------------


@dataclass
class Load:
    requests: int
    seconds: float
    latency_p50_us: float
    latency_p99_us: float


_UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6}
_UNITS_S = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0}


def parse_wrk(text):
    """What wrk --latency printed. Raises Void when any answer was not 2xx or a connection broke."""
    bad = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    if bad:
        raise Void(f"{bad[1]} answers were not 2xx")
    errors = re.search(r"Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)", text)
    if errors and any(int(count) for count in errors.groups()):
        raise Void(errors[0])
    total = re.search(r"(\d+) requests in ([\d.]+)(us|ms|s|m)", text)
    if not total or int(total[1]) == 0:
        raise Void("no requests were counted")

    def percentile(number):
        found = re.search(rf"^\s*{number}%\s+([\d.]+)(us|ms|s|m)", text, re.M)
        return float(found[1]) * _UNITS_US[found[2]] if found else math.nan

    return Load(int(total[1]), float(total[2]) * _UNITS_S[total[3]], percentile(50), percentile(99))


def wrk(url, arguments, seconds, core):
    command = ["taskset", "-c", str(core), "wrk", "--latency", *arguments, f"-d{seconds}s", url]
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode != 0:
        raise Void(f"wrk ended with {ran.returncode}: {ran.stdout.strip()}")
    return parse_wrk(ran.stdout)


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
    server_core: int = 0
    load_core: int = 1

    def fill(self, text, port):
        values = {"{root}": self.root, "{bin}": self.bin, "{dir}": self.dir, "{port}": str(port)}
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
    ran = subprocess.run(["taskset", "-c", str(context.server_core), *command], stdout=subprocess.PIPE,
                         text=True)
    if ran.returncode != 0:
        raise Void(f"{contestant.name} ended with {ran.returncode}")
    return program_figures(contestant.name, ran.stdout)


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


def measure_round(context, leg, contestant):
    """Starts the server, warms it up, loads it; returns the figures of this round."""
    if contestant.program:
        return run_program(context, leg, contestant)
    with Running(context, contestant) as server:
        url = f"http://127.0.0.1:{server.port}{contestant.path}"
        arguments = [*leg.wrk, *(context.fill(part, server.port) for part in contestant.wrk)]
        wrk(url, arguments, leg.warm_up_seconds, context.load_core)
        before = cpu_nanoseconds(server.process.pid)
        load = wrk(url, arguments, leg.seconds, context.load_core)
        spent = cpu_nanoseconds(server.process.pid) - before
    return {
        "contestant": contestant.name,
        "requests": load.requests,
        "cpu_us_per_request": spent / 1e3 / load.requests,
        "requests_per_second": load.requests / load.seconds,
        "latency_p50_us": load.latency_p50_us,
        "latency_p99_us": load.latency_p99_us,
    }


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
        say("  " + "   ".join(
            f"{name} {figures['cpu_us_per_request']:.3f} us {figures['requests_per_second']:.0f}/s"
            for name, figures in rounds.items()))
    if len(pairs) < leg.pairs:
        raise Void(f"too many void rounds, the last: {voids[-1]}")
    return pairs, voids


# --- statistics --------------------------------------------------------------------------------------------

FIGURES = ("cpu_us_per_request", "requests_per_second", "latency_p50_us", "latency_p99_us")


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
        for figure in FIGURES:
            if figure in rounds[0]:
                line[figure] = statistics.median(one[figure] for one in rounds)
        if contestant.name != base:
            line["cpu_ratio"] = ratio(pairs, contestant.name, base, "cpu_us_per_request")
            line["throughput_ratio"] = ratio(pairs, contestant.name, base, "requests_per_second")
        lines.append(line)
    return lines

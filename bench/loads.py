# SPDX-License-Identifier: Apache-2.0
"""The load generators: what each is told, and what its words mean. All run on a core of their own."""
import json
import math
import re
import subprocess
from dataclasses import dataclass, field

# Beyond what the generator measures: connecting, and the last answers.
GRACE_SECONDS = 60


class Void(Exception):
    """The round does not count; the text says why."""


@dataclass
class Load:
    requests: int
    seconds: float
    latency_p50_us: float
    latency_p99_us: float


@dataclass
class Target:
    """What is asked, as the contestant wants it asked."""

    url: str
    method: str = "GET"
    body: str = ""
    headers: list = field(default_factory=list)  # "Name: value"
    keys: int = 1  # {key} in url and body is a random number from 1 to this


def run_on(core, command, seconds):
    try:
        return subprocess.run(["taskset", "-c", str(core), *command], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=seconds + GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        raise Void(f"{command[0]} did not end") from None


# --- wrk ---------------------------------------------------------------------------------------------------

_UNITS_US = {"us": 1.0, "ms": 1e3, "s": 1e6, "m": 60e6}


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

    return Load(int(total[1]), float(total[2]) * _UNITS_US[total[3]] / 1e6, percentile(50), percentile(99))


@dataclass
class Wrk:
    """wrk, which most figures of others were taken with. Random keys need its Lua."""

    threads: int = 1
    connections: int = 64

    def __str__(self):
        return f"wrk -t{self.threads} -c{self.connections}"

    def run(self, context, target, seconds):
        command = ["wrk", "--latency", f"-t{self.threads}", f"-c{self.connections}", f"-d{seconds}s"]
        for header in target.headers:
            command += ["-H", header]
        if "{key" in target.url + target.body or target.method != "GET":
            command += ["-s", f"{context.root}/bench/request.lua"]
        if target.body:
            command += ["-H", "Content-Type: application/json"]
        scheme, _, rest = target.url.partition("://")
        address, slash, path = rest.partition("/")
        command += [f"{scheme}://{address}/", "--", target.method, slash + path, target.body,
                    str(target.keys)]
        ran = run_on(context.load_core, command, seconds)
        if ran.returncode != 0:
            raise Void(f"wrk ended with {ran.returncode}: {ran.stdout.strip()[-300:]}")
        return parse_wrk(ran.stdout)


# --- quern load --------------------------------------------------------------------------------------------


def parse_quern(text):
    """What `quern load --json` printed; latencies are of complete answers only."""
    try:
        told = json.loads(text)
        load = Load(told["requests"], told["seconds"], told["latency_us"]["p50"], told["latency_us"]["p99"])
    except (ValueError, KeyError, TypeError):
        raise Void(f"quern load did not print its figures: {text.strip()[-300:]!r}") from None
    if load.requests == 0:
        raise Void("no requests were counted")
    return load


@dataclass
class QuernLoad:
    """The generator of the binary itself: keys cost it next to nothing, and it can keep a rate."""

    connections: int = 64
    threads: int = 1
    rate: float = 0

    def __str__(self):
        rate = f" -r {self.rate:g}" if self.rate else ""
        return f"quern load -c {self.connections} -t {self.threads}{rate}"

    def run(self, context, target, seconds):
        command = [f"{context.bin}/quern", "load", target.url, "--json", "-c", str(self.connections),
                   "-t", str(self.threads), "-d", str(seconds), "--warm-up", "0", "-m", target.method,
                   "-k", str(target.keys)]
        if self.rate:
            command += ["-r", str(self.rate)]
        if target.body:
            command += ["-b", target.body]
        for header in target.headers:
            command += ["-H", header]
        ran = run_on(context.load_core, command, seconds)
        if ran.returncode != 0:
            raise Void(f"quern load ended with {ran.returncode}: {ran.stdout.strip()[-300:]}")
        return parse_quern(ran.stdout[ran.stdout.find("{"):])


# --- ab ----------------------------------------------------------------------------------------------------


def parse_ab(text):
    """What ab printed. With -l answers may differ in length; everything else that it calls failed is."""
    bad = re.search(r"Non-2xx responses:\s+(\d+)", text)
    if bad:
        raise Void(f"{bad[1]} answers were not 2xx")
    failed = re.search(r"Failed requests:\s+(\d+)", text)
    if failed and int(failed[1]):
        raise Void(failed[0])
    complete, took = (re.search(pattern, text) for pattern in
                      (r"Complete requests:\s+(\d+)", r"Time taken for tests:\s+([\d.]+) seconds"))
    if not complete or not took or int(complete[1]) == 0:
        raise Void("no requests were counted")

    def percentile(number):
        found = re.search(rf"^\s*{number}%\s+(\d+)", text, re.M)
        return float(found[1]) * 1e3 if found else math.nan  # ab rounds to milliseconds

    return Load(int(complete[1]), float(took[1]), percentile(50), percentile(99))


@dataclass
class Ab:
    """ApacheBench with kept connections. It knows no random keys."""

    connections: int = 20

    def __str__(self):
        return f"ab -l -k -c {self.connections}"

    def run(self, context, target, seconds):
        if "{key" in target.url or target.method not in ("GET", "POST"):
            raise ValueError("ab has neither keys nor other methods")
        command = ["ab", "-l", "-k", "-q", "-r", "-c", str(self.connections), "-t", str(seconds),
                   "-n", "100000000"]
        for header in target.headers:
            command += ["-H", header]
        if target.method == "POST":
            body = f"{context.dir}/ab-body.json"
            with open(body, "w") as file:
                file.write(target.body)
            command += ["-p", body, "-T", "application/json"]
        ran = run_on(context.load_core, [*command, target.url], seconds)
        if ran.returncode != 0:
            raise Void(f"ab ended with {ran.returncode}: {ran.stdout.strip()[-300:]}")
        return parse_ab(ran.stdout)

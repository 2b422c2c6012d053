# SPDX-License-Identifier: Apache-2.0
"""The measuring itself: the generators' words, the process clock, programs, the ratio, the page."""
import json
import subprocess
import sys
import time
import unittest
from pathlib import Path
from xml.etree import ElementTree

sys.path.insert(0, str(Path(__file__).resolve().parent))

import account  # noqa: E402
import legs_store  # noqa: E402
import loads  # noqa: E402
import measure  # noqa: E402
import plot  # noqa: E402
import probes  # noqa: E402
import report  # noqa: E402
from legs import LEGS  # noqa: E402

WRK = """Running 2s test @ http://127.0.0.1:1/
  1 threads and 64 connections
  Thread Stats   Avg      Stdev     Max   +/- Stdev
    Latency   522.12us  101.00us   3.20ms   91.20%
  Latency Distribution
     50%  512.00us
     75%  540.00us
     90%  600.00us
     99%    1.02ms
  240000 requests in 2.00s, 30.00MB read
Requests/sec: 120000.00
"""


class Wrk(unittest.TestCase):
    def test_counts_and_percentiles(self):
        load = loads.parse_wrk(WRK)
        self.assertEqual((load.requests, load.seconds), (240000, 2.0))
        self.assertEqual((load.latency_p50_us, load.latency_p99_us), (512.0, 1020.0))

    def test_a_wrong_answer_voids_the_round(self):
        for line in ("  Non-2xx or 3xx responses: 1\n",
                     "  Socket errors: connect 0, read 1, write 0, timeout 0\n"):
            with self.assertRaises(loads.Void):
                loads.parse_wrk(WRK + line)
        with self.assertRaises(loads.Void):
            loads.parse_wrk("unable to connect")


AB = """Complete requests:      24
Failed requests:        0
Time taken for tests:   2.500 seconds

Percentage of the requests served within a certain time (ms)
  50%      3
  99%     12
"""


class OtherGenerators(unittest.TestCase):
    def test_ab(self):
        load = loads.parse_ab(AB)
        self.assertEqual(load, loads.Load(24, 2.5, 3000.0, 12000.0))

    def test_ab_voids_what_failed(self):
        for bad in (AB + "Non-2xx responses:      2\n",
                    AB.replace("requests:        0", "requests:        1"),
                    AB.replace("24", "0"), "apr_socket_recv: Connection refused"):
            with self.assertRaises(loads.Void):
                loads.parse_ab(bad)

    def test_quern_load(self):
        text = '{"requests": 10, "seconds": 2, "latency_us": {"p50": 5, "p99": 9}}'
        self.assertEqual(loads.parse_quern(text), loads.Load(10, 2, 5, 9))
        for bad in ("", "quern: no such host", text.replace("10", "0")):
            with self.assertRaises(loads.Void):
                loads.parse_quern(bad)


class Account(unittest.TestCase):
    def test_the_exact_sum_is_shared_out_as_the_ticks_were(self):
        before, after = account.Usage(1000, 10, 10), account.Usage(5000, 40, 20)
        self.assertEqual(account.spent(before, after), (3000, 1000))
        self.assertEqual(account.spent(before, account.Usage(5000, 10, 10)), (0, 4000))

    def test_the_peak_memory_of_another_process(self):
        code = "x = bytearray(64 << 20)\nprint(1, flush=True)\ninput()"
        process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE,
                                   start_new_session=True)
        try:
            process.stdout.readline()
            self.assertGreater(account.peak_memory_kib(process.pid), 64 << 10)
        finally:
            process.communicate(b"\n")


class Clock(unittest.TestCase):
    def test_the_cpu_time_of_another_process(self):
        burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\ninput()"
        process = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE,
                                   start_new_session=True)
        try:
            deadline = time.monotonic() + 20
            while account.cpu_nanoseconds(process.pid) < 0.3e9 and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.1)
            spent = account.cpu_nanoseconds(process.pid)
            self.assertGreaterEqual(spent, 0.3e9)
            self.assertLess(spent, 3e9)
        finally:
            process.communicate(b"\n")


def program(name, code):
    return measure.Contestant(name, [sys.executable, "-c", code, "{seconds}"], program=True)


def sides(program_a=True, program_b=True):
    return [measure.Contestant("a", [], program=program_a), measure.Contestant("b", [], program=program_b)]


class Program(unittest.TestCase):
    CONTEXT = measure.Context(root="", bin="", dir="")

    def round_of(self, code):
        one = program("one", code)
        return measure.measure_round(self.CONTEXT, measure.Leg("x", "x", [one], seconds=3), one)

    def test_it_is_told_the_seconds_and_counts_for_itself(self):
        figures = self.round_of("""import sys
print('{"count": 200, "cpu_us": 50, "seconds": %s}' % sys.argv[1])""")
        self.assertGreater(figures.pop("peak_memory_kib"), 1000)
        self.assertEqual(figures, {"contestant": "one", "requests": 200, "cpu_us_per_request": 0.25,
                                   "requests_per_second": 200 / 3})

    def test_its_peak_of_memory_is_its_own(self):
        held = bytearray(64 << 20)  # of who starts it
        print_figures = """print('{"count": 1, "cpu_us": 1, "seconds": 1}')"""
        small = self.round_of(print_figures)["peak_memory_kib"]
        large = self.round_of("x = bytearray(96 << 20)\n" + print_figures)["peak_memory_kib"]
        self.assertLess(small, len(held) >> 10)
        self.assertGreater(large, 96 << 10)

    def test_a_program_that_fails_or_prints_something_else_voids_the_round(self):
        for code in ("raise SystemExit(1)", "print('nothing to say')", "print('7')",
                     """print('{"count": 0, "cpu_us": 1, "seconds": 1}')""",
                     """print('{"count": 1, "cpu_us": 1}')"""):
            with self.assertRaises(loads.Void):
                self.round_of(code)

    def test_a_leg_of_programs_alone_has_operations(self):
        self.assertEqual(measure.Leg("x", "x", sides()).unit, "operation")
        self.assertEqual(measure.Leg("x", "x", sides(program_b=False)).unit, "request")

    def test_a_summary_has_the_figures_that_the_rounds_have(self):
        served = {"cpu_us_per_request": 2.0, "requests_per_second": 5.0, "latency_p50_us": 7.0,
                  "latency_p99_us": 9.0}
        pairs = [{"a": {"cpu_us_per_request": 1.0, "requests_per_second": 10.0}, "b": served}] * 3
        a, b = measure.summary(measure.Leg("x", "x", sides(program_b=False)), pairs)
        self.assertEqual(a, {"contestant": "a", "cpu_us_per_request": 1.0, "requests_per_second": 10.0})
        self.assertEqual((b["latency_p50_us"], b["latency_p99_us"]), (7.0, 9.0))
        self.assertAlmostEqual(b["cpu_ratio"]["ratio"], 2.0)

    def test_the_legs_have_names_of_their_own(self):
        self.assertEqual(len({leg.name for leg in LEGS}), len(LEGS))


class Store(unittest.TestCase):
    """Programs that tell the figures of several classes in one round."""

    LEG = legs_store.StoreLeg("store-x", "in x", sides())

    @staticmethod
    def printed(first="seed", rate=10.0):
        names = [first, *list(legs_store.CLASSES)[1:]]
        return json.dumps({"classes": [
            {"class": name, "count": 10, "seconds": 1, "ops_per_second": rate + place, "p50_us": 5,
             "p99_us": 9, "cpu_us": 40} for place, name in enumerate(names)], "journal": "wal"})

    def round_of(self, name, rate):
        return {**self.LEG.figures(name, self.printed(rate=rate)), "peak_memory_kib": 2048}

    def test_each_class_is_written_as_a_leg_of_its_own(self):
        pairs = [{"a": self.round_of("a", 10), "b": self.round_of("b", 20)}] * 3
        parts = list(self.LEG.parts(pairs))
        self.assertEqual([part.name for part, _ in parts],
                         [f"store-x-{name}" for name in ("seed", "read", "query", "write", "write-32")])
        leg, rounds = parts[1]
        self.assertEqual((leg.unit, len(rounds)), ("operation", 3))
        a, b = measure.summary(leg, rounds)
        self.assertEqual((a["cpu_us_per_request"], a["latency_p99_us"]), (4.0, 9))
        self.assertEqual(a["peak_memory_kib"], 2048)
        self.assertAlmostEqual(b["throughput_ratio"]["ratio"], 21 / 11)

    def test_a_program_that_prints_something_else_voids_the_round(self):
        nothing = self.printed().replace('"count": 10', '"count": 0')
        for text in ("", "7", "{}", self.printed("sown"), nothing):
            with self.assertRaises(loads.Void):
                self.LEG.figures("a", text)

    def test_a_program_that_fails_its_own_probe_gets_no_figures(self):
        side = legs_store.side("ram", "wrong", sys.executable, "-c",
                               "import sys; sys.exit(' '.join(sys.argv[1:]) + ': a change was lost')")
        context = measure.Context(root="", bin="", dir="/nowhere", rows=5)
        with self.assertRaisesRegex(measure.ProbeFailed, "wrong: /nowhere ram 1000 1: a change was lost"):
            measure.probe_all(context, measure.Leg("x", "x", [side]), lambda line: None)

    def test_a_program_is_told_the_rows_and_the_seconds(self):
        side = legs_store.side("durable", "one", sys.executable, "-c", """import json, sys
print(json.dumps({"count": 1, "cpu_us": 1, "seconds": 1}) if sys.argv[1:] == ["/nowhere", "durable", "5", "3"]
      else sys.argv)""")
        context = measure.Context(root="", bin="", dir="/nowhere", rows=5)
        figures = measure.measure_round(context, measure.Leg("x", "x", [side], seconds=3), side)
        self.assertEqual(figures["requests"], 1)


class Ratio(unittest.TestCase):
    def test_a_constant_ratio_has_no_spread(self):
        pairs = [{"a": {"x": value}, "b": {"x": value * 1.5}} for value in (1.0, 2.0, 3.0, 4.0, 5.0)]
        found = measure.ratio(pairs, "b", "a", "x")
        for name in ("ratio", "low", "high"):
            self.assertAlmostEqual(found[name], 1.5)

    def test_the_mean_is_geometric_and_the_interval_holds_it(self):
        pairs = [{"a": {"x": 1.0}, "b": {"x": value}} for value in (0.5, 2.0, 0.5, 2.0)]
        found = measure.ratio(pairs, "b", "a", "x")
        self.assertAlmostEqual(found["ratio"], 1.0)
        self.assertLess(found["low"], 1.0)
        self.assertGreater(found["high"], 1.0)

    def test_the_order_of_a_pair_turns_round(self):
        names = [measure.Contestant("a", []), measure.Contestant("b", [])]
        seen = []

        def one(_context, _leg, contestant):
            seen.append(contestant.name)
            return {"cpu_us_per_request": 1.0, "requests_per_second": 1.0}

        kept, measure.measure_round = measure.measure_round, one
        try:
            measure.measure_leg(None, measure.Leg("x", "x", names, pairs=2), lambda line: None)
        finally:
            measure.measure_round = kept
        self.assertEqual(seen, ["a", "b", "b", "a"])


class FailedProbe(unittest.TestCase):
    """A contestant that answers wrong gets no figures."""

    SERVER = """import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", "5")
        self.end_headers()
        self.wfile.write(b"Hello")
http.server.ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()"""

    def test_wrong_bytes_end_the_leg(self):
        side = measure.Contestant("wrong", [sys.executable, "-c", self.SERVER, "{port}"],
                                  probe=probes.plaintext)
        context = measure.Context(root="", bin="", dir="")
        with self.assertRaisesRegex(measure.ProbeFailed, "wrong: the answer.*Hello.*instead of"):
            measure.probe_all(context, measure.Leg("x", "x", [side]), lambda line: None)

    def test_a_rival_with_wrong_bytes_is_left_out_and_named(self):
        side = measure.Contestant("wrong", [sys.executable, "-c", self.SERVER, "{port}"], rival="other",
                                  probe=probes.plaintext)
        leg = measure.Leg("x", "x", [measure.Contestant("ours", []), side])
        failed = measure.probe_all(measure.Context(root="", bin="", dir=""), leg, lambda line: None)
        self.assertEqual([side.name for side in leg.contestants], ["ours"])
        self.assertEqual(failed[0][0], "wrong")
        self.assertIn("instead of", failed[0][1])


class Page(unittest.TestCase):
    ABOUT = {"machine": "M", "date": "D", "commit": "C", "command": "bench/run x"}
    SERVED = {"contestant": "a", "cpu_us_per_request": 2.0, "user_us_per_request": 0.5,
              "system_us_per_request": 1.5, "requests_per_second": 4.0, "latency_p50_us": 5.0,
              "latency_p99_us": 9.0, "peak_memory_kib": 2048}

    def result(self, unit, *summary, **more):
        return {"leg": "x", "title": "words", "unit": unit, "load": "wrk -t1 -c64", "seconds": 2,
                "circumstances": self.ABOUT, "summary": summary, "pairs": [1, 2, 3], "voids": [], **more}

    def test_programs_have_operations_and_neither_latencies_nor_a_load(self):
        ratio = {"ratio": 1.5, "low": 1.25, "high": 1.75}
        text = report.table(self.result(
            "operation", {"contestant": "a", "cpu_us_per_request": 0.2504, "requests_per_second": 4e6},
            {"contestant": "b", "cpu_us_per_request": 0.375, "requests_per_second": 3e6, "cpu_ratio": ratio,
             "peak_memory_kib": 1536}))
        self.assertEqual(text, """### x: words

| contestant | CPU µs/operation | ratio (95 %) | operations/s | ratio (95 %) | peak MiB |
|---|---:|---:|---:|---:|---:|
| a | 0.250 | 1 | 4000000 | 1 |  |
| b | 0.375 | 1.500 (1.250 to 1.750) | 3000000 | 1 | 1.5 |

3 pairs of 2 s; 0 void. M. D, commit C. `bench/run x`
[Bars](results/x.svg), [every round](results/x.json).
""")

    def test_a_program_that_keeps_the_time_has_latencies(self):
        text = report.table(self.result("operation", {
            "contestant": "a", "cpu_us_per_request": 0.25, "requests_per_second": 4e6, "latency_p50_us": 1.25,
            "latency_p99_us": 12.0}))
        self.assertIn("| operations/s | ratio (95 %) | p50 µs | p99 µs | peak MiB |\n", text)
        self.assertIn("| a | 0.250 | 1 | 4000000 | 1 | 1.2 | 12.0 |  |\n", text)

    def test_a_server_has_latencies_and_a_program_beside_it_none(self):
        text = report.table(self.result("request", self.SERVED, {
            "contestant": "b", "cpu_us_per_request": 3.0, "requests_per_second": 4.0}))
        self.assertIn("| CPU µs/request | user + system | ratio (95 %) | requests/s | ratio (95 %) | p50 µs "
                      "| p99 µs | peak MiB |\n", text)
        self.assertIn("| a | 2.00 | 0.5 + 1.5 | 1 | 4 | 1 | 5 | 9 | 2.0 |\n", text)
        self.assertIn("| b | 3.00 |  | 1 | 4 | 1 |  |  |  |\n", text)
        self.assertIn("3 pairs of 2 s, `wrk -t1 -c64`; 0 void.", text)

    def test_goal_notes_absent_contestants_and_versions_stand_below(self):
        text = report.table(self.result(
            "request", {**self.SERVED, "note": "with care"}, goal="to be first",
            absent=[("c", "no compiler")],
            versions={"b": {"versions": {"lib": "1.2"}, "flags": "-O2"}}))
        self.assertTrue(text.endswith(
            "\nGoal: to be first.\n\n- a: with care.\n- c is absent: no compiler.\n- b: lib 1.2; -O2.\n"))

    def test_the_bars_are_as_long_as_the_figures_say(self):
        other = {**self.SERVED, "contestant": "b <2>", "requests_per_second": 2.0}
        drawn = ElementTree.fromstring(plot.svg(self.result("request", self.SERVED, other), {"a"}))
        bars = drawn.findall("{http://www.w3.org/2000/svg}rect")
        widths = [float(bar.get("width")) for bar in bars]
        self.assertEqual(len(widths), 4)
        self.assertAlmostEqual(widths[0], 2 * widths[1], delta=0.2)
        self.assertEqual([bar.get("fill") for bar in bars], [plot.OURS, plot.THEIRS] * 2)

    def test_a_leg_replaces_itself_and_a_new_one_goes_behind_the_last(self):
        page = "head\n"
        for name, fresh in (("a", "1\n"), ("b", "2\n"), ("a", "3\n")):
            page = report.replace_between(page, name, fresh)
        legs = "<!-- leg a -->\n3\n<!-- end of leg a -->\n\n<!-- leg b -->\n2\n<!-- end of leg b -->\n"
        self.assertEqual(page, "head\n\n" + legs)
        self.assertTrue(report.replace_between(page + "\ntail\n", "c", "4\n").endswith(
            "<!-- end of leg c -->\n\ntail\n"))


if __name__ == "__main__":
    unittest.main()

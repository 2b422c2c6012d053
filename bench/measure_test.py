# SPDX-License-Identifier: Apache-2.0
"""The measuring itself: wrk's words, the process clock, the ratio and its interval."""
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import measure  # noqa: E402

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
        load = measure.parse_wrk(WRK)
        self.assertEqual((load.requests, load.seconds), (240000, 2.0))
        self.assertEqual((load.latency_p50_us, load.latency_p99_us), (512.0, 1020.0))

    def test_a_wrong_answer_voids_the_round(self):
        for line in ("  Non-2xx or 3xx responses: 1\n",
                     "  Socket errors: connect 0, read 1, write 0, timeout 0\n"):
            with self.assertRaises(measure.Void):
                measure.parse_wrk(WRK + line)
        with self.assertRaises(measure.Void):
            measure.parse_wrk("unable to connect")


class Clock(unittest.TestCase):
    def test_the_cpu_time_of_another_process(self):
        burn = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\ninput()"
        process = subprocess.Popen([sys.executable, "-c", burn], stdin=subprocess.PIPE,
                                   start_new_session=True)
        try:
            deadline = time.monotonic() + 20
            while measure.cpu_nanoseconds(process.pid) < 0.3e9 and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.1)
            spent = measure.cpu_nanoseconds(process.pid)
            self.assertGreaterEqual(spent, 0.3e9)
            self.assertLess(spent, 3e9)
        finally:
            process.communicate(b"\n")


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


if __name__ == "__main__":
    unittest.main()

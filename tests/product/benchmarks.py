# SPDX-License-Identifier: Apache-2.0
"""The harness of the benchmarks: a leg runs from its data to its table. No figure is judged."""
import os
import re
import subprocess
import sys
import tempfile
import unittest

from harness import BINARY, ROOT

SECONDS_MAX = 120


def bench(*arguments):
    return subprocess.run([sys.executable, ROOT / "bench/run", *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=SECONDS_MAX)


class Benchmarks(unittest.TestCase):
    def test_they_are_listed(self):
        listed = bench()
        self.assertEqual(listed.returncode, 0, listed.stdout)
        self.assertIn("shared-insert", listed.stdout)

    def test_one_that_is_not_there_is_named(self):
        refused = bench("shared", "nothing")
        self.assertEqual(refused.returncode, 1)
        self.assertIn("no such leg: nothing", refused.stdout)

    @unittest.skipIf((os.cpu_count() or 1) < 2, "server and load need a core each")
    def test_a_leg_of_the_binary_alone_runs_to_its_table(self):
        with tempfile.TemporaryDirectory() as data:
            ran = bench("shared-insert", "--dry", "--pairs", 2, "--seconds", 1, "--rows", 200,
                        "--bin", BINARY.parent, "--data", data)
            self.assertEqual(ran.returncode, 0, ran.stdout)
            self.assertEqual(os.listdir(data), [], "nothing is left")
        for side in ("exclusive", "shared"):
            self.assertIn(f"{side} answers right", ran.stdout)
            self.assertRegex(ran.stdout, rf"(?m)^\| {side} \| [\d.]+ \| [\d.]+ \+ [\d.]+ \|")
        self.assertRegex(ran.stdout, r"2 pairs of 1 s, `quern load -c 64 -t 1`; \d void\.")
        self.assertTrue(re.search(r"SQLite [\d.]+ lean", ran.stdout), ran.stdout)


if __name__ == "__main__":
    unittest.main()

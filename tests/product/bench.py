# SPDX-License-Identifier: Apache-2.0
"""`quern bench`: what its report holds, and that nothing stays behind. No time is judged."""
import json
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from harness import BINARY

SECONDS_MAX = 120
PRESENT = ("create", "create_32", "read", "read_32", "list", "list_32", "list_rule", "update", "delete")
ABSENT = ("group_count", "create_history", "list_as_of")
BESIDE = ("create", "read", "list", "update")
QUICK = ("--seconds", "0.02")
FEW = ("--rows", "2000")


class Bench(unittest.TestCase):
    def setUp(self):
        # Not where temporary files are: that may be in memory.
        kept = tempfile.TemporaryDirectory(prefix="bench-test-", dir=BINARY.parent)
        self.addCleanup(kept.cleanup)
        self.directory = Path(kept.name)

    def bench(self, *arguments, environment=None):
        return subprocess.run([BINARY, "bench", *arguments], cwd=self.directory, env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=SECONDS_MAX)

    def report(self, *arguments):
        ran = self.bench(*QUICK, "--json", *arguments)
        self.assertEqual((ran.returncode, ran.stderr), (0, ""))
        self.assertEqual(list(self.directory.iterdir()), [])
        return json.loads(ran.stdout)

    def test_the_report_holds_every_measure(self):
        report = self.report(*FEW)
        measures = {measure["name"]: measure for measure in report["measures"]}
        self.assertEqual(sorted(measures), sorted(PRESENT + ABSENT))
        self.assertEqual([measure["name"] for measure in report["sqlite"]], list(BESIDE))
        for figures in [measures[name] for name in PRESENT] + report["sqlite"]:
            self.assertGreater(figures["count"], 0, figures)
            self.assertGreater(figures["operations_per_second"], 0, figures)
            self.assertLessEqual(figures["median_us"], figures["p99_us"], figures)
        for name in ABSENT:
            self.assertEqual(set(measures[name]), {"name", "title", "absent"})
            self.assertTrue(measures[name]["absent"])

    def test_the_report_says_what_was_measured_where(self):
        report = self.report(*FEW, "--only", "read", "--commit", "abc123")
        self.assertEqual([measure["name"] for measure in report["measures"]], ["read"])
        self.assertTrue(report["machine"]["processor"])
        self.assertTrue(report["machine"]["kernel"].startswith("Linux "))
        self.assertEqual(report["machine"]["processors"], len(os.sched_getaffinity(0)))
        self.assertTrue(report["file_system"]["type"])
        self.assertEqual((report["durability"], report["rows"], report["seconds"]), ("full", 2000, 0.02))
        self.assertEqual(report["commit"], "abc123")
        self.assertEqual(self.report(*FEW, "--only", "read", "--relaxed")["durability"], "normal")

    def test_runs_that_are_not_alike_have_no_score(self):
        report = self.report(*FEW, "--only", "list")
        self.assertIsNone(report["score"])
        self.assertTrue(report["score_absent"])

    def test_a_run_like_the_reference_has_a_score(self):
        report = self.report("--only", "read", "--only", "list")
        if report["file_system"]["in_memory"]:
            self.skipTest("the checkout is in memory")
        self.assertGreater(report["score"]["value"], 0)
        self.assertEqual(report["score"]["measures"], 2)
        self.assertIn("the run of ", report["score"]["relative_to"])

    def test_text_and_progress(self):
        ran = self.bench(*QUICK, *FEW, "--only", "read", "--only", "create_history", "--progress")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("read by id, 1 caller", ran.stdout)
        self.assertIn("absent: ", ran.stdout)
        self.assertIn("1 of 2: read by id", ran.stderr)

    def test_the_directory_is_made_beside_the_one_that_is_named(self):
        ran = self.bench(*QUICK, *FEW, "--only", "read", "--dir", str(self.directory / "none" / "data"))
        self.assertEqual(ran.returncode, 2)
        self.assertIn(str(self.directory / "none"), ran.stderr)
        (self.directory / "there").mkdir()
        ran = self.bench(*QUICK, *FEW, "--only", "read", "--dir", str(self.directory / "there" / "data"))
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertEqual(list((self.directory / "there").iterdir()), [])
        ran = self.bench(*QUICK, *FEW, "--only", "read", environment={"TMPDIR": str(self.directory / "away")})
        self.assertEqual(ran.returncode, 2)
        self.assertIn("away", ran.stderr)

    def test_memory_is_warned_of(self):
        if not os.access("/dev/shm", os.W_OK):
            self.skipTest("there is no place in memory")
        before = set(os.listdir("/dev/shm"))
        ran = self.bench(*QUICK, *FEW, "--json", "--only", "create", "--dir", "/dev/shm/data")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn("/dev/shm is in memory", ran.stderr)
        self.assertTrue(json.loads(ran.stdout)["file_system"]["in_memory"])
        self.assertIsNone(json.loads(ran.stdout)["score"])
        left = {name for name in set(os.listdir("/dev/shm")) - before if name.startswith("quern-bench-")}
        self.assertEqual(left, set())

    def test_what_makes_no_sense_is_refused(self):
        for arguments in (["--only", "none"], ["--seconds", "0"], ["--rows", "10"], ["--rows", "many"],
                          ["--nothing"], ["extra"]):
            ran = self.bench(*arguments)
            self.assertNotEqual(ran.returncode, 0, arguments)
            self.assertIn(arguments[0], ran.stderr)
            self.assertEqual(ran.stdout, "")
        self.assertEqual(list(self.directory.iterdir()), [])

    def test_a_run_that_is_stopped_cleans_up(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            for only in ("read_32", "create_32"):
                running = subprocess.Popen([BINARY, "bench", "--seconds", "60", "--only", only],
                                           cwd=self.directory, stdout=subprocess.PIPE,
                                           stderr=subprocess.PIPE, text=True)
                deadline = time.monotonic() + SECONDS_MAX
                while not list(self.directory.glob("quern-bench-*/data.db")):
                    self.assertLess(time.monotonic(), deadline)
                    time.sleep(0.01)
                running.send_signal(number)
                output, trouble = running.communicate(timeout=SECONDS_MAX)
                self.assertEqual((running.returncode, output), (2, ""))
                self.assertIn("Stopped.", trouble)
                self.assertEqual(list(self.directory.iterdir()), [])

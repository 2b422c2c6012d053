# SPDX-License-Identifier: Apache-2.0
"""Nothing acknowledged is lost: kill -9 under load, a full disk, a graceful stop.

QUERN_CRASH_CYCLES sets the number of kill -9 cycles (100)."""
import json
import os
import random
import shutil
import signal
import subprocess
import tempfile
import threading
import time
import unittest
from pathlib import Path

from harness import Server
from support import Client, expect, field, free_id, in_threads, insert, make_collection, open_data, path_of

CYCLES = int(os.environ.get("QUERN_CRASH_CYCLES", "100"))
CONNECTIONS = 16
LOAD_SECONDS = 0.15
HEAL_SECONDS_MAX = 10
LARGE = 40_000  # characters that fill a disk in some hundred writes


class Journal:
    """What one connection did, and what it was told."""

    def __init__(self, number):
        self.number = number
        self.present = set()    # created and acknowledged
        self.absent = set()     # removed and acknowledged
        self.unknown = set()    # asked for, not answered
        self.count = 0          # increments acknowledged
        self.count_unknown = 0

    def write(self, server, cycle, stopping):
        """Writes until the connection breaks; then what was under way is unknown."""
        client = Client(server)
        counter = path_of("counters", f"k{self.number}")
        made = []
        try:
            while not stopping.is_set():
                key = f"c{cycle}w{self.number}n{len(made)}"
                made.append(key)
                self.unknown.add(key)
                status, body = client.request("POST", path_of("rows"),
                                              {"id": key, "cycle": cycle, "text": key * 20})
                self.check(status, 200, body)
                self.unknown.discard(key)
                self.present.add(key)
                self.count_unknown = 1
                status, body = client.request("PATCH", counter, {"n+": 1})
                self.check(status, 200, body)
                self.count, self.count_unknown = self.count + 1, 0
                if len(made) % 4 == 0:
                    old = made[-3]
                    self.present.discard(old)
                    self.unknown.add(old)
                    status, body = client.request("DELETE", path_of("rows", old))
                    self.check(status, 204, body)
                    self.unknown.discard(old)
                    self.absent.add(old)
        except (ConnectionError, TimeoutError):
            pass
        finally:
            client.close()

    @staticmethod
    def check(status, expected, body):
        if status != expected:
            raise AssertionError(f"answered {status}: {body!r}")


def make_rows(server):
    make_collection(server, "rows", [free_id(), field("cycle", "number", onlyInt=True),
                                   field("text", max=LARGE)],
                    indexes=["CREATE INDEX rows_cycle ON rows (cycle)"])
    make_collection(server, "counters", [free_id(), field("n", "number", onlyInt=True)])
    for number in range(CONNECTIONS):
        insert(server, "counters", id=f"k{number}", n=0)


def stored(server, cycle):
    """The ids of a cycle, by cursor."""
    found, cursor = set(), ""
    while True:
        query = {"filter": f"cycle = {cycle}", "perPage": 1000, "cursor": cursor, "fields": "id"}
        page = expect(server.get(path_of("rows"), query=query), 200).json
        found.update(item["id"] for item in page["items"])
        cursor = page["nextCursor"]
        if not cursor:
            return found


class Killed(unittest.TestCase):
    def test_R_06_kill_9_under_load_loses_nothing_acknowledged(self):
        source = random.Random(6)
        acknowledged = 0
        slowest = 0.0
        with Server("--loops", "2") as server:
            make_rows(server)
            journals = [Journal(number) for number in range(CONNECTIONS)]
            for cycle in range(CYCLES):
                stopping = threading.Event()
                work = [lambda journal=journal: journal.write(server, cycle, stopping)
                        for journal in journals]

                def strike():
                    time.sleep(source.uniform(0.3, 1) * LOAD_SECONDS)
                    server.process.kill()

                in_threads(CONNECTIONS + 1, lambda number: (work + [strike])[number]())
                server.kill()
                begun = time.monotonic()
                server.start()
                slowest = max(slowest, time.monotonic() - begun)
                acknowledged += self.verify(server, cycle, journals)
            self.assertLess(slowest, 5)
            server.stop()
            with open_data(server) as file:
                self.assertEqual(file.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
                self.assertEqual(file.execute("PRAGMA foreign_key_check").fetchall(), [])
                total, = file.execute("SELECT count(*) FROM rows").fetchone()
            expected = sum(len(journal.present) for journal in journals)
            self.assertLessEqual(expected, total)
            self.assertLessEqual(total, expected + sum(len(journal.unknown) for journal in journals))
        self.assertGreater(acknowledged, CYCLES)
        print(f"{CYCLES} cycles, {acknowledged} writes acknowledged, slowest start {slowest:.2f} s")

    def verify(self, server, cycle, journals):
        found = stored(server, cycle)
        page = expect(server.get(path_of("counters"), query={"perPage": CONNECTIONS}), 200).json
        counters = {item["id"]: item["n"] for item in page["items"]}
        told = 0
        for journal in journals:
            own = {key for key in journal.present if key.startswith(f"c{cycle}w")}
            self.assertEqual(own - found, set(), f"lost in cycle {cycle}")
            self.assertEqual(journal.absent & found, set(), f"came back in cycle {cycle}")
            n = counters[f"k{journal.number}"]
            self.assertIn(n, (journal.count, journal.count + journal.count_unknown), f"cycle {cycle}")
            journal.count, journal.count_unknown = n, 0
            told += len(own)
        strangers = found - set().union(*(journal.present | journal.unknown for journal in journals))
        self.assertEqual(strangers, set())
        return told


class Stopped(unittest.TestCase):
    def test_R_34_a_graceful_stop_answers_everything_that_was_asked(self):
        for loops in ("1", "2"):
            with Server("--loops", loops) as server:
                make_rows(server)
                told = [set() for _ in range(CONNECTIONS)]

                def work(number):
                    if number == CONNECTIONS:
                        time.sleep(0.5)
                        server.process.send_signal(signal.SIGTERM)
                        return
                    client = Client(server)
                    # The next request follows an answer at once, unless the answer says that it was the last.
                    while not client.closing:
                        key = f"s{loops}w{number}n{len(told[number])}"
                        status, body = client.request("POST", path_of("rows"), {"id": key, "cycle": 1})
                        if status != 200:
                            raise AssertionError(f"answered {status}: {body!r}")
                        told[number].add(key)
                        status, body = (200, b"") if client.closing else client.request("GET",
                                                                                        path_of("rows", key))
                        if status != 200:
                            raise AssertionError(f"answered {status}: {body!r}")
                    client.close()

                begun = time.monotonic()
                in_threads(CONNECTIONS + 1, work)
                self.assertEqual(server.stop(), 0, server.log)
                self.assertLess(time.monotonic() - begun, 6)
                server.start()
                self.assertEqual(set().union(*told) - stored(server, 1), set())

    def test_idle_connections_do_not_hold_up_a_stop(self):
        with Server() as server:
            clients = [Client(server) for _ in range(50)]
            for client in clients[:25]:
                client.request("GET", "/api/health")
            half = Client(server)
            half.socket.sendall(b"GET /api/health HTTP/1.1\r\nHo")
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0, server.log)
            self.assertLess(time.monotonic() - begun, 6)


class FullDisk(unittest.TestCase):
    """R-13, on a small file system of its own."""
    megabytes = 40
    # What is given back in the end: more than the log, which must find room in the file before it restarts.
    filler_bytes = 16 * 1024 * 1024

    def setUp(self):
        self.mount = Path(tempfile.mkdtemp(prefix="quern-disk-"))
        self.addCleanup(shutil.rmtree, self.mount, ignore_errors=True)
        ran = subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.megabytes}m", "tmpfs",
                              str(self.mount)],
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if ran.returncode != 0:
            self.skipTest(f"no small file system can be mounted here: {ran.stdout.strip()}")
        self.addCleanup(subprocess.run, ["umount", "-l", str(self.mount)], check=False)
        (self.mount / "data").mkdir()
        self.filler = self.mount / "filler"
        self.filler.write_bytes(b"x" * self.filler_bytes)

    def write(self, server, key, size):
        """Creates a row; a 503 of a machine that is too busy is tried again, as a client would."""
        for _ in range(5):
            answer = server.post(path_of("rows"), {"id": key, "cycle": 1, "text": "x" * size})
            if answer.status != 503:
                break
        return answer

    def fill(self, server, told):
        """Writes until the disk is full; returns the answer that said so."""
        for number in range(len(told), 100_000):
            answer = self.write(server, f"f{number}", LARGE)
            if answer.status != 200:
                return answer
            told.append(f"f{number}")
        self.fail("the disk never was full")

    def check_all(self, server, told):
        self.assertEqual(set(told) - stored(server, 1), set())

    def test_R_13_writes_are_507_reads_go_on_and_space_heals(self):
        with Server(directory=self.mount / "data") as server:
            self.addCleanup(server.log_path.unlink, missing_ok=True)
            make_rows(server)
            told = []
            answer = self.fill(server, told)
            self.assertGreater(len(told), 50)
            for _ in range(20):
                self.assertEqual(answer.status, 507, answer.text)
                self.assertEqual(answer.json["status"], 507)
                self.check_all(server, told[:50])
                self.assertEqual(server.get(path_of("rows", told[-1])).status, 200)
                answer = self.write(server, "no", LARGE)
                if answer.status == 200:  # a checkpoint has made a little room
                    told.append("no")
                    break
            self.check_all(server, told)
            # Many at once: each is either stored or refused.
            statuses = in_threads(8, lambda number: self.write(server, f"many{number}", LARGE).status)
            self.assertLessEqual(set(statuses), {200, 507})
            told += [f"many{number}" for number, status in enumerate(statuses) if status == 200]
            self.check_all(server, told)
            self.filler.unlink()
            for number in range(50):
                answer = self.write(server, f"after{number}", 4000)
                self.assertEqual(answer.status, 200, answer.text)
                told.append(f"after{number}")
            self.check_all(server, told)
            self.assertEqual(server.stop(), 0, server.log)
            with open_data(server) as file:
                self.assertEqual(file.execute("PRAGMA integrity_check").fetchall(), [("ok",)])
            server.start()
            self.check_all(server, told)

    def until(self, status, request):
        """Asks again until the answer has the status; the checkpoint that makes room is not immediate."""
        deadline = time.monotonic() + HEAL_SECONDS_MAX
        while (answer := request()).status != status and time.monotonic() < deadline:
            self.assertIn(answer.status, (507, 503), answer.text)
            time.sleep(0.2)
        self.assertEqual(answer.status, status, answer.text)

    def check_changes_and_removals(self, loops):
        with Server("--loops", loops, directory=self.mount / "data") as server:
            self.addCleanup(server.log_path.unlink, missing_ok=True)
            make_rows(server)
            told = []
            self.assertEqual(self.fill(server, told).status, 507)
            for key in told[:20]:
                self.until(204, lambda key=key: server.delete(path_of("rows", key)))
            for key in told[20:40]:
                self.until(200, lambda key=key: server.patch(path_of("rows", key), {"text": "y" * LARGE}))
            # What the removed records held is for new ones.
            for number in range(10):
                self.until(200, lambda number=number: self.write(server, f"new{number}", LARGE))
            self.check_all(server, told[20:] + [f"new{number}" for number in range(10)])

    def test_R_13_on_a_full_disk_one_loop_changes_and_removes_records(self):
        self.check_changes_and_removals(1)

    def test_R_13_on_a_full_disk_two_loops_change_and_remove_records(self):
        self.check_changes_and_removals(2)

    def test_R_13_a_little_space_is_for_writes(self):
        with Server("--loops", "1", directory=self.mount / "data") as server:
            self.addCleanup(server.log_path.unlink, missing_ok=True)
            make_rows(server)
            told = []
            self.assertEqual(self.fill(server, told).status, 507)
            for step in range(1, 5):
                os.truncate(self.filler, self.filler_bytes - step * 1024 * 1024)
                time.sleep(1.5)  # long enough for a checkpoint, which might take what has come free
                self.until(200, lambda step=step: self.write(server, f"little{step}", LARGE))
            self.check_all(server, told)

    def test_R_13_a_crash_on_a_full_disk_loses_nothing(self):
        with Server(directory=self.mount / "data") as server:
            self.addCleanup(server.log_path.unlink, missing_ok=True)
            make_rows(server)
            told = []
            self.assertEqual(self.fill(server, told).status, 507)
            server.kill()
            self.filler.unlink()
            server.start()
            self.check_all(server, told)
            self.assertEqual(self.write(server, "again", 10).status, 200)


class Refused(unittest.TestCase):
    def test_writes_wait_their_turn_and_nobody_is_forgotten(self):
        with Server("--loops", "1") as server:
            make_rows(server)

            def work(number):
                client = Client(server)
                body = b"".join(Client.text("POST", path_of("rows"), {"id": f"q{number}n{at}", "cycle": 2})
                                for at in range(100))
                client.socket.sendall(body)
                answers = [client.exchange(b"") for _ in range(100)]
                client.close()
                return [(status, json.loads(text)["id"]) for status, text in answers]

            answers = in_threads(16, work)
            for number, answered in enumerate(answers):
                self.assertEqual(answered, [(200, f"q{number}n{at}") for at in range(100)])
            self.assertEqual(len(stored(server, 2)), 1600)

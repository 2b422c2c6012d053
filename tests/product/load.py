# SPDX-License-Identifier: Apache-2.0
"""`quern load`: what it counts is what happened."""
import json
import socket
import subprocess
import threading
import time

from harness import BINARY, ProductCase, free_port
from support import field, insert, make_collection, path_of

SECONDS_MAX = 60


def load(url, *arguments):
    """(exit code, report or error text) of a run with --json."""
    ran = subprocess.run([BINARY, "load", url, "--json", "--warm-up", "0", *map(str, arguments)],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX)
    return ran.returncode, json.loads(ran.stdout) if ran.stdout else ran.stderr


class Load(ProductCase):
    def url(self, path):
        return f"http://127.0.0.1:{self.server.port}{path}"

    def test_every_answer_is_counted(self):
        code, report = load(self.url("/api/health"), "-c", 8, "-d", 1)
        self.assertEqual(code, 0, report)
        self.assertGreater(report["requests"], 100)
        self.assertEqual(report["statuses"]["2xx"], report["requests"])
        times = report["latency_us"]
        self.assertLessEqual(times["p50"], times["p99"])
        self.assertLessEqual(times["p99"], times["max"])
        self.assertGreater(times["p50"], 0)

    def test_records_are_written_once_an_answer(self):
        made = make_collection(self.server, "loads", [field("title")])
        code, report = load(self.url(path_of(made["name"])), "-c", 4, "-d", 1, "-m", "POST",
                            "-b", '{"title":"number {key:6}"}', "-k", 1000)
        self.assertEqual(code, 0, report)
        stored = self.server.get(path_of("loads"), query={"perPage": 1}).json
        # What was under way at the end of the second is there, too, and is no part of the report.
        self.assertGreaterEqual(stored["totalItems"], report["requests"])
        self.assertLessEqual(stored["totalItems"], report["requests"] + 4)
        self.assertRegex(stored["items"][0]["title"], r"^number 0\d{5}$")

    def test_keys_are_within_their_bound(self):
        make_collection(self.server, "keyed", [field("title")])
        ids = [f"id{number:013}" for number in range(1, 4)]
        for one in ids:
            insert(self.server, "keyed", id=one, title=one)
        code, report = load(self.url(path_of("keyed")) + "/id{key:13}", "-c", 4, "-d", 0.5, "-k", 3)
        self.assertEqual((code, report["statuses"]["4xx"]), (0, 0))
        code, report = load(self.url(path_of("keyed")) + "/id{key:13}", "-c", 4, "-d", 0.5, "-k", 6)
        self.assertEqual(code, 1)
        self.assertGreater(report["statuses"]["4xx"], 0)
        self.assertGreater(report["statuses"]["2xx"], 0)

    def test_a_rate_is_kept(self):
        code, report = load(self.url("/api/health"), "-c", 4, "-d", 2, "-r", 200, "-t", 2)
        self.assertEqual(code, 0, report)
        self.assertAlmostEqual(report["requests"], 400, delta=40)

    def test_what_cannot_begin_says_so(self):
        code, text = load(f"http://127.0.0.1:{free_port()}/", "-d", 0.1)
        self.assertEqual(code, 2)
        self.assertIn("refused", text)
        self.assertEqual(load("ftp://127.0.0.1/", "-d", 0.1)[0], 2)
        self.assertEqual(load(self.url("/{key:x}"), "-d", 0.1)[0], 2)
        self.assertEqual(load(self.url("/"), "-c", 1, "-t", 2, "-d", 0.1)[0], 2)


class Standing(ProductCase):
    def test_a_server_that_stands_still_is_charged_with_the_wait(self):
        """A server of our own that answers nothing for a while in the middle."""
        with socket.create_server(("127.0.0.1", 0)) as listener:
            begun = time.monotonic()

            def serve():
                connection, _ = listener.accept()
                with connection:
                    while connection.recv(65536):
                        if 0.5 < time.monotonic() - begun < 1:
                            time.sleep(0.7)
                        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

            thread = threading.Thread(target=serve)
            thread.start()
            code, report = load(f"http://127.0.0.1:{listener.getsockname()[1]}/", "-c", 1, "-d", 2, "-r", 50)
            thread.join()
        self.assertEqual(code, 0, report)
        # Some 35 of the 100 requests ought to have begun while it stood still.
        self.assertGreater(report["latency_us"]["p90"], 100_000)
        self.assertLess(report["latency_us"]["p50"], 400_000)

    def test_broken_answers_are_no_answers(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            stop = threading.Event()

            def serve():
                listener.settimeout(0.1)
                while not stop.is_set():
                    try:
                        connection, _ = listener.accept()
                    except TimeoutError:
                        continue
                    with connection:
                        connection.settimeout(1)
                        if connection.recv(65536):
                            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")

            thread = threading.Thread(target=serve)
            thread.start()
            code, report = load(f"http://127.0.0.1:{listener.getsockname()[1]}/", "-c", 1, "-d", 0.5)
            stop.set()
            thread.join()
        self.assertEqual(code, 1)
        self.assertEqual(report["requests"], 0)
        self.assertGreater(report["broken"], 1)

# SPDX-License-Identifier: Apache-2.0
"""The examples do what the documentation says of them, and the installed library can be used from outside.

usage: tests/examples_test.py BUILD-DIRECTORY [unittest arguments]"""
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else ROOT / "build/dev"
START_SECONDS_MAX = 30


class Service:
    """A running example. Its address is the last argument that it is given."""

    def __init__(self, *command, environment=None):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([*map(str, command), f"127.0.0.1:{self.port}"],
                                        env={**os.environ, **(environment or {})})

    def __enter__(self):
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", self.port)).close()
                return self
            except OSError:
                time.sleep(0.02)
        self.__exit__()
        raise RuntimeError("the example does not listen")

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            assert self.process.wait(30) == 0, "the example does not end in order"
        self.process.wait(30)

    def ask(self, method, path, body=None):
        """(status, body: parsed where it is JSON)."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        headers = {"Content-Type": "application/json"} if body is not None else {}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read().decode()
        kind = answer.getheader("Content-Type") or ""
        connection.close()
        return answer.status, json.loads(text) if "json" in kind else text


class Examples(unittest.TestCase):
    def setUp(self):
        directory = tempfile.TemporaryDirectory(prefix="quern-examples-")
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)

    def check_hello(self, binary):
        with Service(binary) as service:
            self.assertEqual(service.ask("GET", "/"), (200, "Hello, world!"))
            self.assertEqual(service.ask("GET", "/hello/you"), (200, "Hello, you!"))
            self.assertEqual(service.ask("GET", "/sum/2/3"), (200, "5"))
            self.assertEqual(service.ask("GET", "/sum/2/x")[0], 400)
            self.assertEqual(service.ask("POST", "/")[0], 405)
        self.assertEqual(service.process.returncode, 0)

    def test_hello_world(self):
        self.check_hello(BUILD / "hello_world")

    def test_todo(self):
        command = (BUILD / "todo", self.directory / "todo.db")
        with Service(*command) as service:
            self.assertEqual(service.ask("POST", "/todos", {"title": "buy milk"}),
                             (201, {"id": 1, "title": "buy milk", "done": False}))
            status, problem = service.ask("POST", "/todos", {"title": "", "x": 1})
            self.assertEqual((status, [error["location"] for error in problem["errors"]]),
                             (422, ["body.title", "body.x"]))
            self.assertEqual(service.ask("GET", "/todos/2")[0], 404)
            self.assertEqual(service.ask("GET", "/todos?limit=0")[0], 422)
            document = service.ask("GET", "/openapi.json")[1]
            self.assertEqual(sorted(document["paths"]), ["/todos", "/todos/{id}"])
            self.assertEqual(service.ask("GET", "/docs")[0], 200)
        with Service(*command) as service:  # what was acknowledged is there after a restart
            self.assertEqual(service.ask("GET", "/todos"),
                             (200, [{"id": 1, "title": "buy milk", "done": False}]))
            self.assertEqual(service.ask("DELETE", "/todos/1")[0], 204)
            self.assertEqual(service.ask("DELETE", "/todos/1")[0], 404)

    def test_upload(self):
        name = "01234567-89ab-cdef-0123-456789abcdef"
        with Service(BUILD / "upload", self.directory) as service:
            connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
            piece = bytes(range(256)) * 4096
            connection.request("PUT", f"/files/{name}", iter([piece] * 40))
            answer = connection.getresponse()
            self.assertEqual((answer.status, json.loads(answer.read())),
                             (201, {"id": name, "bytes": 40 * len(piece)}))
            connection.close()
            self.assertEqual((self.directory / name).read_bytes(), piece * 40)
            self.assertEqual(service.ask("GET", f"/files/{name}"), (200, {"bytes": 40 * len(piece)}))
            self.assertEqual(service.ask("GET", f"/files/{name.replace('0', '1')}")[0], 404)
            with socket.create_connection(("127.0.0.1", service.port)) as cut_off:
                head = f"PUT /files/{name} HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n"
                cut_off.sendall((head + "hello").encode())
                cut_off.shutdown(socket.SHUT_WR)
                self.assertTrue(cut_off.recv(100).startswith(b"HTTP/1.1 400 "))
            self.assertEqual([path.name for path in self.directory.iterdir()], [name])

    def test_todo_collections(self):
        command = (BUILD / "todo_collections", self.directory / "data")
        with Service(*command, environment={"ADMIN_PASSWORD": "a long password"}) as service:
            records = "/api/collections/todos/records"
            self.assertEqual(service.ask("POST", records, {"title": "one"})[0], 200)
            self.assertEqual(service.ask("POST", records, {"title": "two", "done": True})[0], 200)
            self.assertEqual(service.ask("GET", records)[1]["totalItems"], 2)
            self.assertEqual([item["title"] for item in service.ask("GET", "/api/todos/open")[1]["items"]],
                             ["one"])
            for number in range(99):
                self.assertEqual(service.ask("POST", records, {"title": str(number)})[0], 200)
            status, error = service.ask("POST", records, {"title": "too many"})
            self.assertEqual((status, error["message"]), (400, "A hundred open to-dos are enough."))

    def test_books(self):
        command = (BUILD / "books", self.directory / "books.db")
        kindred = {"author": "Octavia Butler", "title": "Kindred", "year": 1979}
        with Service(*command) as service:
            self.assertEqual(service.ask("POST", "/books", kindred), (201, {"id": 1, **kindred}))
            sower = {**kindred, "title": "Parable of the Sower", "year": 1993}
            self.assertEqual(service.ask("POST", "/books", sower)[0], 201)
            self.assertEqual(service.ask("POST", "/books", kindred)[0], 400)
            solaris = {"author": "Stanislaw Lem", "title": "Solaris", "year": 1961}
            self.assertEqual(service.ask("POST", "/books", solaris)[0], 201)

            def titles(query):
                return [book["title"] for book in service.ask("GET", "/books" + query)[1]]
            self.assertEqual(titles(""), ["Parable of the Sower", "Kindred", "Solaris"])
            self.assertEqual(titles("?author=Octavia%20Butler&since=1980"), ["Parable of the Sower"])
            self.assertEqual(titles("?title=ar"), ["Parable of the Sower", "Solaris"])
            self.assertEqual(service.ask("GET", "/shelves"), (200, [
                {"author": "Octavia Butler", "books": 2, "latest": 1993},
                {"author": "Stanislaw Lem", "books": 1, "latest": 1961}]))
        with Service(*command) as service:  # the tables are found as they should be
            self.assertEqual(service.ask("DELETE", "/authors/1")[0], 204)
            self.assertEqual(service.ask("DELETE", "/authors/1")[0], 404)
            self.assertEqual([book["id"] for book in service.ask("GET", "/books")[1]], [3])

    def test_embed(self):
        def run(*arguments):
            ran = subprocess.run([BUILD / "embed", self.directory / "ledger.db", *arguments],
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
            return ran.returncode, ran.stdout.split()

        self.assertEqual(run("add", "ann", "5"), (0, []))
        self.assertEqual(run("add", "bob", "1"), (0, []))
        self.assertEqual(run("move", "ann", "bob", "3"), (0, []))
        self.assertEqual(run("move", "ann", "bob", "3")[0], 1)
        self.assertEqual(run("move", "ann", "nobody", "1")[0], 1)
        self.assertEqual(run("list"), (0, ["2", "ann", "4", "bob"]))

    def test_the_installed_library(self):
        def run(*command):
            ran = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True)
            self.assertEqual(ran.returncode, 0, ran.stdout)

        prefix, build = self.directory / "prefix", self.directory / "build"
        run("cmake", "--install", BUILD, "--component", "library", "--prefix", prefix)
        run("cmake", "-G", "Ninja", "-S", ROOT / "examples/hello_world", "-B", build,
            f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", build)
        self.check_hello(build / "hello_world")


if __name__ == "__main__":
    unittest.main()

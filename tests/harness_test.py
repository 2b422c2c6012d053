# SPDX-License-Identifier: Apache-2.0
"""The harness of the whole-product tests, tried on a stand-in for the binary."""
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TESTS = Path(__file__).resolve().parent

STAND_IN = """#!{python}
import http.server, json, os, signal, sys
if sys.argv[1] == "superuser":
    sys.exit(0 if sys.argv[2] == "upsert" else 1)
if "--refuse" in sys.argv:
    sys.exit("cannot start")
class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    def reply(self, status, value):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def do_GET(self):
        if self.path == "/api/health":
            self.reply(200, {{"code": 200, "message": "", "data": {{}}}})
        else:
            self.reply(404, {{"status": 404, "message": self.path, "data": {{}}}})
    def do_POST(self):
        sent = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        good = sent["identity"] == "root@example.org"
        self.reply(200, {{"token": "t", "record": {{}}}}) if good else self.reply(400, sent)
    def log_message(self, *arguments):
        pass
signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
port = int(sys.argv[sys.argv.index("--http") + 1].split(":")[1])
http.server.ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
"""


class Harness(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        directory = tempfile.TemporaryDirectory()
        cls.addClassCleanup(directory.cleanup)
        binary = Path(directory.name) / "quern"
        binary.write_text(STAND_IN.format(python=sys.executable))
        binary.chmod(0o755)
        os.environ["QUERN_BINARY"] = str(binary)
        sys.path.insert(0, str(TESTS / "product"))
        global harness
        import harness

    def test_requests_and_sign_in(self):
        with harness.Server() as server:
            self.assertEqual(server.token, "t")
            self.assertEqual(server.get("/x", query={"filter": "a = 'b c'"}).json["message"],
                             "/x?filter=a%20%3D%20%27b%20c%27")
            self.assertIn(b"404", server.raw(b"GET /y HTTP/1.0\r\n\r\n").split(b"\r\n")[0])
            with self.assertRaisesRegex(RuntimeError, "400"):
                server.sign_in("users", "nobody", "x")

    def test_stop_kill_and_restart(self):
        with harness.Server() as server:
            first = server.process.pid
            self.assertEqual(server.stop(), 0)
            server.start()
            self.assertNotEqual(server.process.pid, first)
            server.kill()
            server.start()
            self.assertEqual(server.restart().get("/api/health").status, 200)
        self.assertFalse(server.directory.exists())

    def test_a_server_that_does_not_start_says_why(self):
        with self.assertRaisesRegex(RuntimeError, "cannot start"):
            with harness.Server("--refuse"):
                pass

    def test_the_runner_counts(self):
        ran = subprocess.run([sys.executable, "-B", TESTS / "run", "life.*(health|unknown|crash)"],
                             stdout=subprocess.PIPE, text=True)
        self.assertEqual(ran.stdout.splitlines()[-1], "3 passed, 0 failed", ran.stdout)
        self.assertEqual(ran.returncode, 0)


if __name__ == "__main__":
    unittest.main()

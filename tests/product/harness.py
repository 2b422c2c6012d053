# SPDX-License-Identifier: Apache-2.0
"""Starts the real binary and speaks HTTP to it.

    class Posts(ProductCase):
        def test_list(self):
            answer = self.server.get("/api/collections/posts/records", token=self.token)
            self.assertEqual(answer.status, 200)
            self.assertEqual(answer.json["items"], [])

A ProductCase has one server for all its tests, in a fresh directory, with a superuser. A test that kills or
restarts takes a Server of its own: `with Server() as server: ...`."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import unittest
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

ROOT = Path(__file__).resolve().parent.parent.parent
BINARY = Path(os.environ.get("QUERN_BINARY", ROOT / "build/release/quern"))
START_SECONDS_MAX = 20
STOP_SECONDS_MAX = 10
REQUEST_SECONDS_MAX = 30
EMAIL = "root@example.org"
PASSWORD = "correct horse battery"


@dataclass
class Answer:
    status: int
    headers: dict  # names in lower case; of a repeated one, the last
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def text(self):
        return self.body.decode()


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """One process of the binary. Give `directory` to keep the data beyond the server's life.

    The superuser is made before the first start, while no server has the data open."""

    def __init__(self, *arguments, directory=None, environment=None, with_superuser=True):
        self.arguments = [str(argument) for argument in arguments]
        self.own_directory = directory is None
        self.directory = Path(directory or tempfile.mkdtemp(prefix="quern-product-"))
        self.environment = {**os.environ, **(environment or {})}
        self.port = free_port()
        self.process = None
        self.log_path = self.directory.with_name(self.directory.name + ".log")
        self._superuser_due = with_superuser
        self._token = None
        self._local = threading.local()

    def __enter__(self):
        try:
            return self.start()
        except BaseException:
            self.__exit__()
            raise

    def __exit__(self, *error):
        self.stop()
        if self.own_directory:
            shutil.rmtree(self.directory, ignore_errors=True)
            self.log_path.unlink(missing_ok=True)

    # --- the process ---

    def start(self):
        """Starts the server and returns when it answers. What it prints goes to `log`."""
        if self._superuser_due:
            self.make_superuser()
            self._superuser_due = False
        command = [str(BINARY), "serve", "--dir", str(self.directory), "--http", f"127.0.0.1:{self.port}"]
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(command + self.arguments, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, env=self.environment)
        deadline = time.monotonic() + START_SECONDS_MAX
        while time.monotonic() < deadline:
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended with {self.process.returncode}:\n{self.log}")
            try:
                if self.get("/api/health").status == 200:
                    return self
            except OSError:
                pass
            except http.client.HTTPException:
                pass
            time.sleep(0.01)
        self.kill()
        raise RuntimeError(f"the server did not answer within {START_SECONDS_MAX} s:\n{self.log}")

    def stop(self):
        """Asks the server to stop and returns its exit code. One that does not is killed, and that raises."""
        self.close()
        if self.process is None:
            return None
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(STOP_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"the server did not stop within {STOP_SECONDS_MAX} s:\n{self.log}") from None

    def kill(self):
        """Ends the process at once, as a crash would."""
        self.close()
        self.process.kill()
        self.process.wait()

    def restart(self):
        self.stop()
        return self.start()

    @property
    def log(self):
        return self.log_path.read_text(errors="replace") if self.log_path.exists() else ""

    def command(self, *arguments):
        """Runs another command of the binary on this server's directory; returns the finished process."""
        return subprocess.run([str(BINARY), *arguments, "--dir", str(self.directory)], env=self.environment,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)

    # --- requests ---

    def request(self, method, path, body=None, *, token=None, headers=None, query=None):
        """One request on this thread's kept connection. A body that is not bytes or text is sent as JSON."""
        headers = dict(headers or {})
        if token:
            headers.setdefault("Authorization", token)
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            headers.setdefault("Content-Type", "application/json")
        if isinstance(body, str):
            body = body.encode()
        if query:
            path += ("&" if "?" in path else "?") + urlencode(query, quote_via=quote)
        for attempt in (1, 2):
            connection = self._connection()
            fresh = connection.sock is None
            try:
                connection.request(method, path, body=body, headers=headers)
                response = connection.getresponse()
                data = response.read()
                break
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                # A kept connection may have been closed meanwhile; a fresh one has no such excuse.
                self.close()
                if fresh or attempt == 2:
                    raise
            except Exception:
                self.close()
                raise
        return Answer(response.status, {name.lower(): value for name, value in response.getheaders()}, data)

    def get(self, path, **options):
        return self.request("GET", path, **options)

    def post(self, path, body=None, **options):
        return self.request("POST", path, body, **options)

    def put(self, path, body=None, **options):
        return self.request("PUT", path, body, **options)

    def patch(self, path, body=None, **options):
        return self.request("PATCH", path, body, **options)

    def delete(self, path, **options):
        return self.request("DELETE", path, **options)

    def raw(self, data, *, seconds=5.0, chunks=None):
        """Sends bytes as they are on a new connection (`chunks` sends several pieces, apart) and returns all
        that comes back until the server closes or is silent for `seconds`."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            for piece in chunks or [data]:
                connection.sendall(piece)
                if chunks:
                    time.sleep(0.002)
            received = b""
            try:
                while piece := connection.recv(65536):
                    received += piece
            except (TimeoutError, ConnectionResetError):
                pass
            return received

    def close(self):
        """Closes this thread's kept connection."""
        connection = getattr(self._local, "connection", None)
        if connection:
            connection.close()
            self._local.connection = None

    def _connection(self):
        if getattr(self._local, "connection", None) is None:
            self._local.connection = http.client.HTTPConnection("127.0.0.1", self.port,
                                                                timeout=REQUEST_SECONDS_MAX)
        return self._local.connection

    # --- who is asking ---

    def make_superuser(self, email=EMAIL, password=PASSWORD):
        """Makes or updates a superuser on the command line."""
        made = self.command("superuser", "upsert", email, password)
        if made.returncode != 0:
            raise RuntimeError(f"superuser upsert ended with {made.returncode}:\n{made.stdout}")

    @property
    def token(self):
        """A token of the superuser; signs in once."""
        if self._token is None:
            self._token = self.sign_in("_superusers", EMAIL, PASSWORD)
        return self._token

    def sign_in(self, collection, identity, password):
        """The token of a record of an auth collection."""
        answer = self.post(f"/api/collections/{collection}/auth-with-password",
                           {"identity": identity, "password": password})
        if answer.status != 200:
            raise RuntimeError(f"signing in answered {answer.status}: {answer.text}")
        return answer.json["token"]


class ProductCase(unittest.TestCase):
    """A test class with a running server (`self.server`) and a superuser's token (`self.token`).

    `arguments` are further arguments of `quern serve`; `with_superuser = False` leaves the superuser out."""

    arguments = ()
    with_superuser = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server(*cls.arguments, with_superuser=cls.with_superuser)
        cls.addClassCleanup(cls.server.__exit__)
        cls.server.start()
        cls.token = cls.server.token if cls.with_superuser else None

    def collection(self, name, fields, **options):
        """Creates a collection as superuser; rules are open unless given."""
        rules = {f"{rule}Rule": "" for rule in ("list", "view", "create", "update", "delete")}
        body = {"name": name, "type": "base", "fields": fields, **rules, **options}
        answer = self.server.post("/api/collections", body, token=self.token)
        self.assertEqual(answer.status, 200, answer.text)
        return answer.json

    def check_error(self, answer, status, field=None, code=None):
        """An error answer has the wire's form, and names `field` with `code` when they are given."""
        self.assertEqual(answer.status, status, answer.text)
        self.assertEqual(set(answer.json), {"status", "message", "data"})
        self.assertEqual(answer.json["status"], status)
        if field:
            self.assertIn(field, answer.json["data"])
        if code:
            self.assertEqual(answer.json["data"][field]["code"], code)

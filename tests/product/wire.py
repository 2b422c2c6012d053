# SPDX-License-Identifier: Apache-2.0
"""What every answer has in common: its form, its headers, and what happens to requests that make no sense."""
import gzip
import json
import socket
import time

from harness import EMAIL, PASSWORD, ProductCase
from support import RecordCase, expect, field, free_id, insert, make_collection, path_of


class Health(ProductCase):
    with_superuser = False

    def test_health(self):
        answer = expect(self.server.get("/api/health"), 200)
        self.assertTrue(answer.headers["content-type"].startswith("application/json"))
        self.assertIn("message", answer.json)

    def test_health_head_has_the_headers_of_get_and_no_body(self):
        answer = self.server.request("HEAD", "/api/health")
        self.assertEqual((answer.status, answer.body), (200, b""))
        self.assertEqual(answer.headers["content-length"], str(len(self.server.get("/api/health").body)))


class Routes(ProductCase):
    def test_unknown_paths_are_404_in_the_common_form(self):
        for path in ("/", "/api", "/api/", "/nothing", "/api/collections/nope/records",
                     "/api/collections//records",
                     "/api/collections/_superusers/records/x/y", "/api/health/x", "/api/healthz"):
            with self.subTest(path=path):
                self.check_error(self.server.get(path, token=self.token), 404)

    def test_a_known_path_with_another_method_is_405_and_tells_the_methods(self):
        for method, path, allowed in (("POST", "/api/health", "GET"), ("PUT", "/api/collections", "POST"),
                                      ("DELETE", "/api/collections/_superusers/records", "POST"),
                                      ("PUT", "/api/collections/_superusers/records/x", "PATCH"),
                                      ("GET", "/api/collections/_superusers/auth-with-password", "POST"),
                                      ("GET", "/api/collections/_superusers/truncate", "DELETE")):
            with self.subTest(method=method, path=path):
                answer = self.server.request(method, path, token=self.token)
                self.check_error(answer, 405)
                self.assertIn(allowed, answer.headers["allow"].split(", "))
                self.assertNotIn(method, answer.headers["allow"].split(", "))


class Cors(ProductCase):
    with_superuser = False

    def test_a_preflight_names_what_is_allowed(self):
        answer = self.server.request("OPTIONS", "/api/collections/posts/records/x", headers={
            "Origin": "https://app.example.org", "Access-Control-Request-Method": "PATCH",
            "Access-Control-Request-Headers": "authorization, content-type"})
        self.assertIn(answer.status, (200, 204))
        self.assertIn(answer.headers["access-control-allow-origin"], ("*", "https://app.example.org"))
        self.assertIn("PATCH", answer.headers["access-control-allow-methods"])
        self.assertIn("authorization", answer.headers["access-control-allow-headers"].lower())
        self.assertEqual(answer.body, b"")

    def test_answers_may_be_read_from_other_origins_errors_too(self):
        for path in ("/api/health", "/api/nothing"):
            answer = self.server.get(path, headers={"Origin": "https://app.example.org"})
            self.assertIn(answer.headers.get("access-control-allow-origin"), ("*", "https://app.example.org"),
                          path)

    def test_cookies_are_never_let_through(self):
        answer = self.server.get("/api/health", headers={"Origin": "https://evil.example"})
        self.assertNotEqual(answer.headers.get("access-control-allow-credentials"), "true")


class Heads(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [free_id(), field("title")])
        insert(cls.server, "posts", id="a", title="first")

    def test_HTTP_06_head_is_get_without_the_body(self):
        tag = self.view("posts", "a").headers["etag"]
        for path, headers in ((path_of("posts"), {}), (path_of("posts", "a"), {}),
                              (path_of("posts", "nope"), {}),
                              ("/api/health", {}), (path_of("posts", "a"), {"If-None-Match": tag}),
                              (path_of("posts", "a"), {"Range": "bytes=0-1"})):
            with self.subTest(path=path, headers=headers):
                get = self.server.get(path, headers=headers)
                head = self.server.request("HEAD", path, headers=headers)
                self.assertEqual(head.status, get.status)
                self.assertEqual(head.body, b"")
                for name in ("content-length", "content-type", "etag"):
                    self.assertEqual(head.headers.get(name), get.headers.get(name), name)
                # The connection is in step: the next answer is the next request's.
                self.assertEqual(self.server.get("/api/health").json["code"], 200)

    def test_HTTP_06_304_and_204_have_no_body(self):
        tag = self.view("posts", "a").headers["etag"]
        raw = self.server.raw(f"GET {path_of('posts', 'a')} HTTP/1.1\r\nHost: x\r\nIf-None-Match: {tag}\r\n"
                              f"Connection: close\r\n\r\n".encode())
        head, _, body = raw.partition(b"\r\n\r\n")
        self.assertTrue(head.startswith(b"HTTP/1.1 304"), head)
        self.assertEqual(body, b"")
        self.insert("posts", id="gone")
        answer = self.remove("posts", "gone")
        self.assertEqual((answer.status, answer.body), (204, b""))
        self.assertNotIn("content-type", answer.headers)


class Compressed(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [field("title")])
        for number in range(60):
            insert(cls.server, "posts", title=f"the title of number {number}, which goes on for a while")

    def get(self, accepted, path="/api/collections/posts/records?perPage=60&sort=title"):
        return self.server.get(path, headers={"Accept-Encoding": accepted} if accepted is not None else {})

    def test_a_large_list_is_gzip_for_who_takes_it(self):
        plain = self.get("identity")
        self.assertNotIn("content-encoding", plain.headers)
        self.assertGreater(len(plain.body), 8000)
        for accepted in ("gzip", "br;q=1.0, gzip;q=0.8", "deflate, GZIP", "*"):
            packed = self.get(accepted)
            self.assertEqual(packed.headers.get("content-encoding"), "gzip", accepted)
            self.assertEqual(gzip.decompress(packed.body), plain.body)
            self.assertLess(len(packed.body), len(plain.body) / 3)
            self.assertIn("accept-encoding", packed.headers["vary"].lower())

    def test_who_refuses_gzip_gets_none(self):
        for accepted in ("gzip;q=0", "br", "", "*;q=0", None):
            self.assertNotIn("content-encoding", self.get(accepted).headers, accepted)

    def test_a_small_answer_stays_as_it_is(self):
        self.assertNotIn("content-encoding", self.get("gzip", "/api/health").headers)

    def test_HTTP_06_head_of_a_compressed_list(self):
        path = "/api/collections/posts/records?perPage=60"
        head = self.server.request("HEAD", path, headers={"Accept-Encoding": "gzip"})
        self.assertEqual(head.body, b"")
        self.assertEqual(head.headers.get("content-encoding"),
                         self.get("gzip", path).headers.get("content-encoding"))


class Bodies(RecordCase):
    """Bodies that are no JSON object: 400 (or 413, 415), nothing stored, the connection in step."""

    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [field("title"), field("data", "json", maxSize=20_000_000)])

    def send(self, body, kind="application/json"):
        headers = {"Content-Type": kind} if kind else {}
        return self.server.post(path_of("posts"), body, headers=headers)

    def refused(self, body, status=400):
        before = self.page("posts")["totalItems"]
        answer = self.send(body)
        self.check_error(answer, status)
        self.assertEqual(self.page("posts")["totalItems"], before)
        return answer

    def test_invalid_JSON_is_told_with_its_position(self):
        for body in ('{"title": }', '{"title": "x"', '{title: "x"}', '{"title": "x",}', '{"title": "x"} x',
                     "{'a': 1}",
                     '{"title": "\\x"}', '{"title": 01}', '{"title": NaN}', '{"title": tru}',
                     '{"title": "a\nb"}', "{"):
            with self.subTest(body=body):
                answer = self.refused(body)
                self.assertRegex(answer.json["message"] + json.dumps(answer.json["data"]), r"\d",
                                 "no position")

    def test_what_is_no_object(self):
        for body in ("[]", '"title"', "1", "null", "true"):
            self.refused(body)

    def test_S_38_duplicate_keys(self):
        for body in ('{"title":"a","title":"b"}', '{"title":"a","t\\u0069tle":"b"}',
                     '{"data":{"a":1,"a":2}}'):
            self.refused(body)

    def test_S_38_a_key_in_another_spelling_is_another_key(self):
        for body in ('{"Title":"a"}', '{"title ":"a"}', '{"title\\u0000":"a"}'):
            answer = self.send(body)
            if answer.status == 200:
                self.assertEqual(answer.json["title"], "")
            else:
                self.check_error(answer, 400)

    def test_TYPE_07_invalid_UTF_8(self):
        for bad in (b"\xffA", b"\xc3(", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"\xc0\xaf"):
            self.refused(b'{"title":"' + bad + b'"}')
            self.refused(b'{"' + bad + b'":"x"}')

    def test_lone_surrogates_and_U_0000(self):
        for text in ("\\ud800", "\\udc00 x", "\\udc00\\ud800", "a\\u0000b"):
            self.refused('{"title":"' + text + '"}')
        self.assertEqual(expect(self.send('{"title":"\\ud83d\\ude00"}'), 200).json["title"], "😀")

    def test_S_83_deep_JSON(self):
        for depth in (100, 10_000, 100_000):
            self.refused('{"data":' + "[" * depth + "]" * depth + "}")
        self.assertEqual(self.send('{"data":' + "[" * 50 + "]" * 50 + "}").status, 200)

    def test_too_large_a_body_is_413_even_while_it_is_being_sent(self):
        size = 11 * 1024 * 1024
        body = b'{"title":"' + b"x" * size + b'"}'
        with socket.create_connection(("127.0.0.1", self.server.port), timeout=20) as connection:
            head = [f"POST {path_of('posts')} HTTP/1.1", "Host: x", "Content-Type: application/json",
                    f"Content-Length: {len(body)}", "", ""]
            connection.sendall("\r\n".join(head).encode())
            connection.sendall(body)
            received = b""
            while piece := connection.recv(65536):
                received += piece
        self.assertTrue(received.startswith(b"HTTP/1.1 413"), received[:100])
        self.assertEqual(json.loads(received.partition(b"\r\n\r\n")[2])["status"], 413)

    def test_HTTP_01_the_connection_is_in_step_after_a_body_nobody_read(self):
        for path in ("/api/nothing", "/api/collections/nope/records", "/api/collections"):
            for size in (3, 200_000):
                with self.subTest(path=path, size=size):
                    post = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n".encode()
                    get = b"GET /api/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
                    request = post + b"x" * size + get
                    first, _, rest = self.server.raw(request, seconds=3).partition(b"\r\n\r\n")
                    self.assertRegex(first, rb"^HTTP/1.1 4\d\d")
                    # Either the second answer is there and right, or the first closed the connection.
                    if b"HTTP/1.1" in rest:
                        self.assertIn(b"HTTP/1.1 200", rest)
                    else:
                        self.assertIn(b"connection: close", first.lower())

    def test_another_content_type(self):
        form = b'--b\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--b--\r\n'
        for kind, body in (("multipart/form-data; boundary=b", form), ("multipart/form-data", form),
                           ("application/x-www-form-urlencoded", "title=x"), ("text/csv", "title\nx")):
            self.check_error(self.send(body, kind), 415)
        for kind in ("application/json; charset=utf-8", "Application/JSON",
                     "application/json;charset=\"UTF-8\"", "application/merge-patch+json ; v=1", None):
            self.assertEqual(self.send('{"title":"x"}', kind).status, 200, kind)

    def test_S_72_JSON_by_another_name_is_not_read(self):
        """What a page of another origin can send without asking first."""
        before = self.page("posts")["totalItems"]
        sign_in = "/api/collections/_superusers/auth-with-password"
        credentials = json.dumps({"identity": EMAIL, "password": PASSWORD})
        for kind in ("text/plain", "text/plain;charset=UTF-8", "application/x-www-form-urlencoded",
                     "multipart/form-data; boundary=b", "text/json", "application/jsonp", "json", "+json",
                     "application/json; charset=utf-16", "application/json;charset=latin1"):
            with self.subTest(kind=kind):
                answer = self.send('{"title":"x"}', kind)
                self.check_error(answer, 415)
                self.assertIn("Unsupported media type", answer.json["message"])
                self.check_error(self.server.post(sign_in, credentials, headers={"Content-Type": kind}), 415)
        self.assertEqual(self.page("posts")["totalItems"], before)

    def test_white_space_and_a_byte_order_mark(self):
        self.assertEqual(self.send(' \r\n\t{"title":"x"}\n').status, 200)
        self.assertIn(self.send(b'\xef\xbb\xbf{"title":"x"}').status, (200, 400))

    def test_members_that_are_no_field_are_ignored(self):
        answer = expect(self.send({"title": "x", "nope": 1, "collectionName": "other"}), 200)
        self.assertNotIn("nope", answer.json)
        self.assertEqual(answer.json["collectionName"], "posts")


class Pipelined(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [free_id(), field("title"), field("n", "number")])
        insert(cls.server, "posts", id="a", n=0)

    def test_reads_and_writes_in_one_packet_are_answered_in_order(self):
        change = b'{"n+":1}'
        patch = (f"PATCH {path_of('posts', 'a')} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
                 f"Content-Length: {len(change)}\r\n\r\n").encode() + change
        get = f"GET {path_of('posts', 'a')} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        last = get.replace(b"Host: x", b"Host: x\r\nConnection: close")
        received = self.server.raw((patch + get) * 20 + last, seconds=10)
        numbers = [json.loads(piece.partition(b"\r\n\r\n")[2])["n"]
                   for piece in received.split(b"HTTP/1.1 ")[1:]]
        self.assertEqual(numbers, [number for step in range(1, 21) for number in (step, step)] + [20])

    def test_a_request_in_small_pieces(self):
        whole = f"GET {path_of('posts', 'a')} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode()
        received = self.server.raw(None, chunks=[whole[at:at + 1] for at in range(len(whole))])
        self.assertTrue(received.startswith(b"HTTP/1.1 200"), received)

    def test_a_head_that_never_ends_is_cut_off(self):
        begun = time.monotonic()
        received = self.server.raw(b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 100_000, seconds=8)
        self.assertRegex(received, rb"^HTTP/1.1 4\d\d")
        self.assertLess(time.monotonic() - begun, 15)
        self.assertEqual(self.server.get("/api/health").status, 200)


class Parameters(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "posts", [free_id(), field("title")],
                        listRule='title != @request.query.hide')
        insert(cls.server, "posts", id="a", title="x")

    def test_an_unknown_parameter_is_400_and_named(self):
        for path in (path_of("posts"), path_of("posts", "a")):
            self.check_error(self.server.get(path + "?filtre=1"), 400, field="filtre")
            self.check_error(self.server.get(path + "?Filter=1"), 400, field="Filter")

    def test_a_parameter_that_a_rule_reads_is_let_through(self):
        self.assertEqual(self.ids("posts", hide="y"), ["a"])
        self.assertEqual(self.ids("posts", hide="x"), [])

    def test_a_parameter_given_twice(self):
        self.check_error(self.server.get(path_of("posts") + "?filter=title='x'&filter=title='y'"), 400)

    def test_TYPE_07_a_parameter_that_is_no_UTF_8_or_badly_escaped(self):
        for query in ("filter=title=%22%FF%22", "filter=%", "filter=%zz", "%FF=1"):
            self.check_error(self.server.get(f"{path_of('posts')}?{query}"), 400)

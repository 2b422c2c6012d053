# SPDX-License-Identifier: Apache-2.0
"""Superusers: making them, signing in, and tokens that are good or not."""
import base64
import hashlib
import hmac
import json
import time
import unittest

from harness import EMAIL, PASSWORD, ProductCase, Server
from support import expect, field, free_id, insert, make_collection, path_of

SIGN_IN = "/api/collections/_superusers/auth-with-password"
REFRESH = "/api/collections/_superusers/auth-refresh"


def part(data):
    """Bytes, or anything as JSON, as a part of a token."""
    data = data if isinstance(data, bytes) else json.dumps(data).encode()
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def claims_of(token):
    body = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4)))


class SignIn(ProductCase):
    def sign_in(self, identity, password):
        return self.server.post(SIGN_IN, {"identity": identity, "password": password})

    def test_the_right_password_gives_a_token_and_the_record(self):
        answer = expect(self.sign_in(EMAIL, PASSWORD), 200)
        self.assertEqual(answer.json["record"]["email"], EMAIL)
        self.assertEqual(answer.json["record"]["collectionName"], "_superusers")
        claims = claims_of(answer.json["token"])
        self.assertEqual(claims["id"], answer.json["record"]["id"])
        self.assertGreater(claims["exp"], time.time() + 600)

    def test_S_74_answers_never_hold_hashes_or_keys(self):
        for answer in (self.sign_in(EMAIL, PASSWORD), self.server.post(REFRESH, token=self.token),
                       self.server.get("/api/collections/_superusers/records", token=self.token)):
            expect(answer, 200)
            for word in ("password", "tokenKey", "argon2", "secret"):
                self.assertNotIn(f'"{word}"'.encode() if word != "argon2" else b"argon2", answer.body)

    def test_a_wrong_password_and_a_wrong_address_give_the_same_answer(self):
        wrong = self.sign_in(EMAIL, "not the password")
        self.check_error(wrong, 400)
        nobody = self.sign_in("nobody@example.org", PASSWORD)
        self.assertEqual((nobody.status, nobody.body), (wrong.status, wrong.body))

    def test_RULE_05_the_address_in_another_case(self):
        self.assertEqual(self.sign_in(EMAIL.upper(), PASSWORD).status, 200)

    def test_what_is_no_sign_in(self):
        for body in ({}, {"identity": EMAIL}, {"password": PASSWORD}, {"identity": "", "password": ""},
                     {"identity": 1, "password": 2}, {"identity": EMAIL, "password": "x" * 1_000_000},
                     {"identity": EMAIL, "password": PASSWORD + "\0"}, {"identity": None, "password": None}):
            self.check_error(self.server.post(SIGN_IN, body), 400)
        self.check_error(self.server.post(SIGN_IN, "[]", headers={"Content-Type": "application/json"}), 400)

    def test_S_70_no_silent_truncation(self):
        long = "p" * 72
        self.assertEqual(self.server.post("/api/collections/_superusers/records", {
            "email": "long@example.org", "password": long + "A", "passwordConfirm": long + "A"},
            token=self.token).status, 200)
        self.assertEqual(self.sign_in("long@example.org", long + "A").status, 200)
        self.check_error(self.sign_in("long@example.org", long + "B"), 400)
        self.check_error(self.sign_in("long@example.org", long), 400)

    def test_signing_in_to_what_is_no_auth_collection(self):
        self.collection("plain", [field("title")])
        answer = self.server.post("/api/collections/plain/auth-with-password",
                                  {"identity": EMAIL, "password": PASSWORD})
        self.check_error(answer, 404)
        self.check_error(self.server.post("/api/collections/nope/auth-with-password",
                                          {"identity": EMAIL, "password": PASSWORD}), 404)

    def test_auth_methods(self):
        answer = expect(self.server.get("/api/collections/_superusers/auth-methods"), 200)
        self.assertTrue(answer.json["password"]["enabled"])
        self.assertEqual(answer.json["password"]["identityFields"], ["email"])

    def test_refresh(self):
        answer = expect(self.server.post(REFRESH, token=self.token), 200)
        self.assertEqual(answer.json["record"]["email"], EMAIL)
        self.assertEqual(self.server.get("/api/collections", token=answer.json["token"]).status, 200)
        self.check_error(self.server.post(REFRESH), 401)


class Tokens(ProductCase):
    """RULE-07 and S-65: a token is right, or the request is refused."""

    def ask(self, *lines, path="/api/collections"):
        """(status, body) of a GET with these Authorization lines as they are."""
        head = "".join(f"Authorization: {line}\r\n" for line in lines)
        raw = self.server.raw(f"GET {path} HTTP/1.1\r\nHost: x\r\n{head}Connection: close\r\n\r\n".encode())
        return int(raw.split(b" ")[1]), raw.partition(b"\r\n\r\n")[2]

    def test_RULE_07_the_scheme(self):
        for line in ("{}", "Bearer {}", "bearer {}", "BEARER  {}", "bEaReR {}", "Bearer {}  ", "  {}"):
            with self.subTest(line=line):
                self.assertEqual(self.ask(line.format(self.token))[0], 200)

    def test_RULE_07_malformed_is_401_and_not_guest_access(self):
        make_collection(self.server, "open", [field("title")])
        header, body, signature = self.token.split(".")
        bad = {
            "no blank": "Bearer" + self.token, "basic": "Basic " + self.token, "only the scheme": "Bearer ",
            "one part": "nonsense", "two parts": f"{header}.{body}", "four parts": self.token + ".x",
            "no signature": f"{header}.{body}.", "half a signature": f"{header}.{body}.{signature[:20]}",
            "signature with padding": self.token + "=",
               "other alphabet": f"{header}.{body}.{'+/' + signature[2:]}",
            "two tokens": f"{self.token} {self.token}", "quotes": f'"{self.token}"',
            "long": "x" * 10_000, "Bearer Bearer": "Bearer Bearer " + self.token,
        }
        for name, line in bad.items():
            for path in ("/api/collections", path_of("open"), "/api/health"):
                with self.subTest(name=name, path=path):
                    status, answer = self.ask(line, path=path)
                    if path == "/api/health":
                        self.assertIn(status, (200, 401))
                    else:
                        self.assertEqual(status, 401)
                        self.assertEqual(json.loads(answer)["status"], 401)

    def test_RULE_07_a_token_of_100_kB_does_not_fit(self):
        self.assertIn(self.ask("x" * 100_000)[0], (401, 431))

    def test_RULE_07_two_headers(self):
        self.assertEqual(self.ask(self.token, self.token)[0], 400)

    def test_no_token_is_nobody(self):
        self.assertEqual(self.ask()[0], 401)
        make_collection(self.server, "free", [field("title")])
        self.assertEqual(self.ask(path=path_of("free"))[0], 200)

    def forged(self, header, claims, key=b"secret"):
        signed = f"{part(header)}.{part(claims)}"
        return f"{signed}.{part(hmac.new(key, signed.encode(), hashlib.sha256).digest())}"

    def test_S_65_forged_tokens(self):
        right = claims_of(self.token)
        header = {"alg": "HS256", "typ": "JWT"}
        _, body, signature = self.token.split(".")
        none = part({"alg": "none", "typ": "JWT"})
        later = {**right, "exp": right["exp"] + 1000}
        forged = {
            "alg none": f"{none}.{body}.", "alg none, old signature": f"{none}.{body}.{signature}",
            "own key": self.forged(header, right), "empty key": self.forged(header, right, b""),
            "HS512": self.forged({"alg": "HS512", "typ": "JWT"}, right),
            "longer life under the old signature": f"{self.token.split('.')[0]}.{part(later)}.{signature}",
            "no exp": self.forged(header, {k: v for k, v in right.items() if k != "exp"}),
            "exp as text": self.forged(header, {**right, "exp": str(right["exp"])}),
            "exp in the past": self.forged(header, {**right, "exp": 1}),
            "id of nobody": self.forged(header, {**right, "id": "nobody"}),
            "collection of nothing": self.forged(header, {**right, "collectionId": "nope"}),
            "id with a quote": self.forged(header, {**right, "id": "' OR 1=1 --"}),
            "claims are a list": self.forged(header, [right]),
                  "claims are no JSON": f"{part(header)}.{part(b'x')}.x",
            "claims twice": self.forged(header, right).replace(part(right), part(
                json.dumps(right)[:-1].encode() + b',"id":"x"}')),
        }
        for name, token in forged.items():
            with self.subTest(name=name):
                self.check_error(self.server.get("/api/collections", token=token), 401)

    def test_S_65_a_changed_byte_anywhere(self):
        for at in range(0, len(self.token), 7):
            if self.token[at] == ".":
                continue
            other = self.token[:at] + ("A" if self.token[at] != "A" else "B") + self.token[at + 1:]
            self.check_error(self.server.get("/api/collections", token=other), 401)


class Lives(unittest.TestCase):
    """Tokens and accounts that end. Each test has a server of its own."""

    def test_S_58_a_new_password_ends_the_tokens(self):
        with Server() as server:
            old = server.token
            expect(server.get("/api/collections", token=old), 200)
            changed = server.command("superuser", "upsert", EMAIL, "another password")
            self.assertEqual(changed.returncode, 0, changed.stdout)
            expect(server.get("/api/collections", token=old), 401)
            expect(server.post(SIGN_IN, {"identity": EMAIL, "password": PASSWORD}), 400)
            token = server.sign_in("_superusers", EMAIL, "another password")
            expect(server.get("/api/collections", token=token), 200)

    def test_S_58_a_new_password_through_the_api(self):
        with Server() as server:
            record = server.get("/api/collections/_superusers/records", token=server.token).json["items"][0]
            old = server.token
            answer = server.patch(f"/api/collections/_superusers/records/{record['id']}",
                                  {"password": "another password", "passwordConfirm": "another password"},
                                  token=old)
            expect(answer, 200)
            expect(server.get("/api/collections", token=old), 401)
            expect(server.get("/api/collections", token=server.sign_in("_superusers", EMAIL,
                                                                       "another password")), 200)

    def test_S_59_a_removed_account_is_refused_at_once(self):
        with Server() as server:
            server.stop()
            server.make_superuser("other@example.org")
            server.start()
            other = server.sign_in("_superusers", "other@example.org", PASSWORD)
            expect(server.get("/api/collections", token=other), 200)
            record = claims_of(other)["id"]
            expect(server.delete(f"/api/collections/_superusers/records/{record}", token=server.token), 204)
            expect(server.get("/api/collections", token=other), 401)

    def test_tokens_outlive_a_restart_and_are_good_on_no_other_server(self):
        with Server() as server, Server() as other:
            token = server.token
            server.restart()
            expect(server.get("/api/collections", token=token), 200)
            expect(other.get("/api/collections", token=token), 401)

    def test_the_command_line_refuses_bad_input(self):
        with Server() as server:
            server.stop()
            for email, password in (("no address", PASSWORD), ("a@example.org", "short"), ("", PASSWORD)):
                ran = server.command("superuser", "upsert", email, password)
                self.assertNotEqual(ran.returncode, 0, (email, password))
                self.assertNotIn("terminate", ran.stdout)


class Doors(ProductCase):
    """What only superusers may do: 401 without a token, 403 with somebody else's, never done."""

    def test_anonymous_callers_are_sent_to_sign_in(self):
        make_collection(self.server, "posts", [free_id(), field("title")])
        insert(self.server, "posts", id="a")
        for method, path, body in (("GET", "/api/collections", None), ("GET", "/api/collections/posts", None),
                                   ("POST", "/api/collections", {"name": "x", "type": "base"}),
                                   ("PATCH", "/api/collections/posts", {"name": "x"}),
                                   ("DELETE", "/api/collections/posts", None),
                                   ("DELETE", "/api/collections/posts/truncate", None),
                                   ("PUT", "/api/collections/import", {"collections": []}),
                                   ("GET", "/api/collections/meta/scaffolds", None)):
            with self.subTest(method=method, path=path):
                self.check_error(self.server.request(method, path, body), 401)
        # Whether a collection exists is not told.
        self.check_error(self.server.get("/api/collections/nope"), 401)
        self.assertEqual(self.server.get(path_of("posts")).json["totalItems"], 1)

    def test_S_25_the_records_of_superusers_are_closed(self):
        path = path_of("_superusers")
        body = {"email": "evil@example.org", "password": "evil password", "passwordConfirm": "evil password",
                "verified": True, "tokenKey": "x" * 40}
        self.check_error(self.server.get(path), 403)
        self.check_error(self.server.post(path, body), 403)
        record = self.server.get(path, token=self.token).json["items"][0]["id"]
        for answer in (self.server.get(f"{path}/{record}"), self.server.patch(f"{path}/{record}", body),
                       self.server.delete(f"{path}/{record}"), self.server.get(f"{path}/nope")):
            self.check_error(answer, 403)
        self.assertEqual(self.server.get(path, token=self.token).json["totalItems"], 1)

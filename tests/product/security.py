# SPDX-License-Identifier: Apache-2.0
"""Reading and writing past the rules: what must not work, and must not even be told apart.

Callers are played by the header `X-Me`; the rules ask for it as they would for the signed-in record."""
import random
import time

from support import RecordCase, expect, field, free_id, insert, make_collection, path_of, relation

ME = "@request.headers.x_me"
OWN = f"owner = {ME} || published = true"


def caller(name):
    return {"X-Me": name} if name else {}


class FixtureF(RecordCase):
    """Users, organisations, notes, comments, salaries, invitations; who may see what is in the rules."""

    @classmethod
    def fixture(cls):
        server = cls.server
        own = f"id = {ME}"
        orgs = make_collection(server, "orgs", [free_id(), field("name"), field("plan"),
                                                field("api_secret", hidden=True)],
                               createRule=None, updateRule=None, deleteRule=None)
        users = make_collection(server, "users", [
            free_id(), field("name"), field("role"), relation("org", orgs), field("token_key", hidden=True)],
            listRule=own, viewRule=own, updateRule=own)
        in_org = f"users_via_org.id ?= {ME}"
        expect(server.patch("/api/collections/orgs", {"listRule": in_org, "viewRule": in_org},
                            token=server.token), 200)
        notes = make_collection(server, "notes", [
            free_id(), relation("owner", users), relation("org", orgs), field("title"), field("body"),
            field("score", "number", onlyInt=True), field("published", "bool"), field("tags", "json"),
            field("secret_token", hidden=True)], listRule=OWN, viewRule=OWN, createRule=f"owner = {ME}",
            updateRule=f"owner = {ME}", deleteRule=f"owner = {ME}")
        theirs = f"note.owner = {ME} || note.published = true"
        make_collection(server, "comments", [free_id(), relation("note", notes), relation("author", users),
                                             field("text")],
                        listRule=theirs, viewRule=theirs,
                        createRule=f"author = {ME} && note.published = true",
                        updateRule=f"author = {ME}", deleteRule=f"author = {ME}")
        locked = dict.fromkeys(("listRule", "viewRule", "createRule", "updateRule", "deleteRule"))
        make_collection(server, "salaries", [free_id(), relation("user", users), field("amount", "number")],
                        indexes=["CREATE UNIQUE INDEX salaries_user ON salaries (user)"], **locked)
        make_collection(server, "invites", [free_id(), field("code"), relation("org", orgs),
                                            field("used", "bool")],
                        indexes=["CREATE UNIQUE INDEX invites_code ON invites (code)"], **locked)
        rows = {
            "orgs": {"acme": {"name": "Acme", "api_secret": "k-acme"},
                     "evil": {"name": "Evil", "api_secret": "k-evil"}},
            "users": {"alice": {"name": "Alice", "role": "member", "org": "acme", "token_key": "tk-alice"},
                      "bob": {"name": "Bob", "org": "acme", "token_key": "tk-bob"},
                      "mallory": {"name": "Mallory", "org": "evil", "token_key": "tk-mallory"}},
            "notes": {"n1": {"owner": "alice", "org": "acme", "title": "merger", "secret_token": "s3cr3t-n1",
                             "score": 10},
                      "n2": {"owner": "alice", "title": "hello", "published": True,
                             "secret_token": "s3cr3t-n2", "score": 20},
                      "n3": {"owner": "bob", "title": "layoffs", "secret_token": "s3cr3t-n3", "score": 30}},
            "comments": {"c1": {"note": "n2", "author": "bob", "text": "nice"},
                         "c3": {"note": "n3", "author": "bob", "text": "sad"}},
            "salaries": {"s1": {"user": "alice", "amount": 90000}, "s2": {"user": "bob", "amount": 70000}},
            "invites": {"i1": {"code": "WELCOME-1", "org": "acme"}},
        }
        for collection, records in rows.items():
            for key, record in records.items():
                insert(server, collection, record, id=key)

    def get(self, who, collection, record=None, **query):
        return self.server.get(path_of(collection, record), headers=caller(who), query=query)

    def same(self, left, right):
        """Two answers that must not be told apart."""
        def bare(answer):
            return answer.status, answer.body, {name: value for name,
                                                value in answer.headers.items() if name != "date"}
        self.assertEqual(bare(left), bare(right))


class Reading(FixtureF):
    def test_S_01_a_hidden_record_is_as_absent(self):
        for who in ("bob", "mallory", None):
            self.same(self.get(who, "notes", "n1"), self.get(who, "notes", "zz"))
            self.assertEqual(self.get(who, "notes", "n1").status, 404)

    def test_S_04_expand_asks_the_rule_of_the_target(self):
        answer = expect(self.get("mallory", "notes", "n2", expand="owner"), 200)
        self.assertNotIn("owner", answer.json.get("expand", {}))
        self.assertNotIn(b"Alice", answer.body)
        self.assertEqual(self.get("alice", "notes", "n2", expand="owner").json["expand"]["owner"]["name"],
                         "Alice")

    def test_S_05_nothing_below_the_first_hidden_step(self):
        plain = expect(self.get("mallory", "notes", "n2", expand="nope"), 200).json
        for expand in ("owner.org", "owner.salaries_via_user", "owner.org,owner.salaries_via_user",
                       "owner.nope"):
            self.assertEqual(self.get("mallory", "notes", "n2", expand=expand).json, plain, expand)
        shown = self.get("alice", "notes", "n2",
                         expand="owner.salaries_via_user,owner.org").json["expand"]["owner"]
        self.assertEqual(set(shown.get("expand", {})), {"org"})

    def test_S_06_no_filter_through_a_locked_collection(self):
        wrong = self.get("alice", "notes", filter="owner.salariez_via_user.amount > 80000")
        self.check_error(wrong, 400)
        for amount in (0, 80000, 100000):
            for sign in (">", "?>", "?<"):
                answer = self.get("alice", "notes", filter=f"owner.salaries_via_user.amount {sign} {amount}")
                self.check_error(answer, 400)
                self.assertEqual(answer.json["message"].replace("salaries", "salariez"),
                                 wrong.json["message"])

    def test_S_07_no_filter_on_a_hidden_field(self):
        wrong = self.get("alice", "notes", filter='secret_tokem ~ "s%"')
        for text in ('secret_token ~ "s%"', 'secret_token ~ "x%"', 'secret_token = "s3cr3t-n1"'):
            answer = self.get("alice", "notes", filter=text)
            self.check_error(answer, 400)
            self.assertEqual(answer.json["message"].replace("token", "tokem"), wrong.json["message"])
        for text in ('owner.token_key ~ "t%"', 'secret_token:lower ~ "s%"', 'secret_token:length > 0',
                     'secret_token != ""',
                     'title = secret_token', 'strftime(secret_token, "now") != ""',
                     'note.secret_token ~ "s%"',
                     'org.api_secret ~ "k%"', 'comments_via_note.note.secret_token ?~ "s%"', "!secret_token",
                     "secret_token"):
            self.check_error(self.get("alice", "notes", filter=text), 400)

    def test_S_08_no_order_by_a_hidden_field(self):
        for sort in ("secret_token", "-secret_token", "owner.token_key", "org.api_secret",
                     "owner.salaries_via_user.amount"):
            self.check_error(self.get("alice", "notes", sort=sort), 400)

    def test_S_09_S_10_no_projection_of_a_hidden_field(self):
        for fields in ("id,secret_token", "*,secret_token", "expand.owner.token_key", "expand.owner.*",
                       "*,expand.*",
                       "secret_token:excerpt(5)", "secret_token:x", "x:secret_token",
                       "expand.owner.token_key:excerpt(1)"):
            for record in (None, "n1"):
                answer = self.get("alice", "notes", record, fields=fields, expand="owner,owner.org")
                for secret in (b"s3cr3t", b"secret_token", b"tk-", b"token_key", b"k-acme"):
                    self.assertNotIn(secret, answer.body if answer.status == 200 else b"", fields)

    def test_S_11_only_names_of_fields_resolve(self):
        for text in ('t1.secret_token ~ "s%"', 'notes.secret_token ~ "s%"', '"secret_token" ~ "s%"',
                     '[secret_token] ~ "s%"',
                     '`secret_token` ~ "s%"', 't0.id = "n1"', "notes.id = 'n1'", "rowid > 0", "_rowid_ > 0",
                     "_v > 0", "oid > 0",
                     "SECRET_TOKEN ~ 's%'", "main.notes.title = 'x'", "@rowid > 0", "notes__tags.owner = 'x'",
                     "title.length = 1"):
            answer = self.get("alice", "notes", filter=text)
            if text.startswith('"'):
                # A text compared with a text: allowed, and the same for every row.
                self.assertIn(answer.status, (200, 400))
                if answer.status == 200:
                    self.assertEqual(answer.json["items"], [])
            else:
                self.check_error(answer, 400)

    def test_S_14_totals_count_only_what_may_be_seen(self):
        page = self.get("mallory", "notes", filter='title = "layoffs"').json
        self.assertEqual((page["totalItems"], page["totalPages"], page["items"]), (0, 0, []))
        page = self.get("mallory", "notes", perPage=0).json
        self.assertEqual(page["totalItems"], 1)

    def test_S_21_a_known_tag_is_no_key(self):
        tag = expect(self.get("alice", "notes", "n1"), 200).headers["etag"]
        for header in (tag, "*", f"W/{tag}"):
            answer = self.server.get(path_of("notes", "n1"),
                                     headers={**caller("bob"), "If-None-Match": header})
            self.check_error(answer, 404)
            answer = self.server.patch(path_of("notes", "n1"), {"title": "x"},
                                       headers={**caller("bob"), "If-Match": header})
            self.check_error(answer, 404)
            answer = self.server.delete(path_of("notes", "n1"), headers={**caller("bob"), "If-Match": header})
            self.check_error(answer, 404)

    def test_hidden_fields_are_shown_to_superusers_alone(self):
        record = self.server.get(path_of("notes", "n1"), token=self.token).json
        self.assertEqual(record["secret_token"], "s3cr3t-n1")


class Doors(FixtureF):
    def test_P_2_a_record_is_visible_through_all_doors_or_none(self):
        for who in ("alice", "bob", "mallory", None):
            for record in ("n1", "n2", "n3"):
                seen = {
                    "view": self.get(who, "notes", record).status == 200,
                    "list": record in [item["id"] for item in self.get(who, "notes").json["items"]],
                    "filter": self.get(who, "notes", filter=f'id = "{record}"').json["totalItems"] == 1,
                    "cursor": record in [item["id"] for item in self.get(who, "notes",
                                                                         cursor="").json["items"]],
                    "sorted": record in [item["id"] for item in self.get(who, "notes",
                                                                         sort="-score").json["items"]],
                    "total": self.get(who, "notes", filter=f'id = "{record}"',
                                      perPage=0).json["totalItems"] == 1,
                    "head": self.server.request("HEAD", path_of("notes", record),
                                                headers=caller(who)).status == 200,
                }
                self.assertEqual(len(set(seen.values())), 1, (who, record, seen))
        for who in ("alice", "bob"):
            shown = self.get(who, "users", who, expand="notes_via_owner").json["expand"]["notes_via_owner"]
            listed = [item["id"] for item in self.get(who, "notes", filter=f'owner = "{who}"',
                                                      sort="id").json["items"]]
            self.assertEqual(sorted(item["id"] for item in shown), listed)

    def test_P_1_what_may_not_be_seen_changes_no_answer(self):
        source = random.Random(1)
        paths = []
        for _ in range(150):
            who = source.choice(("mallory", None))
            query = {}
            if source.random() < 0.7:
                query["filter"] = source.choice((
                    'title ~ "a"', "score > 5", 'title = "layoffs"', "published = true",
                                                 'comments_via_note.text ?~ "a"',
                    'owner.name = "Alice"', 'owner.name != "Alice"', 'org.name = "Acme"',
                                                 "comments_via_note.id = null",
                    'owner = "bob"', "!(score > 15)", 'comments_via_note.author.name ?= "Bob"',
                                                 'id in ("n1","n3")'))
            if source.random() < 0.5:
                query["sort"] = source.choice(("score", "-title", "owner.name", "-org.name", "id"))
            if source.random() < 0.5:
                query["expand"] = source.choice(("owner", "org", "comments_via_note",
                                                 "comments_via_note.author", "owner.org"))
            if source.random() < 0.3:
                query["perPage"] = source.choice((0, 1, 2))
            paths.append((who, source.choice(("notes", "notes", "comments", "users", "orgs")),
                          source.choice((None, None, "n1", "n2", "c3")), query))

        def answers():
            found = []
            for who, collection, record, query in paths:
                asked = query if record is None else {"expand": query.get("expand", "")}
                answer = self.get(who, collection, record, **asked)
                self.assertIn(answer.status, (200, 400, 404))
                found.append((answer.status, answer.body, answer.headers.get("etag")))
            return found

        before = answers()
        self.assertTrue(any(status == 200 and b'"n2"' in body for status, body, _ in before))
        for collection, record, change in (("notes", "n3", {"title": "a new title", "score": 1}),
                                           ("notes", "n1", {"score": 99}),
                                           ("comments", "c3", {"text": "aaa"}),
                                           ("users", "bob", {"name": "Alice"}),
                                           ("salaries", "s1", {"amount": 1}),
                                           ("users", "alice", {"name": "Zoe", "org": ""}),
                                           ("orgs", "acme", {"name": "Renamed"})):
            expect(self.server.patch(path_of(collection, record), change, token=self.token), 200)
        insert(self.server, "notes", id="n4", owner="bob", title="another", score=12)
        insert(self.server, "comments", id="c4", note="n3", author="bob", text="a")
        after = answers()
        for asked, left, right in zip(paths, before, after):
            self.assertEqual(left, right, asked)


class Writing(FixtureF):
    def test_S_27_giving_a_record_away(self):
        answer = self.server.patch(path_of("notes", "n1"), {"owner": "bob"}, headers=caller("alice"))
        self.check_error(answer, 400)
        self.assertEqual(self.get("alice", "notes", "n1").json["owner"], "alice")

    def test_S_29_creating_with_the_id_of_another(self):
        answer = self.server.post(path_of("notes"), {"id": "n1", "owner": "mallory", "title": "x"},
                                  headers=caller("mallory"))
        self.check_error(answer, 400)
        self.assertEqual(self.get("alice", "notes", "n1").json["title"], "merger")

    def test_S_25_keys_of_the_server_are_not_taken(self):
        answer = self.server.post(path_of("users"), {"id": "eve", "name": "Eve", "token_key": "mine",
                                                     "collectionName": "orgs"})
        self.assertIn(answer.status, (200, 400))
        stored = self.server.get(path_of("users", "eve"), token=self.token)
        if answer.status == 200:
            self.assertEqual((stored.json["token_key"], stored.json["collectionName"]), ("", "users"))

    def test_S_34_a_locked_collection_tells_nothing_of_its_values(self):
        taken = self.server.post(path_of("invites"), {"code": "WELCOME-1"})
        free = self.server.post(path_of("invites"), {"code": "WELCOME-2"})
        self.check_error(taken, 403)
        self.same(taken, free)

    def test_create_asks_for_the_related_record(self):
        body = {"author": "mallory", "note": "n2", "text": "hi"}
        self.assertEqual(self.server.post(path_of("comments"), body, headers=caller("mallory")).status, 200)
        for change in ({"note": "n3"}, {"author": "bob"}, {"note": ""}):
            self.check_error(self.server.post(path_of("comments"), {**body, **change},
                                              headers=caller("mallory")), 400)
        # A note that exists and one that does not: neither is to be had, and no difference is to be seen.
        hidden = self.server.post(path_of("comments"), {**body, "note": "n1"}, headers=caller("mallory"))
        self.check_error(hidden, 400)

    def test_writes_by_others_are_as_on_absent_records(self):
        for method, body in (("PATCH", {"title": "x"}), ("DELETE", None)):
            for who in ("bob", "mallory", None):
                hidden = self.server.request(method, path_of("notes", "n1"), body, headers=caller(who))
                absent = self.server.request(method, path_of("notes", "zz"), body, headers=caller(who))
                self.check_error(hidden, 404)
                self.same(hidden, absent)
        # Not even a body that would be refused tells the two apart.
        hidden = self.server.patch(path_of("notes", "n1"), {"score": "x"}, headers=caller("bob"))
        absent = self.server.patch(path_of("notes", "zz"), {"score": "x"}, headers=caller("bob"))
        self.same(hidden, absent)


class Limits(FixtureF):
    """S-83: requests that cost little to send and must cost little to refuse."""

    def refused(self, seconds=3, statuses=(400, 413, 414, 431), **query):
        begun = time.monotonic()
        answer = self.server.get(path_of("notes"), query=query)
        self.assertLess(time.monotonic() - begun, seconds)
        self.assertIn(answer.status, statuses, answer.body[:200])
        self.assertEqual(answer.json["status"], answer.status)
        self.assertEqual(self.server.get("/api/health").status, 200)

    def test_S_83_filters(self):
        for text in ("(" * 10_000 + "score=1" + ")" * 10_000, "(" * 1000 + "score=1" + ")" * 1000, "(" * 3000,
                     "!" * 3400,
                     "||".join(["score=1"] * 5000), "||".join(["score=1"] * 400),
                     "score in (" + ",".join("1" * 100_000) + ")", "title ~ '" + "%_" * 32_768 + "'",
                     "title ~ '" + "%_" * 1800 + "'", "owner." * 500 + "name = 'x'", "a" * 3499 + "=1",
                     "1=1" * 1000):
            self.refused(filter=text)

    def test_S_83_a_pattern_of_many_percent_signs_ends(self):
        insert(self.server, "notes", id="long", owner="alice", published=True, title="a" * 5000)
        begun = time.monotonic()
        answer = self.server.get(path_of("notes"), query={"filter": "title ~ '" + "%a" * 800 + "%b'"})
        self.assertEqual(answer.status, 200, answer.body[:200])
        self.assertEqual(answer.json["items"], [])
        self.assertLess(time.monotonic() - begun, 2)

    def test_S_83_expand_sort_and_pages(self):
        self.refused(expand=".".join(["owner"] * 50))
        self.refused(expand=",".join(["owner"] * 1000))
        self.refused(sort=",".join(["score"] * 500))
        self.refused(perPage="-1")
        self.refused(page=str(2**63))
        for per_page in ("0", str(2**31), "1000000000"):
            self.assertEqual(self.server.get(path_of("notes"), query={"perPage": per_page}).status, 200)
        answer = self.server.get(path_of("notes"), query={"page": str(2**62), "perPage": "1000"})
        self.assertIn(answer.status, (200, 400))

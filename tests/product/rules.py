# SPDX-License-Identifier: Apache-2.0
"""Access rules at every door. Callers are played by headers: the rules ask for `x_me`."""
from support import RULES, RecordCase, expect, field, free_id, insert, make_collection, path_of, relation

ME = "@request.headers.x_me"


def me(name):
    return {"X-Me": name}


class Doors(RecordCase):
    """One rule for all five doors, and what each door answers."""

    def setUp(self):
        self.name = "d_" + self.id().rsplit(".", 1)[-1].lower()[:60]

    def make(self, rule):
        make_collection(self.server, self.name, [free_id(), field("owner"), field("t")],
                        **dict.fromkeys(RULES, rule))
        self.insert(self.name, id="mine", owner="ann", t="x")
        self.insert(self.name, id="other", owner="bob", t="y")

    def test_locked_is_403_for_all_but_superusers(self):
        self.make(None)
        for answer in (self.server.get(path_of(self.name)), self.view(self.name, "mine"),
                       self.view(self.name, "nope"),
                       self.server.post(path_of(self.name), {}), self.change(self.name, "mine", {}),
                       self.change(self.name, "nope", {}), self.remove(self.name, "mine")):
            self.check_error(answer, 403)
        self.assertEqual(len(self.ids(self.name, token=self.token)), 2)
        self.assertEqual(self.view(self.name, "mine", token=self.token).status, 200)
        self.assertEqual(self.server.post(path_of(self.name), {}, token=self.token).status, 200)
        self.assertEqual(self.change(self.name, "mine", {"t": "z"}, token=self.token).status, 200)
        self.assertEqual(self.remove(self.name, "mine", token=self.token).status, 204)

    def test_empty_is_anyone(self):
        self.make("")
        self.assertEqual(len(self.ids(self.name)), 2)
        self.assertEqual(self.view(self.name, "mine").status, 200)
        self.assertEqual(self.server.post(path_of(self.name), {"owner": "x"}).status, 200)
        self.assertEqual(self.change(self.name, "mine", {"t": "z"}).status, 200)
        self.assertEqual(self.remove(self.name, "mine").status, 204)

    def test_an_expression_decides_row_by_row(self):
        self.make(f"owner = {ME}")
        ann = me("ann")
        self.assertEqual(self.ids(self.name, headers=ann), ["mine"])
        self.assertEqual(self.ids(self.name, headers=me("nobody")), [])
        self.assertEqual(self.ids(self.name), [])
        self.assertEqual(self.view(self.name, "mine", headers=ann).status, 200)
        for record in ("other", "nope"):
            for answer in (self.view(self.name, record, headers=ann),
                           self.change(self.name, record, {}, headers=ann),
                           self.remove(self.name, record, headers=ann)):
                self.check_error(answer, 404)
        self.assertEqual(self.server.post(path_of(self.name), {"owner": "ann"}, headers=ann).status, 200)
        self.check_error(self.server.post(path_of(self.name), {"owner": "bob"}, headers=ann), 400)
        self.check_error(self.server.post(path_of(self.name), {"owner": ""}), 400)
        self.assertEqual(self.change(self.name, "mine", {"t": "z"}, headers=ann).status, 200)
        self.assertEqual(self.remove(self.name, "mine", headers=ann).status, 204)
        self.assertEqual(len(self.ids(self.name, token=self.token)), 2)

    def test_S_27_an_update_must_satisfy_the_rule_before_and_after(self):
        self.make(f"owner = {ME}")
        self.check_error(self.change(self.name, "mine", {"owner": "bob"}, headers=me("ann")), 400)
        self.check_error(self.change(self.name, "other", {"owner": "ann"}, headers=me("ann")), 404)
        self.assertEqual(self.view(self.name, "mine", token=self.token).json["owner"], "ann")
        self.assertEqual(self.view(self.name, "other", token=self.token).json["owner"], "bob")

    def test_S_20_a_filter_is_joined_to_the_rule_as_a_whole(self):
        self.make(f"owner = {ME} || t = 'nothing'")
        for text in ("t = 'x' || t != ''", "owner != 'ann' || owner = 'ann'", "!(t = 'nothing')", "t ~ '%'"):
            self.assertEqual(self.ids(self.name, headers=me("ann"), filter=text), ["mine"], text)
        for text in ("x=1) OR (1=1", "t = 'x') || (t != 'x'", "t = 'x' // )\n) || (t != ''"):
            self.check_error(self.server.get(path_of(self.name), query={"filter": text}, headers=me("ann")),
                             400)
        page = self.page(self.name, headers=me("ann"))
        self.assertEqual((page["totalItems"], page["totalPages"]), (1, 1))


class Request(RecordCase):
    """What rules may ask of the request."""

    def listed(self, rule, **options):
        expect(self.change_collection("asked", {"listRule": rule}), 200)
        return len(self.ids("asked", **options)) > 0

    def created(self, rule, body, headers=None, query=None):
        expect(self.change_collection("asked", {"createRule": rule}), 200)
        answer = self.server.post(path_of("asked"), body, headers=headers, query=query)
        if answer.status != 200:
            self.check_error(answer, 400)
        return answer.status == 200

    def changed(self, rule, body):
        expect(self.change_collection("asked", {"updateRule": rule}), 200)
        self.change("asked", "a", {"t": "x", "n": 1, "kinds": ["x"]}, token=self.token)
        answer = self.change("asked", "a", body)
        # 404 before the change, 400 when its result breaks the rule: the caller may see this record.
        self.assertIn(answer.status, (200, 400, 404))
        return answer.status == 200

    @classmethod
    def fixture(cls):
        targets = make_collection(cls.server, "targets", [free_id(), field("name")])
        make_collection(cls.server, "asked", [
            free_id(), field("t"), field("n", "number"),
                                              field("kinds", "select", values=["x", "y"], maxSelect=2),
            field("j", "json"), relation("to", targets)])
        insert(cls.server, "targets", id="good", name="good")
        insert(cls.server, "targets", id="bad", name="bad")
        insert(cls.server, "asked", id="a", t="x", n=1)

    def test_method_context_query_headers(self):
        self.assertTrue(self.listed('@request.method = "GET"'))
        self.assertFalse(self.listed('@request.method = "POST"'))
        self.assertTrue(self.listed('@request.context = "default"'))
        self.assertTrue(self.listed('@request.query.key = "k"', key="k"))
        self.assertFalse(self.listed('@request.query.key = "k"', key="other"))
        self.assertFalse(self.listed('@request.query.key = "k"'))
        self.assertTrue(self.listed("@request.query.key:isset = true", key=""))
        self.assertFalse(self.listed("@request.query.key:isset = true"))
        self.assertTrue(self.listed("@request.query.key:isset = false"))
        self.assertTrue(self.listed('@request.headers.x_key = "k"', headers={"X-Key": "k"}))
        self.assertFalse(self.listed('@request.headers.x_key = "k"', headers={"X-Other": "k"}))
        self.assertTrue(self.listed('@request.headers.x_key:lower = "k"', headers={"X-Key": "K"}))
        self.assertTrue(self.listed("t = @request.query.t", t="x"))
        self.assertTrue(self.listed("n = @request.query.n", n="1"))
        self.assertFalse(self.listed("n = @request.query.n", n="one"))

    def test_body(self):
        self.assertTrue(self.created('@request.body.t = "ok"', {"t": "ok"}))
        self.assertFalse(self.created('@request.body.t = "ok"', {"t": "no"}))
        self.assertFalse(self.created('@request.body.t = "ok"', {}))
        self.assertTrue(self.created("@request.body.t:isset = true", {"t": ""}))
        self.assertFalse(self.created("@request.body.t:isset = true", {"n": 1}))
        self.assertTrue(self.created("@request.body.n > 5", {"n": 6}))
        self.assertFalse(self.created("@request.body.n > 5", {"n": 5}))
        self.assertTrue(self.created("@request.body.kinds:length = 2", {"kinds": ["x", "y"]}))
        self.assertFalse(self.created("@request.body.kinds:length = 2", {"kinds": ["x"]}))
        self.assertTrue(self.created('@request.body.kinds:each = "x"', {"kinds": ["x"]}))
        self.assertFalse(self.created('@request.body.kinds:each = "x"', {"kinds": ["x", "y"]}))
        self.assertTrue(self.created('@request.body.j.k = "v"', {"j": {"k": "v"}}))
        self.assertTrue(self.created('@request.body.to.name = "good"', {"to": "good"}))
        self.assertFalse(self.created('@request.body.to.name = "good"', {"to": "bad"}))
        self.assertFalse(self.created('@request.body.to.name = "good"', {}))

    def test_the_record_as_it_would_be(self):
        self.assertTrue(self.created('t = "ok" && n = 0', {"t": "ok"}))
        self.assertFalse(self.created('t = "ok"', {"t": "no"}))
        self.assertTrue(self.created('to.name = "good"', {"to": "good"}))
        self.assertFalse(self.created('to.name = "good"', {"to": "bad"}))
        before = self.page("asked", token=self.token)["totalItems"]
        self.assertFalse(self.created('t != "x"', {"t": "x", "id": "never"}))
        self.assertEqual(self.page("asked", token=self.token)["totalItems"], before)
        self.check_error(self.view("asked", "never"), 404)

    def test_changed(self):
        self.assertTrue(self.changed("@request.body.t:changed = false", {"n": 2}))
        self.assertTrue(self.changed("@request.body.t:changed = false", {"t": "x"}))
        self.assertFalse(self.changed("@request.body.t:changed = false", {"t": "y"}))
        self.assertTrue(self.changed("@request.body.t:changed = true", {"t": "y"}))
        self.assertFalse(self.changed("@request.body.t:changed = true", {"n": 3}))

    def test_modifiers_cannot_slip_past_a_rule_on_the_body(self):
        self.assertFalse(self.changed("@request.body.n:isset = false", {"n+": 1}))
        self.assertFalse(self.changed("@request.body.n:changed = false", {"n+": 1}))
        self.assertFalse(self.changed("@request.body.kinds:changed = false", {"kinds+": "y"}))
        self.assertTrue(self.changed("n < 10", {"n+": 1}))
        self.assertFalse(self.changed("n < 10", {"n+": 100}))


class Nobody(RecordCase):
    """RULE-01, S-18: a missing caller is null, and null never equals anything."""

    @classmethod
    def fixture(cls):
        users = make_collection(cls.server, "users", [free_id(), field("name")])
        make_collection(cls.server, "docs", [free_id(), field("t", nullable=True), relation("owner", users),
                                             relation("team", users, many=True)])
        insert(cls.server, "users", id="u1", name="")
        insert(cls.server, "docs", id="a")
        insert(cls.server, "docs", id="b", owner="u1", team=["u1"], t="x")

    def seen(self, rule, **options):
        expect(self.change_collection("docs", {"listRule": rule}), 200)
        return self.ids("docs", sort="id", **options)

    def test_RULE_01_a_guest_equals_no_row(self):
        for rule in ("owner = @request.auth.id", "team.id ?= @request.auth.id", "team ?= @request.auth.id",
                     "team.id = @request.auth.id", "t = @request.auth.id", "@request.auth.id = owner",
                     "owner.id = @request.auth.id", "owner.name = @request.auth.name", "t ~ @request.auth.id",
                     "@request.auth.id ~ t", "owner > @request.auth.id", "owner <= @request.auth.id",
                     "@request.auth.id != ''", "@request.auth.id",
                     "@request.auth.collectionName = '_superusers'",
                     "@request.auth.id = @request.auth.id", "t = @request.query.none",
                     "owner = @request.headers.none",
                     "team ?= @request.query.none"):
            with self.subTest(rule=rule):
                answer = self.change_collection("docs", {"listRule": rule})
                if answer.status == 200:
                    self.assertEqual(self.ids("docs"), [])
                else:
                    self.check_error(answer, 400, field="listRule")
                self.assertEqual(len(self.ids("docs", token=self.token)), 2)

    def test_S_18_not_equal_is_the_exact_opposite(self):
        # Stated in compatibility.md: x != v is !(x = v), so nobody is unequal to every owner.
        self.assertEqual(self.seen("owner != @request.auth.id"), self.seen("!(owner = @request.auth.id)"))
        self.assertEqual(self.seen("owner != @request.auth.id && @request.auth.id != ''"), [])

    def test_a_guest_can_be_asked_for(self):
        self.assertEqual(self.seen("@request.auth.id = ''"), ["a", "b"])


class Through(RecordCase):
    """Rules through relations and other collections, and filters that follow them."""

    @classmethod
    def fixture(cls):
        users = make_collection(cls.server, "users", [free_id(), field("name")])
        projects = make_collection(cls.server, "projects", [free_id(), field("title")])
        make_collection(cls.server, "members", [free_id(), relation("user", users),
                                                relation("project", projects),
                                                field("role")], listRule=None, viewRule=None)
        rule = f'@collection.members.user ?= {ME} && @collection.members.project ?= id'
        cls.server.patch("/api/collections/projects", {"listRule": rule, "viewRule": rule},
                         token=cls.server.token)
        secrets = make_collection(cls.server, "secrets", [free_id(), field("word")], listRule=None,
                                  viewRule=None)
        make_collection(cls.server, "tasks", [free_id(), field("t"), relation("project", projects),
                                              relation("secret", secrets)],
                        listRule=f"project.members_via_project.user ?= {ME}")
        for key in ("ann", "bob"):
            insert(cls.server, "users", id=key, name=key)
        insert(cls.server, "secrets", id="s", word="hidden")
        for key, who in (("p1", "ann"), ("p2", "bob"), ("p3", None)):
            insert(cls.server, "projects", id=key, title="title " + key)
            if who:
                insert(cls.server, "members", id="m" + key, user=who, project=key, role="owner")
            insert(cls.server, "tasks", id="t" + key, t="x", project=key, secret="s")

    def test_another_collection(self):
        self.assertEqual(self.ids("projects", headers=me("ann")), ["p1"])
        self.assertEqual(self.ids("projects", headers=me("bob")), ["p2"])
        self.assertEqual(self.ids("projects"), [])
        self.assertEqual(self.view("projects", "p1", headers=me("ann")).status, 200)
        self.check_error(self.view("projects", "p2", headers=me("ann")), 404)

    def test_back_through_a_relation_whatever_its_own_rules(self):
        self.assertEqual(self.ids("tasks", headers=me("ann")), ["tp1"])
        self.assertEqual(self.ids("tasks"), [])

    def test_a_filter_follows_only_what_its_caller_may_list(self):
        self.assertEqual(self.ids("tasks", headers=me("ann"), filter='project.title = "title p1"'), ["tp1"])
        self.check_error(self.server.get(path_of("tasks"), query={"filter": 'secret.word = "hidden"'},
                                         headers=me("ann")), 400)
        self.check_error(self.server.get(path_of("tasks"), query={"sort": "secret.word"}, headers=me("ann")),
                         400)
        self.check_error(self.server.get(path_of("tasks"), headers=me("ann"),
                                         query={"filter": 'project.members_via_project.role ?= "owner"'}),
                         400)
        self.assertEqual(len(self.ids("tasks", token=self.token, filter='secret.word = "hidden"')), 3)

    def test_a_filter_sees_through_a_relation_only_the_rows_that_the_list_rule_admits(self):
        make_collection(self.server, "open_tasks", [free_id(), relation(
            "project", self.server.get("/api/collections/projects", token=self.token).json)])
        for key in ("p1", "p2"):
            self.insert("open_tasks", id="o" + key, project=key)
        text = 'project.title ~ "title"'
        self.assertEqual(self.ids("open_tasks", headers=me("ann"), filter=text), ["op1"])
        self.assertEqual(self.ids("open_tasks", filter=text), [])
        # A row that must not be seen looks like one that is not there.
        self.assertEqual(self.ids("open_tasks", headers=me("ann"), filter='project.title = ""'), ["op2"])
        self.assertEqual(self.ids("open_tasks", headers=me("ann"), sort="-project.title,id"), ["op1", "op2"])

    def test_a_rule_that_lost_its_ground_opens_nothing(self):
        make_collection(self.server, "ground", [free_id(), field("flag", "bool")])
        make_collection(self.server, "house", [free_id()], listRule="@collection.ground.flag ?= true")
        self.insert("ground", id="g", flag=True)
        self.insert("house", id="h")
        self.assertEqual(self.ids("house"), ["h"])
        answer = self.server.delete("/api/collections/ground", token=self.token)
        self.assertIn(answer.status, (204, 400))
        after = self.server.get(path_of("house"))
        if answer.status == 204:
            self.assertTrue(after.status != 200 or after.json["items"] == [], after.text)
        else:
            self.assertEqual([item["id"] for item in after.json["items"]], ["h"])

# SPDX-License-Identifier: Apache-2.0
"""Many clients at once: nothing is lost, nothing is counted twice, one failure is one failure."""
import json
import threading
import time

from support import (Client, RecordCase, expect, field, free_id, in_threads, insert, make_collection, path_of,
                     relation)

CLIENTS = 64
EACH = 1000


class Increments(RecordCase):
    arguments = ("--loops", "2")

    def test_R_17_increments_of_64_clients_are_exact(self):
        make_collection(self.server, "counters", [free_id(), field("score", "number", onlyInt=True)])
        insert(self.server, "counters", id="c", score=0)
        request = Client.text("PATCH", path_of("counters", "c"), {"score+": 1})

        def work(_):
            client = Client(self.server)
            seen = []
            for _ in range(EACH):
                status, body = client.exchange(request)
                if status != 200:
                    raise AssertionError(f"answered {status}: {body!r}")
                seen.append(json.loads(body)["score"])
            client.close()
            return seen

        begun = time.monotonic()
        seen = in_threads(CLIENTS, work)
        print(f"{CLIENTS * EACH} increments in {time.monotonic() - begun:.1f} s")
        self.assertEqual(self.view("counters", "c").json["score"], CLIENTS * EACH)
        # Each answer shows the state that its own write made.
        self.assertEqual(sorted(score for scores in seen for score in scores),
                         list(range(1, CLIENTS * EACH + 1)))
        for scores in seen:
            self.assertEqual(scores, sorted(scores))

    def test_S_32_increments_with_one_loop_less_and_a_reader(self):
        make_collection(self.server, "watched", [free_id(), field("score", "number", onlyInt=True)])
        insert(self.server, "watched", id="c", score=0)
        stopping = threading.Event()

        def read():
            client, last = Client(self.server), 0
            while not stopping.is_set():
                _, body = client.request("GET", path_of("watched", "c"))
                score = json.loads(body)["score"]
                if score < last:
                    raise AssertionError(f"the score went back from {last} to {score}")
                last = score
            client.close()

        def write():
            client = Client(self.server)
            for _ in range(200):
                status, body = client.request("PATCH", path_of("watched", "c"), {"score+": 1})
                own = json.loads(body)["score"]
                # What has been acknowledged is seen at once, on the same connection and on any other.
                _, body = client.request("GET", path_of("watched", "c"))
                if status != 200 or json.loads(body)["score"] < own:
                    raise AssertionError(f"wrote {own}, then read {body!r}")
            client.close()

        def work(number):
            if number < 2:
                return read()
            try:
                return write()
            finally:
                if number == 2:
                    stopping.set()

        in_threads(6, work)
        self.assertEqual(self.view("watched", "c").json["score"], 800)


class Together(RecordCase):
    @classmethod
    def fixture(cls):
        make_collection(cls.server, "uniques", [free_id(), field("u"), field("n", "number", max=100)],
                        indexes=["CREATE UNIQUE INDEX uniques_u ON uniques (u)"])
        insert(cls.server, "uniques", id="taken", u="taken")

    def test_R_10_one_failing_write_of_n_fails_alone(self):
        for count in (2, 3, 8, 16, 32, 64):
            for kind in ({"u": "taken"}, {"n": 101}):
                barrier = threading.Barrier(count)
                name = f"{count}{'u' if 'u' in kind else 'n'}"

                def work(number):
                    client = Client(self.server)
                    body = {"id": f"r{name}x{number}", "u": f"{name} {number}", "n": 1}
                    if number == count // 2:
                        body.update(kind)
                    barrier.wait()
                    status, answer = client.request("POST", path_of("uniques"), body)
                    client.close()
                    return status, answer

                answers = in_threads(count, work)
                self.assertEqual([status for status, _ in answers].count(200), count - 1, answers)
                status, body = answers[count // 2]
                self.assertEqual(status, 400)
                self.assertEqual(list(json.loads(body)["data"]), list(kind))
                found = self.ids("uniques", filter=f'id ~ "r{name}x%"')
                self.assertEqual(len(found), count - 1)
                self.assertNotIn(f"r{name}x{count // 2}", found)

    def test_of_many_that_want_one_value_exactly_one_gets_it(self):
        for number in range(10):
            statuses = in_threads(16, lambda _: self.server.post(path_of("uniques"),
                                                                 {"u": f"wanted {number}"}).status)
            self.assertEqual(sorted(statuses), [200] + [400] * 15)

    def test_a_client_that_leaves_takes_nothing_along(self):
        for number in range(50):
            client = Client(self.server)
            client.socket.sendall(Client.text("POST", path_of("uniques"), {"u": f"left {number}"}))
            client.close()
        self.assertEqual(self.server.post(path_of("uniques"), {"u": "stayed"}).status, 200)
        deadline = time.monotonic() + 5
        while len(self.ids("uniques", filter='u ~ "left %"')) < 50 and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.server.get("/api/health").status, 200)


class Bursts(RecordCase):
    """LOCK-02: requests that need more than one look at the data, all at once."""

    @classmethod
    def fixture(cls):
        tags = make_collection(cls.server, "tags", [free_id(), field("name")])
        posts = make_collection(cls.server, "posts", [free_id(), field("t"),
                                                      relation("tags", tags, many=True)])
        make_collection(cls.server, "comments", [free_id(), relation("post", posts), field("text")])
        for number in range(10):
            insert(cls.server, "tags", id=f"t{number}", name=f"tag {number}")
        for number in range(60):
            insert(cls.server, "posts", id=f"p{number}", t="x",
                   tags=[f"t{number % 10}", f"t{(number + 1) % 10}"])
            insert(cls.server, "comments", id=f"c{number}", post=f"p{number}", text="x")

    def test_LOCK_02_expand_bursts(self):
        for count in (4, 16, 32):
            def work(_):
                client = Client(self.server, seconds=20)
                for _ in range(5):
                    status, body = client.request("GET", path_of("posts") +
                                                  "?perPage=60&expand=tags.posts_via_tags,comments_via_post")
                    if status != 200 or len(json.loads(body)["items"]) != 60:
                        raise AssertionError(f"answered {status}: {body[:200]!r}")
                client.close()

            in_threads(count, work)
            begun = time.monotonic()
            self.assertEqual(expect(self.view("posts", "p1"), 200).json["t"], "x")
            self.assertLess(time.monotonic() - begun, 1)

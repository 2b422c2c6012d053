# SPDX-License-Identifier: Apache-2.0
"""The server as a process: it starts, answers, and stops when asked."""
import time
import unittest

from harness import ProductCase, Server


class Life(ProductCase):
    def test_health(self):
        answer = self.server.get("/api/health")
        self.assertEqual(answer.status, 200)
        self.assertEqual(answer.json["code"], 200)

    def test_an_unknown_path_is_a_404_in_the_common_form(self):
        self.check_error(self.server.get("/api/nothing"), 404)


class Stop(unittest.TestCase):
    def test_it_stops_within_five_seconds_and_starts_again_on_the_same_data(self):
        with Server() as server:
            self.assertTrue(server.token)
            begun = time.monotonic()
            self.assertEqual(server.stop(), 0, server.log)
            self.assertLess(time.monotonic() - begun, 5)
            server.start()
            self.assertEqual(server.get("/api/health").status, 200)

    def test_it_starts_again_after_a_crash(self):
        with Server() as server:
            server.kill()
            server.start()
            self.assertEqual(server.get("/api/health").status, 200)

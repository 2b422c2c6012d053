# SPDX-License-Identifier: Apache-2.0
"""A long write, on a server with one loop: requests are answered while it runs, and nobody overtakes it."""
import contextlib
import sqlite3
import threading
import time

from harness import ProductCase
from support import Client, expect, field, free_id, insert, make_collection, open_data, path_of, relation

ROWS = 50_000
READ_SHARE_MAX = 3  # the middle one of the reads takes at most that part of the long write


class LongWrites(ProductCase):
    arguments = ("--loops", "1")

    def fill(self, posts, notes):
        """One post, and many notes that go with it."""
        posts = make_collection(self.server, posts, [free_id()])
        make_collection(self.server, notes,
                        [free_id(), relation("post", posts, cascadeDelete=True), field("text")],
                        indexes=[f"CREATE INDEX {notes}_post ON {notes} (post)"])
        insert(self.server, posts["name"], id="p")
        self.server.stop()
        with contextlib.closing(sqlite3.connect(self.server.directory / "data.db")) as file, file:
            file.executemany(f"INSERT INTO {notes} (id, post, text, _v) VALUES (?, 'p', 'some text', ?)",
                             ((f"n{number}", number + 1) for number in range(ROWS)))
        self.server.start()

    def check_reads_during(self, method, path, kept, seen):
        """Reads one record while a long write runs; a short write stays behind it, so `seen` is 404 by
        then."""
        reader = Client(self.server)
        gone = []  # whether the long write is seen by whoever has been answered the short one
        times = []

        def write_long():
            times.append(time.monotonic())
            expect(self.server.request(method, path, token=self.server.token), 204)
            times.append(time.monotonic())

        def write_short():
            insert(self.server, kept, id="short")
            gone.append(self.server.get(seen).status)

        long, short = threading.Thread(target=write_long), threading.Thread(target=write_short)
        reads = []
        long.start()
        while not times:
            time.sleep(0.001)
        time.sleep(0.05)
        short.start()
        while long.is_alive():
            begun = time.monotonic()
            status, body = reader.request("GET", path_of(kept, "kept"))
            self.assertEqual(status, 200, body)
            reads.append(time.monotonic() - begun)
        long.join()
        short.join()
        reader.close()
        took = times[1] - times[0]
        print(f"{method} {path}: {took:.2f} s, {len(reads)} reads, slowest {max(reads) * 1000:.1f} ms")
        self.assertEqual(gone, [404])
        self.assertGreater(len(reads), 3)
        self.assertLess(sorted(reads)[len(reads) // 2], took / READ_SHARE_MAX)

    def test_reads_go_on_during_a_large_cascade(self):
        self.fill("posts", "notes")
        make_collection(self.server, "kept", [free_id()])
        insert(self.server, "kept", id="kept")
        self.check_reads_during("DELETE", path_of("posts", "p"), "kept", path_of("posts", "p"))
        self.server.stop()
        with open_data(self.server) as file:
            self.assertEqual(file.execute("SELECT count(*) FROM notes").fetchall(), [(0,)])
        self.server.start()

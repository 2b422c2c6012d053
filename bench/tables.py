# SPDX-License-Identifier: Apache-2.0
"""SQLite files for the contestants that bring their own tables: made once a leg, laid out anew in front of
every round."""
import os
import shutil
import sqlite3
from pathlib import Path

from probes import TODOS

ROWS = 10_000
USER_TABLE = """
CREATE TABLE users (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, visits INTEGER NOT NULL)"""
# In place of the tables: whoever asks for row 1 is told about the SQLite that it asked with.
ECHO = (
    """CREATE VIEW users AS SELECT 1 AS id, sqlite_version() AS name,
       (SELECT group_concat(compile_options, ' ') FROM pragma_compile_options) AS email, 0 AS visits""",
    "CREATE VIEW todos AS SELECT 1 AS id, sqlite_version() AS title, 0 AS done",
    "CREATE TRIGGER no_update INSTEAD OF UPDATE ON users BEGIN SELECT 1; END",
    "CREATE TRIGGER no_insert INSTEAD OF INSERT ON todos BEGIN SELECT 1; END",
)
TODO_TABLE = """
CREATE TABLE todos (id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0)"""
# What probes.user() expects, made by SQLite itself: twenty million rows take their time as it is.
FILL_USERS = """
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
INSERT INTO users SELECT n, 'user ' || n, 'user' || n || '@example.org', n * 259 % 1000 FROM number"""
FILL_TODOS = """
WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?)
INSERT INTO todos SELECT n, 'todo ' || n, 0 FROM number"""


def make(path, statements, journal="wal"):
    with sqlite3.connect(path, isolation_level=None) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute(f"PRAGMA journal_mode = {journal}")
        for statement, *values in statements:
            connection.execute(statement, values)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()


def prepare_tables(context):
    """{dir}/seed.db with the tables `users` and `todos`."""
    make(f"{context.dir}/seed.db", [[USER_TABLE], [FILL_USERS, context.rows or ROWS],
                                    [TODO_TABLE], [FILL_TODOS, TODOS]])


def make_echo(path):
    """A file whose row 1 tells the version of SQLite and the options that it was compiled with."""
    make(path, [[statement] for statement in ECHO])


def lay_out(context):
    """{dir}/rows.db as a copy of {dir}/seed.db, without what a contestant before left of a journal."""
    for ending in ("", "-wal", "-shm", "-journal"):
        Path(f"{context.dir}/rows.db{ending}").unlink(missing_ok=True)
    shutil.copyfile(f"{context.dir}/seed.db", f"{context.dir}/rows.db")
    sync_file(f"{context.dir}/rows.db")


def sync_file(path):
    """What is written behind a round's back would be written during it."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def forget_pages(path):
    """Has the kernel drop the file from its cache, so that the next read comes from the disk."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

# SPDX-License-Identifier: Apache-2.0
"""The files that the rivals are started with."""
import sqlite3
from contextlib import closing

ROWS = 10_000
TODOS = 100

TABLES = """
CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT NOT NULL, visits INTEGER NOT NULL);
CREATE TABLE todos(id INTEGER PRIMARY KEY, title TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0);
"""

# In place of the tables: whoever asks for a row is told about the SQLite that it asked with.
ECHO = """
CREATE VIEW users AS SELECT 1 AS id, sqlite_version() AS name,
    (SELECT group_concat(compile_options, ' ') FROM pragma_compile_options) AS email, 0 AS visits;
CREATE VIEW todos AS SELECT 1 AS id, sqlite_version() AS title, 0 AS done;
CREATE TRIGGER no_update INSTEAD OF UPDATE ON users BEGIN SELECT 1; END;
CREATE TRIGGER no_insert INSTEAD OF INSERT ON todos BEGIN SELECT 1; END;
"""


def user(id):
    return id, f"user {id}", f"user{id}@example.org", id * 259 % 1000


def make_tables(path, rows=ROWS):
    """Makes the file at `path`: `rows` users with ids from 1, and a hundred things to do."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(TABLES)
        db.executemany("INSERT INTO users VALUES (?, ?, ?, ?)", map(user, range(1, rows + 1)))
        todos = ((id, f"todo {id}") for id in range(1, TODOS + 1))
        db.executemany("INSERT INTO todos VALUES (?, ?, 0)", todos)


def make_echo(path):
    """Makes a file whose row 1 tells the version of SQLite and the options it was compiled with."""
    with closing(sqlite3.connect(path)) as db, db:
        db.executescript(ECHO)

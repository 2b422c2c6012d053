# SPDX-License-Identifier: Apache-2.0
"""FastAPI and Python's sqlite3: rows of a table. Handlers are `async def`, for a plain `def` is run in a pool
of threads, and going there and back costs more than a statement of some microseconds. As nothing is awaited
between a statement and its commit, one connection serves all."""
import os
import sqlite3
from contextlib import closing

import uvicorn
from fastapi import FastAPI
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel

DATABASE = os.environ["DATABASE"]
FIND = "SELECT id, name, email, visits FROM users WHERE id = ?"
INCREMENT = "UPDATE users SET visits = visits + 1 WHERE id = ? RETURNING id, name, email, visits"


class User(BaseModel):
    id: int
    name: str
    email: str
    visits: int


def connect():
    connection = sqlite3.connect(DATABASE)
    connection.row_factory = sqlite3.Row
    return connection


db = connect()
db.execute(f"PRAGMA journal_mode = {os.environ.get('JOURNAL', 'wal')}")
db.execute(f"PRAGMA synchronous = {os.environ.get('SYNCHRONOUS', 'full')}")
app = FastAPI()


def answer(row):
    return dict(row) if row else JSONResponse({"error": "not found"}, 404)


@app.get("/plaintext", response_class=PlainTextResponse)
async def plaintext():
    return "Hello, World!"


@app.get("/cold/{id}", response_model=User)
async def cold(id: int):
    with closing(connect()) as own:
        return answer(own.execute(FIND, (id,)).fetchone())


@app.get("/hot/{id}", response_model=User)
async def hot(id: int):
    return answer(db.execute(FIND, (id,)).fetchone())  # sqlite3 keeps prepared statements by their text


@app.post("/increment/{id}", response_model=User)
async def increment(id: int):
    with db:
        row = db.execute(INCREMENT, (id,)).fetchone()
    return answer(row)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), loop="uvloop", http="httptools",
                access_log=False, log_level="warning")

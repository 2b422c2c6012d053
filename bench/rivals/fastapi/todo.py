# SPDX-License-Identifier: Apache-2.0
"""FastAPI and Python's sqlite3: a list of things to do, with models for what comes in and what goes out.
`async def` for the reason that rows.py gives."""
import os
import sqlite3

import uvicorn
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field

db = sqlite3.connect(os.environ["DATABASE"])
db.row_factory = sqlite3.Row
db.execute(f"PRAGMA journal_mode = {os.environ.get('JOURNAL', 'wal')}")
db.execute(f"PRAGMA synchronous = {os.environ.get('SYNCHRONOUS', 'full')}")
app = FastAPI()


class NewTodo(BaseModel):
    title: str = Field(min_length=1, max_length=200)
    done: bool = False


class Todo(BaseModel):
    id: int
    title: str
    done: bool


@app.get("/todos", response_model=list[Todo])
async def list_todos():
    rows = db.execute("SELECT id, title, done FROM todos ORDER BY id DESC LIMIT 20")
    return [dict(row) for row in rows]


@app.get("/todos/{id}", response_model=Todo)
async def get_todo(id: int):
    row = db.execute("SELECT id, title, done FROM todos WHERE id = ?", (id,)).fetchone()
    if row is None:
        raise HTTPException(404, "not found")
    return dict(row)


@app.post("/todos", response_model=Todo, status_code=201)
async def create_todo(new: NewTodo):
    with db:
        row = db.execute("INSERT INTO todos (title, done) VALUES (?, ?) RETURNING id, title, done",
                         (new.title, new.done)).fetchone()
    return dict(row)


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), loop="uvloop", http="httptools",
                access_log=False, log_level="warning")

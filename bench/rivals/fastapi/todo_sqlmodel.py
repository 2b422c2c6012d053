# SPDX-License-Identifier: Apache-2.0
"""FastAPI and SQLModel in the way of SQLModel's tutorial: models that share a base, a session a request
through a dependency, plain `def` handlers in the pool of threads."""
import os
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI, HTTPException
from sqlalchemy import event
from sqlmodel import Field, Session, SQLModel, create_engine, select

engine = create_engine(f"sqlite:///{os.environ['DATABASE']}",
                       connect_args={"check_same_thread": False, "timeout": 30})
app = FastAPI()


class TodoBase(SQLModel):
    title: str = Field(min_length=1, max_length=200)
    done: bool = False


class Todo(TodoBase, table=True):
    __tablename__ = "todos"
    id: int | None = Field(default=None, primary_key=True)


class TodoCreate(TodoBase):
    pass


class TodoPublic(SQLModel):
    id: int
    title: str
    done: bool


@event.listens_for(engine, "connect")
def configure(connection, _):
    connection.execute(f"PRAGMA journal_mode = {os.environ.get('JOURNAL', 'wal')}")
    connection.execute(f"PRAGMA synchronous = {os.environ.get('SYNCHRONOUS', 'full')}")


def get_session():
    with Session(engine) as session:
        yield session


SessionDep = Annotated[Session, Depends(get_session)]


@app.get("/todos", response_model=list[TodoPublic])
def list_todos(session: SessionDep):
    return session.exec(select(Todo).order_by(Todo.id.desc()).limit(20)).all()


@app.get("/todos/{id}", response_model=TodoPublic)
def get_todo(id: int, session: SessionDep):
    todo = session.get(Todo, id)
    if not todo:
        raise HTTPException(status_code=404, detail="not found")
    return todo


@app.post("/todos", response_model=TodoPublic, status_code=201)
def create_todo(new: TodoCreate, session: SessionDep):
    todo = Todo.model_validate(new)
    session.add(todo)
    session.commit()
    session.refresh(todo)
    return todo


if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(os.environ["PORT"]), loop="uvloop", http="httptools",
                access_log=False, log_level="warning")

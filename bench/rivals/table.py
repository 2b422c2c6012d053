# SPDX-License-Identifier: Apache-2.0
"""The rivals: where their source is, how each is started. Data only; how each is built is in builders.py."""
import sys
from dataclasses import dataclass
from pathlib import Path

RIVALS = Path(__file__).resolve().parent
ROOT = RIVALS.parent.parent
BUILD = ROOT / "build/rivals"
sys.path.insert(0, str(RIVALS.parent))

from measure import Contestant  # noqa: E402


@dataclass(frozen=True)
class Rival:
    """A program that is compared with. With `rows` or `todos` it serves those routes of the contract. The
    texts of its command may hold {root}, {dir} and {port}, as those of every contestant."""

    name: str
    title: str
    folder: str  # its source, below bench/rivals
    command: tuple
    rows: bool = True
    todos: bool = True

    @property
    def source(self):
        return RIVALS / self.folder

    @property
    def build(self):
        return BUILD / self.name

    def contestant(self, journal="wal", synchronous="full", **more):
        """It on the file {dir}/rows.db; `more` are further members of the Contestant."""
        environment = {"PORT": "{port}", "DATABASE": "{dir}/rows.db", "JOURNAL": journal,
                       "SYNCHRONOUS": synchronous}
        return Contestant(more.pop("name", self.name), list(self.command), environment=environment,
                          rival=self.name, **more)


def fastapi(file):
    return "{root}/build/rivals/fastapi/bin/python", "{root}/bench/rivals/fastapi/" + file


ALL = [
    Rival("actix", "Actix Web, rusqlite", "actix", ("{root}/build/rivals/actix/actix",)),
    Rival("go-mattn", "Go net/http, mattn/go-sqlite3 (cgo)", "go", ("{root}/build/rivals/go-mattn/rival",)),
    Rival("go-modernc", "Go net/http, modernc.org/sqlite (pure Go)", "go",
          ("{root}/build/rivals/go-modernc/rival",)),
    Rival("go-store", "Go, database/sql, mattn/go-sqlite3 (cgo), without a server", "go-store",
          ("{root}/build/rivals/go-store/rival",), rows=False, todos=False),
    Rival("bun", "Bun.serve, bun:sqlite", "bun",
          ("{root}/build/rivals/bun/bun", "{root}/bench/rivals/bun/main.ts")),
    Rival("fastapi", "FastAPI on Uvicorn, Python's sqlite3", "fastapi", fastapi("rows.py"), todos=False),
    Rival("fastapi-todo", "FastAPI with Pydantic models, Python's sqlite3", "fastapi", fastapi("todo.py"),
          rows=False),
    Rival("fastapi-sqlmodel", "FastAPI with SQLModel", "fastapi", fastapi("todo_sqlmodel.py"), rows=False),
    Rival("aspnet", "ASP.NET Core, Microsoft.Data.Sqlite", "aspnet", ("{root}/build/rivals/aspnet/aspnet",),
          todos=False),
    Rival("pocketbase", "PocketBase, its prebuilt program", "pocketbase",
          ("{root}/build/rivals/pocketbase/pocketbase", "serve", "--dir", "{dir}/data",
           "--http", "127.0.0.1:{port}"), rows=False, todos=False),
]
BY_NAME = {rival.name: rival for rival in ALL}

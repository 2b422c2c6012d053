// SPDX-License-Identifier: Apache-2.0
// Bun.serve and bun:sqlite. One thread and one connection; statements run in the event loop, for bun:sqlite
// knows no other way, so no two of them ever meet.
import { Database } from "bun:sqlite";

const { PORT, DATABASE, JOURNAL = "wal", SYNCHRONOUS = "full" } = process.env;

type User = { id: number; name: string; email: string; visits: number };
type Todo = { id: number; title: string; done: number };

const db = new Database(DATABASE);
db.run("PRAGMA busy_timeout = 5000");
db.run(`PRAGMA journal_mode = ${JOURNAL}`);
db.run(`PRAGMA synchronous = ${SYNCHRONOUS}`);

const FIND = "SELECT id, name, email, visits FROM users WHERE id = ?";
const find = db.query<User, number>(FIND);
const increment = db.query<User, number>(
  "UPDATE users SET visits = visits + 1 WHERE id = ? RETURNING id, name, email, visits",
);
const listTodos = db.query<Todo, []>("SELECT id, title, done FROM todos ORDER BY id DESC LIMIT 20");
const getTodo = db.query<Todo, number>("SELECT id, title, done FROM todos WHERE id = ?");
const createTodo = db.query<Todo, [string, boolean]>(
  "INSERT INTO todos (title, done) VALUES (?, ?) RETURNING id, title, done",
);

const error = (status: number, text: string) => Response.json({ error: text }, { status });
const answer = (row: object | null) => (row ? Response.json(row) : error(404, "not found"));
const todo = (row: Todo | null) => row && { ...row, done: row.done !== 0 };

function cold(id: number) {
  using db = new Database(DATABASE);
  using find = db.prepare<User, number>(FIND);
  return find.get(id);
}

async function create(request: Request) {
  const { title, done = false } = (await request.json().catch(() => null)) ?? {};
  if (typeof title !== "string" || title.length < 1 || title.length > 200 || typeof done !== "boolean") {
    return error(422, "title: 1 to 200 characters; done: true or false");
  }
  return Response.json(todo(createTodo.get(title, done)), { status: 201 });
}

Bun.serve({
  hostname: "127.0.0.1",
  port: PORT,
  routes: {
    "/plaintext": { GET: () => new Response("Hello, World!") },
    "/cold/:id": { GET: (request) => answer(cold(Number(request.params.id))) },
    "/hot/:id": { GET: (request) => answer(find.get(Number(request.params.id))) },
    "/increment/:id": { POST: (request) => answer(increment.get(Number(request.params.id))) },
    "/todos": { GET: () => Response.json(listTodos.all().map(todo)), POST: create },
    "/todos/:id": { GET: (request) => answer(todo(getTodo.get(Number(request.params.id)))) },
  },
  fetch: () => error(404, "not found"),
});

// SPDX-License-Identifier: Apache-2.0
// Actix Web and rusqlite. Each worker reads through a connection of its own, in its event loop, for a read
// takes microseconds. All write through one connection behind a mutex, on the pool of threads that may block,
// for a commit waits for the disk.
use actix_web::error::ErrorInternalServerError;
use actix_web::{App, HttpResponse, HttpServer, Responder, get, post, web};
use rusqlite::{Connection, OptionalExtension, Params, Row};
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::{env, sync::Mutex};

type Reader = web::Data<Connection>;
type Writer = web::Data<Mutex<Connection>>;
type Answer = actix_web::Result<HttpResponse>;

#[derive(Serialize)]
struct User {
    id: i64,
    name: String,
    email: String,
    visits: i64,
}

#[derive(Serialize)]
struct Todo {
    id: i64,
    title: String,
    done: bool,
}

#[derive(Deserialize)]
struct NewTodo {
    title: String,
    #[serde(default)]
    done: bool,
}

fn user(row: &Row) -> rusqlite::Result<User> {
    Ok(User { id: row.get(0)?, name: row.get(1)?, email: row.get(2)?, visits: row.get(3)? })
}

fn todo(row: &Row) -> rusqlite::Result<Todo> {
    Ok(Todo { id: row.get(0)?, title: row.get(1)?, done: row.get(2)? })
}

fn one<T>(db: &Connection, sql: &str, params: impl Params, read: fn(&Row) -> rusqlite::Result<T>)
    -> rusqlite::Result<Option<T>> {
    db.prepare_cached(sql)?.query_one(params, read).optional()
}

fn answer(found: rusqlite::Result<Option<impl Serialize>>) -> Answer {
    Ok(match found.map_err(ErrorInternalServerError)? {
        Some(row) => HttpResponse::Ok().json(row),
        None => HttpResponse::NotFound().json(json!({"error": "not found"})),
    })
}

const FIND: &str = "SELECT id, name, email, visits FROM users WHERE id = ?";
const INCREMENT: &str = "UPDATE users SET visits = visits + 1 WHERE id = ? RETURNING id, name, email, visits";

#[get("/plaintext")]
async fn plaintext() -> impl Responder {
    "Hello, World!"
}

#[get("/cold/{id}")]
async fn cold(id: web::Path<i64>, path: web::Data<String>) -> Answer {
    answer(Connection::open(path.as_str()).and_then(|db| db.prepare(FIND)?.query_one([*id], user).optional()))
}

#[get("/hot/{id}")]
async fn hot(id: web::Path<i64>, db: Reader) -> Answer {
    answer(one(&db, FIND, [*id], user))
}

#[post("/increment/{id}")]
async fn increment(id: web::Path<i64>, db: Writer) -> Answer {
    answer(web::block(move || one(&db.lock().unwrap(), INCREMENT, [*id], user)).await?)
}

#[get("/todos")]
async fn list_todos(db: Reader) -> Answer {
    let list = |db: &Connection| {
        db.prepare_cached("SELECT id, title, done FROM todos ORDER BY id DESC LIMIT 20")?
            .query_map([], todo)?
            .collect::<rusqlite::Result<Vec<_>>>()
    };
    Ok(HttpResponse::Ok().json(list(&db).map_err(ErrorInternalServerError)?))
}

#[get("/todos/{id}")]
async fn get_todo(id: web::Path<i64>, db: Reader) -> Answer {
    answer(one(&db, "SELECT id, title, done FROM todos WHERE id = ?", [*id], todo))
}

#[post("/todos")]
async fn create_todo(new: web::Json<NewTodo>, db: Writer) -> Answer {
    if !(1..=200).contains(&new.title.chars().count()) {
        return Ok(HttpResponse::UnprocessableEntity().json(json!({"error": "title: 1 to 200 characters"})));
    }
    let insert = "INSERT INTO todos (title, done) VALUES (?, ?) RETURNING id, title, done";
    let made = web::block(move || one(&db.lock().unwrap(), insert, (&new.title, new.done), todo)).await?;
    Ok(HttpResponse::Created().json(made.map_err(ErrorInternalServerError)?))
}

fn open(path: &str) -> rusqlite::Result<Connection> {
    let db = Connection::open(path)?;
    db.pragma_update(None, "journal_mode", env::var("JOURNAL").unwrap_or("wal".into()))?;
    db.pragma_update(None, "synchronous", env::var("SYNCHRONOUS").unwrap_or("full".into()))?;
    Ok(db)
}

#[actix_web::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = env::var("DATABASE")?;
    let port = env::var("PORT")?.parse()?;
    let workers = env::var("WORKERS").map_or(Ok(1), |count| count.parse())?;
    let writer = web::Data::new(Mutex::new(open(&path)?));
    let server = HttpServer::new(move || {
        App::new()
            .app_data(web::Data::new(path.clone()))
            .app_data(web::Data::new(open(&path).expect("the database")))
            .app_data(writer.clone())
            .service((plaintext, cold, hot, increment, list_todos, get_todo, create_todo))
    });
    Ok(server.workers(workers).bind(("127.0.0.1", port))?.run().await?)
}

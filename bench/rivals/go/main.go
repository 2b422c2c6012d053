// SPDX-License-Identifier: Apache-2.0

// net/http and database/sql. Reads go through a pool of connections, writes through one connection, so that
// no write finds the file locked. The driver is chosen by a build tag: driver_mattn.go, driver_modernc.go.
package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"log"
	"net/http"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"unicode/utf8"
)

const find = "SELECT id, name, email, visits FROM users WHERE id = ?"

type User struct {
	ID     int64  `json:"id"`
	Name   string `json:"name"`
	Email  string `json:"email"`
	Visits int64  `json:"visits"`
}

type Todo struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Done  bool   `json:"done"`
}

func answer(w http.ResponseWriter, status int, value any) {
	body, err := json.Marshal(value)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	w.Write(body)
}

func fail(w http.ResponseWriter, status int, text string) {
	answer(w, status, map[string]string{"error": text})
}

// answerRow scans the one row into fields, which belong to value, and answers value.
func answerRow(w http.ResponseWriter, status int, row *sql.Row, value any, fields ...any) {
	switch err := row.Scan(fields...); {
	case errors.Is(err, sql.ErrNoRows):
		fail(w, http.StatusNotFound, "not found")
	case err != nil:
		fail(w, http.StatusInternalServerError, err.Error())
	default:
		answer(w, status, value)
	}
}

func answerUser(w http.ResponseWriter, row *sql.Row) {
	var u User
	answerRow(w, http.StatusOK, row, &u, &u.ID, &u.Name, &u.Email, &u.Visits)
}

func answerTodo(w http.ResponseWriter, status int, row *sql.Row) {
	var t Todo
	answerRow(w, status, row, &t, &t.ID, &t.Title, &t.Done)
}

// withID answers 404 to what is no number.
func withID(handle func(w http.ResponseWriter, id int64)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
		if err != nil {
			fail(w, http.StatusNotFound, "not found")
			return
		}
		handle(w, id)
	}
}

func open(options string, connections int) *sql.DB {
	db, err := sql.Open(driver, "file:"+os.Getenv("DATABASE")+"?"+options)
	if err != nil {
		log.Fatal(err)
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db
}

func prepare(db *sql.DB, text string) *sql.Stmt {
	stmt, err := db.Prepare(text)
	if err != nil {
		log.Fatal(err)
	}
	return stmt
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

func users(mux *http.ServeMux, reads, writes *sql.DB) {
	hot := prepare(reads, find)
	increment := prepare(writes,
		"UPDATE users SET visits = visits + 1 WHERE id = ? RETURNING id, name, email, visits")

	mux.HandleFunc("GET /cold/{id}", withID(func(w http.ResponseWriter, id int64) {
		db := open(patient, 1)
		defer db.Close()
		answerUser(w, db.QueryRow(find, id))
	}))
	mux.HandleFunc("GET /hot/{id}", withID(func(w http.ResponseWriter, id int64) {
		answerUser(w, hot.QueryRow(id))
	}))
	mux.HandleFunc("POST /increment/{id}", withID(func(w http.ResponseWriter, id int64) {
		answerUser(w, increment.QueryRow(id))
	}))
}

func todos(mux *http.ServeMux, reads, writes *sql.DB) {
	list := prepare(reads, "SELECT id, title, done FROM todos ORDER BY id DESC LIMIT 20")
	get := prepare(reads, "SELECT id, title, done FROM todos WHERE id = ?")
	insert := prepare(writes, "INSERT INTO todos (title, done) VALUES (?, ?) RETURNING id, title, done")

	mux.HandleFunc("GET /todos", func(w http.ResponseWriter, r *http.Request) {
		rows, err := list.Query()
		if err != nil {
			fail(w, http.StatusInternalServerError, err.Error())
			return
		}
		defer rows.Close()
		found := []Todo{}
		for rows.Next() {
			var t Todo
			if err = rows.Scan(&t.ID, &t.Title, &t.Done); err != nil {
				break
			}
			found = append(found, t)
		}
		if err = errors.Join(err, rows.Err()); err != nil {
			fail(w, http.StatusInternalServerError, err.Error())
			return
		}
		answer(w, http.StatusOK, found)
	})
	mux.HandleFunc("GET /todos/{id}", withID(func(w http.ResponseWriter, id int64) {
		answerTodo(w, http.StatusOK, get.QueryRow(id))
	}))
	mux.HandleFunc("POST /todos", func(w http.ResponseWriter, r *http.Request) {
		var t Todo
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&t); err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		if count := utf8.RuneCountInString(t.Title); count < 1 || count > 200 {
			fail(w, http.StatusUnprocessableEntity, "title: 1 to 200 characters")
			return
		}
		answerTodo(w, http.StatusCreated, insert.QueryRow(t.Title, t.Done))
	})
}

func main() {
	options := patient + settings(env("JOURNAL", "wal"), env("SYNCHRONOUS", "full"))
	writes := open(options, 1) // first: the journal mode is changed by one connection alone
	if err := writes.Ping(); err != nil {
		log.Fatal(err)
	}
	reads := open(options, max(4, runtime.NumCPU()))

	mux := http.NewServeMux()
	mux.HandleFunc("GET /plaintext", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		w.Write([]byte("Hello, World!"))
	})
	users(mux, reads, writes)
	todos(mux, reads, writes)

	server := http.Server{Addr: "127.0.0.1:" + os.Getenv("PORT"), Handler: mux}
	stop, _ := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	context.AfterFunc(stop, func() { server.Close() })
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		log.Fatal(err)
	}
}

// SPDX-License-Identifier: Apache-2.0

// The store through database/sql: a pool of one connection, statements prepared once.
package main

import (
	"database/sql"
	"fmt"

	_ "github.com/mattn/go-sqlite3"
)

const cacheKiB = 16 << 10

var schema = []string{
	"CREATE TABLE buckets (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE)",
	"CREATE TABLE items (id INTEGER PRIMARY KEY, bucket_id INTEGER NOT NULL REFERENCES buckets(id), " +
		"name TEXT NOT NULL, amount INTEGER NOT NULL, note TEXT NOT NULL, UNIQUE (bucket_id, name))",
}

type Store struct {
	db                          *sql.DB
	insert, get, bucket, change *sql.Stmt
}

func open(arguments Arguments) *Store {
	name := ":memory:?"
	if arguments.durable {
		name = "file:" + arguments.file + "?_journal_mode=wal&_synchronous=full&"
	}
	db, err := sql.Open("sqlite3", fmt.Sprintf("%s_foreign_keys=on&_txlock=immediate&_cache_size=-%d", name,
		cacheKiB))
	must(err)
	db.SetMaxOpenConns(1)
	db.SetMaxIdleConns(1)
	for _, text := range schema {
		_, err := db.Exec(text)
		must(err)
	}
	transaction, err := db.Begin()
	must(err)
	for id := 1; id <= buckets; id++ {
		_, err := transaction.Exec("INSERT INTO buckets VALUES (?, ?)", id, fmt.Sprint("bucket ", id))
		must(err)
	}
	must(transaction.Commit())

	prepare := func(text string) *sql.Stmt {
		statement, err := db.Prepare(text)
		must(err)
		return statement
	}
	return &Store{
		db:     db,
		insert: prepare("INSERT INTO items (id, bucket_id, name, amount, note) VALUES (?, ?, ?, ?, ?)"),
		get:    prepare("SELECT id, bucket_id, name, amount, note FROM items WHERE id = ?"),
		bucket: prepare("SELECT id, bucket_id, name, amount, note FROM items WHERE bucket_id = ? " +
			"ORDER BY name LIMIT 20"),
		change: prepare("UPDATE items SET amount = amount + 1 WHERE id = ?"),
	}
}

// insertAll inserts in one transaction, a lap each.
func (s *Store) insertAll(rows []Item, laps *Laps) {
	transaction, err := s.db.Begin()
	must(err)
	insert := transaction.Stmt(s.insert)
	for i := range rows {
		row := &rows[i]
		_, err := insert.Exec(row.ID, row.BucketID, row.Name, row.Amount, row.Note)
		must(err)
		laps.lap()
	}
	must(transaction.Commit())
}

func (s *Store) read(id int64) Item {
	var found Item
	must(s.get.QueryRow(id).Scan(&found.ID, &found.BucketID, &found.Name, &found.Amount, &found.Note))
	return found
}

func (s *Store) page(bucket int64) []Item {
	rows, err := s.bucket.Query(bucket)
	must(err)
	defer rows.Close()
	found := make([]Item, 0, rowsOfPage)
	for rows.Next() {
		found = append(found, Item{})
		one := &found[len(found)-1]
		must(rows.Scan(&one.ID, &one.BucketID, &one.Name, &one.Amount, &one.Note))
	}
	must(rows.Err())
	return found
}

func (s *Store) addOne(id int64) {
	told, err := s.change.Exec(id)
	must(err)
	changed, err := told.RowsAffected()
	require(err == nil && changed == 1, "there is no such item")
}

type Totals struct{ buckets, items, amount int64 }

func (s *Store) totals() Totals {
	var found Totals
	must(s.db.QueryRow("SELECT (SELECT count(*) FROM buckets), count(*), sum(amount) FROM items").
		Scan(&found.buckets, &found.items, &found.amount))
	return found
}

type Settings struct {
	version, journal string
	synchronous      int64
}

func (s *Store) settings() Settings {
	var told Settings
	must(s.db.QueryRow("SELECT sqlite_version()").Scan(&told.version))
	must(s.db.QueryRow("PRAGMA journal_mode").Scan(&told.journal))
	must(s.db.QueryRow("PRAGMA synchronous").Scan(&told.synchronous))
	return told
}

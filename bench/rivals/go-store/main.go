// SPDX-License-Identifier: Apache-2.0

// A store inside a program: the same work in the same order as bench/store.h, which says what the classes are.
//
//	usage: rival DIRECTORY ram|durable [ROWS [SECONDS]]
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

const (
	buckets           = 100
	rowsOfTransaction = 1000
	callers           = 32
)

type Arguments struct {
	file    string
	durable bool
	rows    int64
	seconds time.Duration
}

func giveUp(reason string) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}

func must(err error) {
	if err != nil {
		giveUp(err.Error())
	}
}

func require(holds bool, what string) {
	if !holds {
		giveUp(what)
	}
}

// refuseMemory: in memory a sync is free, so a figure for durable writes would be made up.
func refuseMemory(directory string) {
	const tmpfs, ramfs = 0x01021994, 0x858458f6
	var found syscall.Statfs_t
	must(syscall.Statfs(directory, &found))
	if kind := uint32(found.Type); kind == tmpfs || kind == ramfs {
		fmt.Fprintf(os.Stderr, "%s is in memory, where nothing is durable: name a directory on a disk\n",
			directory)
		os.Exit(2)
	}
}

func readArguments(words []string) Arguments {
	if len(words) < 3 || len(words) > 5 || (words[2] != "ram" && words[2] != "durable") {
		giveUp("usage: DIRECTORY ram|durable [ROWS [SECONDS]]")
	}
	read := Arguments{filepath.Join(words[1], "store.db"), words[2] == "durable", 20_000, 5 * time.Second}
	var err error
	if len(words) > 3 {
		read.rows, err = strconv.ParseInt(words[3], 10, 64)
		require(err == nil && read.rows >= 1 && read.rows <= 10_000_000, "ROWS is 1 to 10000000")
	}
	if len(words) > 4 {
		seconds, err := strconv.Atoi(words[4])
		require(err == nil && seconds >= 1, "SECONDS is at least 1")
		read.seconds = time.Duration(seconds) * time.Second
	}
	if read.durable {
		refuseMemory(words[1])
		_, err := os.Stat(read.file)
		require(os.IsNotExist(err), "DIRECTORY has a store.db already")
	}
	return read
}

// Item: what the row with that id is.
type Item struct {
	ID       int64
	BucketID int64
	Name     string
	Amount   int64
	Note     string
}

func itemOf(id int64) Item {
	return Item{
		ID:       id,
		BucketID: (id-1)%buckets + 1,
		Name:     fmt.Sprintf("item %08x", uint32(id)*2654435761),
		Amount:   id % 1000,
		Note:     "What is to be known of the item with the number " + strconv.FormatInt(id, 10),
	}
}

// Random is splitmix64, the same numbers as in bench/store.h.
type Random uint64

func (r *Random) next(last int64) int64 {
	*r += 0x9e3779b97f4a7c15
	mixed := uint64(*r)
	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb
	return int64((mixed^(mixed>>31))%uint64(last)) + 1
}

func print(classes []*Figures, told Settings) {
	type class struct {
		Class        string  `json:"class"`
		Count        int     `json:"count"`
		Seconds      float64 `json:"seconds"`
		OpsPerSecond float64 `json:"ops_per_second"`
		P50us        float64 `json:"p50_us"`
		P99us        float64 `json:"p99_us"`
		CPUus        float64 `json:"cpu_us"`
	}
	answer := struct {
		Classes     []class `json:"classes"`
		Version     string  `json:"sqlite_version"`
		Journal     string  `json:"journal"`
		Synchronous string  `json:"synchronous"`
	}{nil, told.version, told.journal, []string{"off", "normal", "full", "extra"}[told.synchronous]}
	for _, one := range classes {
		count := len(one.laps.taken)
		answer.Classes = append(answer.Classes, class{one.name, count, one.seconds,
			float64(count) / one.seconds, one.laps.percentile(50), one.laps.percentile(99), one.cpu})
	}
	must(json.NewEncoder(os.Stdout).Encode(answer))
}

func main() {
	arguments := readArguments(os.Args)
	store := open(arguments)
	run := Run{store: store, arguments: arguments}
	classes := run.all()
	told := store.settings()
	must(store.db.Close())
	if arguments.durable {
		for _, suffix := range []string{"", "-wal", "-shm"} {
			os.Remove(arguments.file + suffix)
		}
	}
	print(classes, told)
}

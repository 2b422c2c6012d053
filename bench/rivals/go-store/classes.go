// SPDX-License-Identifier: Apache-2.0

// The classes: what is done, how often, how long each took, and what must hold afterwards.
package main

import (
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

const rowsOfPage = 20

// Laps of one caller; a lap is what one operation took.
type Laps struct {
	last  time.Time
	taken []time.Duration
}

func newLaps(expected int64) Laps { return Laps{taken: make([]time.Duration, 0, expected)} }

func (l *Laps) start() { l.last = time.Now() }

func (l *Laps) lap() time.Time {
	now := time.Now()
	l.taken = append(l.taken, now.Sub(l.last))
	l.last = now
	return now
}

// extend: what came behind the last lap belongs to it, a commit to the insert in front of it.
func (l *Laps) extend() {
	now := time.Now()
	l.taken[len(l.taken)-1] += now.Sub(l.last)
	l.last = now
}

// percentile gives of the sorted laps the one that so many of a hundred do not exceed, in microseconds.
func (l *Laps) percentile(percent int) float64 {
	slices.Sort(l.taken)
	return float64(l.taken[(len(l.taken)*percent+99)/100-1].Nanoseconds()) / 1e3
}

type Figures struct {
	name         string
	laps         Laps
	seconds, cpu float64
}

func cpuMicroseconds() float64 {
	var used syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e3
}

// measured adds the wall and CPU time of work.
func (f *Figures) measured(work func()) {
	cpu, start := cpuMicroseconds(), time.Now()
	work()
	f.seconds += time.Since(start).Seconds()
	f.cpu += cpuMicroseconds() - cpu
}

type Run struct {
	store     *Store
	arguments Arguments
	amount    int64
}

func (r *Run) all() []*Figures {
	seeded := r.seed()
	r.probeRows()
	read := r.alone("read", 1000, func(id int64) { kept = r.store.read(id).ID })
	query := r.alone("query", 1000, func(id int64) { kept = int64(len(r.store.page((id-1)%buckets + 1))) })
	write := r.alone("write", 100, func(id int64) {
		r.store.addOne(id)
		r.amount++
	})
	shared := r.together()
	r.probeTotals()
	return []*Figures{seeded, read, query, write, shared}
}

// kept makes the compiler believe that somebody looks at a result.
var kept int64

func (r *Run) seed() *Figures {
	figures := &Figures{name: "seed", laps: newLaps(r.arguments.rows)}
	rows := make([]Item, 0, rowsOfTransaction)
	for id := int64(1); id <= r.arguments.rows; {
		for rows = rows[:0]; len(rows) < rowsOfTransaction && id <= r.arguments.rows; id++ {
			rows = append(rows, itemOf(id))
			r.amount += rows[len(rows)-1].Amount
		}
		figures.measured(func() {
			figures.laps.start()
			r.store.insertAll(rows, &figures.laps)
			figures.laps.extend()
		})
	}
	return figures
}

// alone: one caller, after a warm-up of so many operations.
func (r *Run) alone(name string, warmUp int, operation func(int64)) *Figures {
	random := Random(1)
	for range warmUp {
		operation(random.next(r.arguments.rows))
	}
	figures := &Figures{name: name, laps: newLaps(r.arguments.rows)}
	figures.measured(func() { r.repeat(r.arguments.rows, random, &figures.laps, operation) })
	return figures
}

func (r *Run) together() *Figures {
	figures := &Figures{name: "write-32", laps: newLaps(r.arguments.rows)}
	laps := make([]Laps, callers)
	figures.measured(func() {
		var all sync.WaitGroup
		for caller := range callers {
			all.Go(func() {
				share := r.arguments.rows / callers
				if int64(caller) < r.arguments.rows%callers {
					share++
				}
				mine := newLaps(share)
				r.repeat(share, Random(caller+100), &mine, r.store.addOne)
				laps[caller] = mine
			})
		}
		all.Wait()
	})
	for _, one := range laps {
		figures.laps.taken = append(figures.laps.taken, one.taken...)
	}
	r.amount += int64(len(figures.laps.taken))
	return figures
}

func (r *Run) repeat(count int64, random Random, laps *Laps, operation func(int64)) {
	laps.start()
	end := laps.last.Add(r.arguments.seconds)
	for range count {
		operation(random.next(r.arguments.rows))
		if !laps.lap().Before(end) {
			return
		}
	}
}

func (r *Run) probeRows() {
	for _, id := range []int64{1, r.arguments.rows/2 + 1, r.arguments.rows} {
		require(r.store.read(id) == itemOf(id), "a row is another one")
	}
	const bucket = 7
	var wanted []Item
	for id := int64(bucket); id <= r.arguments.rows; id += buckets {
		wanted = append(wanted, itemOf(id))
	}
	slices.SortFunc(wanted, func(a, b Item) int { return strings.Compare(a.Name, b.Name) })
	wanted = wanted[:min(len(wanted), rowsOfPage)]
	require(slices.Equal(r.store.page(bucket), wanted), "a bucket has other items")
	r.probeTotals()
}

// probeTotals: as many rows as were inserted, and every change that was acknowledged.
func (r *Run) probeTotals() {
	totals := r.store.totals()
	require(totals.buckets == buckets, "the number of buckets is wrong")
	require(totals.items == r.arguments.rows, "the number of items is wrong")
	require(totals.amount == r.amount, "a change was lost, or made twice")
	told := r.store.settings()
	require(!r.arguments.durable || (told.journal == "wal" && told.synchronous == 2), "it is not durable")
}

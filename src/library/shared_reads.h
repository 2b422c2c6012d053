// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads of one iteration of an event loop see one snapshot.
//
// A read of its own takes and gives back the file's locks, which costs several system calls: more than the
// read of a row. So between begin_shared_reads() and end_shared_reads() a thread's connections keep the
// snapshot of their first read, until this Database acknowledges another write (then the next read takes a
// new one). What another process writes meanwhile is seen in the next iteration.
//
// Threads: each has its own.

namespace quern::detail {

// Whether the calling thread's reads share snapshots now.
[[nodiscard]] bool are_reads_shared();
void begin_shared_reads();
void end_shared_reads();

// Gives the thread's snapshots up for now, in front of a wait: an open one keeps the log from starting over.
void drop_shared_snapshots();

// Of a connection that has opened one.
void note_shared_snapshot();

}  // namespace quern::detail

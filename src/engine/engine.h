// SPDX-License-Identifier: Apache-2.0
#pragma once

// The contract that every storage engine keeps.
//
// An Engine holds the tables of one database. It knows schemas and plans, and neither rules nor HTTP. Reads
// run on a Reader, one a thread; writes run in the one Transaction that the store's writer drives. The store
// decides what is grouped into a commit; the engine makes each commit atomic and durable.
//
// Semantics that all engines share: the order of values is compare(Value, Value); nulls sort first ascending;
// logic has two values (plan.h); text is matched with simple case folding (base/text.h). The suite in
// engine/conformance holds each engine to it, with engine/ram as the oracle.

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

#include <quern/error.h>
#include "plan/plan.h"
#include "schema/collection.h"
#include "schema/row_sink.h"
#include "schema/value.h"

namespace quern::engine {

// How long a statement may run before it is given up.
struct Budget {
    // Zero = no bound.
    std::chrono::microseconds run_max{0};
    // What passing it means: `interrupted` (try again on a slow lane) or `timeout`.
    ErrorCode code = ErrorCode::timeout;
};

// Threads: its thread, the one that uses it from the first call on.
class Reader {
public:
    virtual ~Reader() = default;

    // Pours the rows of `bound.plan` into `sink`, in the plan's order, all from one moment.
    // Every read sees every write that was acknowledged before it began.
    // Errors:   interrupted or timeout — the budget ran out, rows already poured stay poured;
    //           corrupt, io — as the file tells.
    // Cost:     no allocation once the plan has been run before on this reader.
    [[nodiscard]] virtual Result<void> select(plan::BoundPlan bound, RowSink& sink) = 0;

    // Number of rows that satisfy the plan's condition; limit, offset, sort, seek and output are ignored.
    [[nodiscard]] virtual Result<std::int64_t> count(plan::BoundPlan bound) = 0;

    virtual void set_budget(Budget budget) = 0;

    // Gives up the snapshot that consecutive reads share. Call before the thread blocks.
    virtual void end_snapshot() = 0;

    // Takes a snapshot and keeps it until end_snapshot(), so that several reads see one moment.
    virtual void hold_snapshot() = 0;
};

// One value to be written.
struct Assignment {
    std::uint16_t field = 0;  // index into the collection's fields, or Collection::version_field
    Value value;              // of a multiple relation: ignored
    std::span<std::string_view const> targets;  // of a multiple relation: the ids, in order
};

// A change of one collection's table. Fields are matched by their ids: same id, other name = a rename.
// No `before` = create, no `after` = drop.
struct TableChange {
    Collection const* before = nullptr;
    Collection const* after = nullptr;
};

// The open write transaction; it reads its own writes.
//
// Threads: the writer's.
class Transaction : public Reader {
public:
    // A constraint that was broken; the row is then as before. The engine says which, so that the wire can
    // name the field. With several broken, values come first, then unique indexes (any one of them), then
    // relations.
    //   validation — a value that its field cannot hold, null among them (code "validation_invalid_value");
    //                or a relation's target that does not exist (code "validation_missing_rel_records");
    //   conflict   — `fields` names the fields of the unique index ("id" for the primary key), or a multiple
    //                relation that was given one target twice;
    //   disk_full, io — the whole transaction has been undone, is_active() is false.
    [[nodiscard]] virtual Result<void> insert(Collection const& collection,
                                              std::span<Assignment const> row) = 0;

    // Changes the named fields of one row. Returns whether the row exists.
    [[nodiscard]] virtual Result<bool> update(Collection const& collection, std::string_view id,
                                              std::span<Assignment const> changes) = 0;

    // Removes one row, and its rows in join tables on either side. References by single relations are the
    // caller's business (it has cleared or removed them before); one that is left is a `conflict`.
    // Returns whether the row existed.
    [[nodiscard]] virtual Result<bool> remove(Collection const& collection, std::string_view id) = 0;

    // Removes all rows of a collection.
    [[nodiscard]] virtual Result<void> truncate(Collection const& collection) = 0;

    // Marks a point to come back to; nesting is allowed, innermost first.
    [[nodiscard]] virtual Result<void> savepoint() = 0;
    [[nodiscard]] virtual Result<void> release_savepoint() = 0;
    [[nodiscard]] virtual Result<void> rollback_to_savepoint() = 0;  // and removes it

    // Changes tables so that they hold `after`. Data of fields that stay (same id) is kept, converted only
    // where nothing is lost; children are not emptied through cascades; indexes and join tables follow.
    // `schema` is the schema after all changes of this call.
    // Errors: validation — a stored value does not fit the field's new type (the message names field and
    //                      record), or a relation's new target does not have the ids;
    //         conflict   — a new unique index meets duplicates (fields name them, the message two records),
    //                      or a collection that goes is still referred to by `schema`.
    [[nodiscard]] virtual Result<void> alter(std::span<TableChange const> changes, Schema const& schema) = 0;

    // False after the engine undid everything by itself (full disk, I/O error): every later call fails.
    [[nodiscard]] virtual bool is_active() const = 0;
};

// Threads: one at a time (the store's writer).
class Writer {
public:
    virtual ~Writer() = default;

    // Opens the transaction. Lifetime: until commit() or rollback().
    [[nodiscard]] virtual Result<Transaction*> begin() = 0;

    // Makes everything since begin() durable (as the engine was opened) and visible to readers.
    // Errors: disk_full — nothing was written, the writer can go on;
    //         io — it is unknown what reached the disk: the process must stop acknowledging and end.
    [[nodiscard]] virtual Result<void> commit() = 0;
    virtual void rollback() = 0;

    // Housekeeping that must not run beside a commit on the same writer (checkpoints have their own thread in
    // the engine). Called when the write queue is empty.
    virtual void idle() {}
};

// What an engine can do beyond the contract; what it cannot is answered 501 before any I/O.
struct Abilities {
    std::string_view name;  // "sqlite", "ram" …
    bool durable = false;   // survives the process
};

// Threads: any, for the makers.
class Engine {
public:
    virtual ~Engine() = default;
    [[nodiscard]] virtual Abilities abilities() const = 0;
    // A reader for the calling thread's use.
    [[nodiscard]] virtual Result<std::unique_ptr<Reader>> open_reader() = 0;
    // The only writer; called once.
    [[nodiscard]] virtual Result<std::unique_ptr<Writer>> open_writer() = 0;
    // Whether the table of a collection is there (used to tell a new database from an old one).
    [[nodiscard]] virtual Result<bool> has_table(std::string_view name) = 0;
};

}  // namespace quern::engine

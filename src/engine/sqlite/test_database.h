// SPDX-License-Identifier: Apache-2.0
#pragma once

// A database in a directory of its own, with the small blog of engine/sql/test_schema.h, for this room's
// tests.

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/test_directory.h"
#include "engine/sql/test_schema.h"
#include "engine/sqlite/sqlite.h"

namespace quern::engine::sqlite {

// Unwraps what a test takes for granted.
template <class T>
T must(Result<T> result) {
    if (!result) {
        ADD_FAILURE() << name(result.error().code) << ": " << result.error().message;
        std::abort();
    }
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

inline std::string show(Value const& value) {
    switch (value.kind) {
    case ValueKind::null: return "null";
    case ValueKind::integer: return std::to_string(value.integer);
    case ValueKind::real: return std::to_string(value.real);
    case ValueKind::text: return std::string(value.text);
    case ValueKind::blob: return "x" + std::to_string(value.text.size());
    }
    return {};
}

// Rows as `a|b|c`.
inline Result<std::vector<std::string>> rows_of(Reader& reader, plan::Plan const& plan,
                                                std::vector<Value> const& values = {}) {
    std::vector<std::string> rows;
    RowFunction sink([&](std::span<Value const> columns) {
        std::string row;
        for (Value const& column : columns) row += (&column == columns.data() ? "" : "|") + show(column);
        rows.push_back(std::move(row));
        return true;
    });
    if (auto done = reader.select({plan, values}, sink); !done) return std::unexpected(done.error());
    return rows;
}

inline Assignment set(Collection const& collection, std::string_view name, Value value) {
    return {static_cast<std::uint16_t>(collection.find(name).value()), value, {}};
}

inline Assignment set(Collection const& collection, std::string_view name,
                      std::span<std::string_view const> targets) {
    return {static_cast<std::uint16_t>(collection.find(name).value()), {}, targets};
}

class DatabaseTest : public ::testing::Test {
protected:
    explicit DatabaseTest(Options options = {}) : options_(std::move(options)) {
        options_.path = directory_.path() / "data.db";
    }

    void open() {
        database = must(sqlite::open(options_));
        writer = must(database->open_writer());
        reader = must(database->open_reader());
    }
    void close() {
        reader.reset();
        writer.reset();
        database.reset();
    }
    void SetUp() override {
        open();
        change({}, schema);
    }

    // Changes all tables from one schema to the other; collections are matched by their ids.
    Result<void> try_change(std::shared_ptr<Schema const> const& before,
                            std::shared_ptr<Schema const> const& after) {
        std::vector<TableChange> changes;
        if (before) {
            for (auto const& old : before->collections())
                changes.push_back({old.get(), after->find(old->id)});
        }
        for (auto const& now : after->collections()) {
            if (!before || before->find(now->id) == nullptr) changes.push_back({nullptr, now.get()});
        }
        Transaction* const transaction = must(writer->begin());
        auto altered = transaction->alter(changes, *after);
        if (!altered) {
            writer->rollback();
            return altered;
        }
        return writer->commit();
    }
    void change(std::shared_ptr<Schema const> const& before, std::shared_ptr<Schema const> const& after) {
        must(try_change(before, after));
        schema = after;
    }

    // One row in a transaction of its own.
    Result<void> insert(
        std::string_view name, std::vector<std::pair<std::string, Value>> const& values,
        std::vector<std::pair<std::string, std::vector<std::string_view>>> const& targets = {}) {
        Collection const& into = *schema->find(name);
        std::vector<Assignment> row;
        for (auto const& [field, value] : values) row.push_back(set(into, field, value));
        for (auto const& [field, ids] : targets) row.push_back(set(into, field, ids));
        Transaction* const transaction = must(writer->begin());
        if (auto done = transaction->insert(into, row); !done) {
            writer->rollback();
            return done;
        }
        return writer->commit();
    }

    // All rows of a collection by id: the named columns.
    std::vector<std::string> all(std::string_view name, std::vector<std::string> const& columns) {
        return must(rows_of(*reader, *all_plan(name, columns)));
    }
    std::shared_ptr<plan::Plan const> all_plan(std::string_view name,
                                               std::vector<std::string> const& columns) {
        auto plan = test::from(schema, name);
        for (std::string const& column : columns) plan.output.push_back(test::column(plan, 0, column));
        plan.sort = {{plan::SortKey::Kind::operand, test::column(plan, 0, "id"), false}};
        return plan::seal(std::move(plan));
    }
    // One row by its id, as parameter 0.
    std::shared_ptr<plan::Plan const> by_id(std::string_view name, std::vector<std::string> const& columns) {
        auto plan = test::from(schema, name);
        for (std::string const& column : columns) plan.output.push_back(test::column(plan, 0, column));
        plan.where = plan::compare(test::column(plan, 0, "id"), plan::Comparison::equal, plan::parameter(0));
        plan.parameter_count = 1;
        return plan::seal(std::move(plan));
    }

    test::TemporaryDirectory directory_;
    Options options_;
    std::shared_ptr<Schema const> schema = test::blog();
    std::unique_ptr<Database> database;
    std::unique_ptr<Writer> writer;
    std::unique_ptr<Reader> reader;
};

}  // namespace quern::engine::sqlite

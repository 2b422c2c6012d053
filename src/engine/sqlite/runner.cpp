// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/runner.h"

#include <array>
#include <cstring>

#include <quern/assert.h>

namespace quern::engine::sqlite {

namespace {

Value const& value_of(sql::Binding const& binding, plan::BoundPlan bound, Value& constant) {
    if (binding.parameter != plan::Plan::no_parameter) return bound.values[binding.parameter];
    constant = Value::of(std::string_view(binding.text));
    return constant;
}

bool accepts(std::vector<sql::Binding> const& bindings, plan::BoundPlan bound) {
    for (sql::Binding const& binding : bindings) {
        if (binding.parameter == plan::Plan::no_parameter) continue;
        if ((sql::accept_bit(bound.values[binding.parameter]) & ~binding.accepts) != 0) return false;
    }
    return true;
}

template <class T>
void append_bytes(std::string& key, T const& value) {
    std::array<char, sizeof value> bytes{};
    std::memcpy(bytes.data(), &value, sizeof value);
    key.append(bytes.data(), bytes.size());
}

void append_value(std::string& key, Value const& value) {
    key += static_cast<char>(value.kind);
    switch (value.kind) {
    case ValueKind::null: return;
    case ValueKind::integer: return append_bytes(key, value.integer);
    case ValueKind::real: return append_bytes(key, value.real);
    case ValueKind::text:
    case ValueKind::blob: append_bytes(key, value.text.size()); key += value.text;
    }
}

// Puts a statement back on every way out.
class Finish {
public:
    Finish(Statement& statement, int& depth) : statement_(statement), depth_(depth) { ++depth_; }
    Finish(Finish const&) = delete;
    Finish& operator=(Finish const&) = delete;
    ~Finish() {
        statement_.reset();
        --depth_;
    }

private:
    Statement& statement_;
    int& depth_;
};

class Busy {
public:
    explicit Busy(Prepared& prepared) : prepared_(prepared) { prepared_.running = true; }
    Busy(Busy const&) = delete;
    Busy& operator=(Busy const&) = delete;
    ~Busy() { prepared_.running = false; }

private:
    Prepared& prepared_;
};

}  // namespace

Result<Entry*> Runner::entry_of(plan::BoundPlan bound, Form form, Form exactly) {
    QUERN_ASSERT(bound.values.size() >= bound.plan.parameter_count, "every parameter has a value");
    auto entry = cache_.find(bound.plan, form);
    if (!entry || accepts((*entry)->bindings, bound)) [[likely]]
        return entry;
    return cache_.find(bound.plan, exactly);
}

Result<void> Runner::select(plan::BoundPlan bound, RowSink& sink) {
    QUERN_TRY(Entry* const entry, entry_of(bound, Form::select, Form::select_exactly));
    return run(bound, *entry, sink);
}

Result<void> Runner::write_count_key(plan::BoundPlan bound, std::string& key) {
    QUERN_TRY(Entry const* const entry, entry_of(bound, Form::count, Form::count_exactly));
    key.clear();
    append_value(key, Value::of(std::string_view(*entry->text)));
    for (sql::Binding const& binding : entry->bindings) {
        Value constant;
        append_value(key, value_of(binding, bound, constant));
    }
    return {};
}

Result<std::int64_t> Runner::count(plan::BoundPlan bound) {
    QUERN_TRY(Entry* const entry, entry_of(bound, Form::count, Form::count_exactly));
    std::int64_t counted = 0;
    RowFunction sink([&](std::span<Value const> columns) {
        counted = columns[0].integer;
        return true;
    });
    QUERN_CHECK(run(bound, *entry, sink));
    return counted;
}

Result<void> Runner::run(plan::BoundPlan bound, Entry& entry, RowSink& sink) {
    if (!entry.prepared->running) [[likely]] {
        Busy const busy(*entry.prepared);
        return pour(entry.prepared->statement, entry.bindings, entry.row, bound, sink);
    }
    // The sink of this very statement asks for it again: it gets one of its own. The entry may be dropped by
    // what the inner sink does, so nothing of it is borrowed.
    std::string const text = *entry.text;
    auto const bindings = entry.bindings;
    std::vector<Value> row(entry.row.size());
    QUERN_TRY(auto statement, connection_.prepare(text, false));
    return pour(statement, bindings, row, bound, sink);
}

Result<void> Runner::pour(Statement& statement, std::vector<sql::Binding> const& bindings,
                          std::vector<Value>& row, plan::BoundPlan bound, RowSink& sink) {
    Watch::Running const watched(connection_.watch());
    Finish const finish(statement, depth_);
    for (std::size_t index = 0; index < bindings.size(); ++index) {
        Value constant;
        int const code =
            statement.bind(static_cast<int>(index + 1), value_of(bindings[index], bound, constant));
        if (code != SQLITE_OK) [[unlikely]]
            return fail(connection_.error(code));
    }
    for (;;) {
        int const code = statement.step();
        if (code == SQLITE_DONE) return {};
        if (code != SQLITE_ROW) [[unlikely]]
            return fail(connection_.error(code));
        for (std::size_t index = 0; index < row.size(); ++index) {
            sqlite3_value* const source = sqlite3_column_value(statement.get(), static_cast<int>(index));
            if (!read_value(source, row[index])) [[unlikely]]
                return fail(ErrorCode::overloaded);
        }
        if (!sink.row(row)) return {};
    }
}

}  // namespace quern::engine::sqlite

// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/stage.h"

#include <algorithm>

#include <quern/assert.h>

namespace quern::engine::conformance {

Stage::Stage(std::string_view engine) : subject_(make_subject(engine)) {
    auto writer = subject_->engine().open_writer();
    QUERN_ASSERT(writer, "an engine has a writer");
    writer_ = *std::move(writer);
    auto reader = subject_->engine().open_reader();
    QUERN_ASSERT(reader, "an engine has readers");
    reader_ = *std::move(reader);
}

Collection const& Stage::collection(std::string_view name) const {
    Collection const* const found = schema_->find(name);
    QUERN_ASSERT(found != nullptr, "the collection is defined");
    return *found;
}

Transaction& Stage::transaction() {
    QUERN_ASSERT(transaction_ != nullptr, "a transaction is open");
    return *transaction_;
}

Reader& Stage::where_to_read() {
    if (transaction_ != nullptr) return *transaction_;
    return *reader_;
}

template <class T, class Write>
Result<T> Stage::in_a_transaction(Write write) {
    if (transaction_ != nullptr) return write(*transaction_);
    QUERN_CHECK(begin());
    Result<T> result = write(*transaction_);
    if (!result) {
        rollback();
        return result;
    }
    QUERN_CHECK(commit());
    return result;
}

Result<void> Stage::begin() {
    QUERN_TRY(transaction_, writer_->begin());
    schema_before_ = schema_;
    return {};
}

Result<void> Stage::commit() {
    transaction_ = nullptr;
    return writer_->commit();
}

void Stage::rollback() {
    transaction_ = nullptr;
    writer_->rollback();
    schema_ = schema_before_;
}

Result<void> Stage::alter(std::vector<Collection> const& collections) {
    auto const after = schema_of(collections, ++schemas_made_);
    auto const before = schema_;  // kept: the changes point into it
    std::vector<TableChange> changes;
    for (auto const& collection : before->collections()) {
        auto const stays = std::ranges::find(collections, collection->id, &Collection::id);
        if (stays == collections.end()) changes.push_back({collection.get(), nullptr});
    }
    for (auto const& collection : after->collections()) {
        auto const& all = before->collections();
        auto const old =
            std::ranges::find_if(all, [&](auto const& other) { return other->id == collection->id; });
        if (old == all.end()) {
            changes.push_back({nullptr, collection.get()});
        } else if (**old != *collection) {
            changes.push_back({old->get(), collection.get()});
        }
    }
    QUERN_CHECK(
        in_a_transaction<void>([&](Transaction& transaction) { return transaction.alter(changes, *after); }));
    schema_ = after;
    return {};
}

Result<void> Stage::insert(std::string_view name, std::string_view json) {
    QUERN_TRY(RowText const row, RowText::read(collection(name), json));
    return in_a_transaction<void>(
        [&](Transaction& transaction) { return transaction.insert(collection(name), row.assignments()); });
}

Result<bool> Stage::update(std::string_view name, std::string_view id, std::string_view json) {
    QUERN_TRY(RowText const row, RowText::read(collection(name), json));
    return in_a_transaction<bool>([&](Transaction& transaction) {
        return transaction.update(collection(name), id, row.assignments());
    });
}

Result<bool> Stage::remove(std::string_view name, std::string_view id) {
    return in_a_transaction<bool>(
        [&](Transaction& transaction) { return transaction.remove(collection(name), id); });
}

Result<void> Stage::truncate(std::string_view name) {
    return in_a_transaction<void>(
        [&](Transaction& transaction) { return transaction.truncate(collection(name)); });
}

Result<Rows> Stage::select(Request const& request) {
    Rows rows;
    RowFunction sink([&rows](std::span<Value const> columns) {
        rows.push_back(print(columns));
        return true;
    });
    QUERN_CHECK(where_to_read().select(request.bound(), sink));
    return rows;
}

Result<std::int64_t> Stage::count(Request const& request) { return where_to_read().count(request.bound()); }

Rows Stage::rows(std::vector<std::string> const& lines) {
    auto const request = read_request(schema_, lines);
    QUERN_ASSERT(request, "the test's request is understood");
    auto rows = select(*request);
    QUERN_ASSERT(rows, "the request can be answered");
    return *std::move(rows);
}

std::string print(Error const& error) {
    std::string text(name(error.code));
    for (FieldError const& field : error.fields) {
        text += " " + field.field;
        if (field.code != "validation_not_unique") text += ":" + field.code;
    }
    return text;
}

}  // namespace quern::engine::conformance

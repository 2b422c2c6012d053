// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/write_cache.h"

#include <algorithm>

#include <quern/assert.h>
#include "engine/sql/dialect.h"

namespace quern::engine::sqlite {

namespace {

std::string quoted_name(std::string_view name) { return sql::identifier(sql::sqlite_dialect(), name); }

std::string column_of(Collection const& collection, std::size_t field) {
    if (field == Collection::version_field) return quoted_name("_v");
    QUERN_ASSERT(field < collection.fields.size(), "an assignment names a field of its collection");
    return quoted_name(collection.fields[field].name);
}

}  // namespace

bool is_column(Collection const& collection, Assignment const& assignment) {
    return assignment.field == Collection::version_field || !collection.fields[assignment.field].is_join();
}

void WriteCache::start_key(char verb, Collection const& collection) {
    key_.assign(1, verb);
    key_ += collection.id;
}

void WriteCache::add_to_key(std::size_t field) {
    key_ += static_cast<char>(field & 0xFF);
    key_ += static_cast<char>(field >> 8 & 0xFF);
}

template <class MakeText>
Result<Statement*> WriteCache::find(MakeText make_text) {
    if (auto const found = statements_.find(std::string_view(key_)); found != statements_.end()) {
        return &found->second;
    }
    QUERN_TRY(auto statement, connection_.prepare(make_text()));
    if (statements_.size() >= statements_max) statements_.clear();
    return &(statements_[key_] = std::move(statement));
}

Result<Statement*> WriteCache::insert(Collection const& collection, std::span<Assignment const> row) {
    start_key('i', collection);
    for (Assignment const& assignment : row) {
        if (is_column(collection, assignment)) add_to_key(assignment.field);
    }
    return find([&] {
        std::string names;
        std::string values;
        for (Assignment const& assignment : row) {
            if (!is_column(collection, assignment)) continue;
            names += (names.empty() ? "" : ", ") + column_of(collection, assignment.field);
            values += values.empty() ? "?" : ", ?";
        }
        QUERN_ASSERT(!names.empty(), "a row has at least its id");
        return "INSERT INTO " + quoted_name(collection.name) + " (" + names + ") VALUES (" + values + ")";
    });
}

Result<Statement*> WriteCache::update(Collection const& collection, std::span<Assignment const> changes) {
    start_key('u', collection);
    for (Assignment const& change : changes) {
        if (is_column(collection, change)) add_to_key(change.field);
    }
    return find([&] {
        std::string set;
        int number = 1;
        for (Assignment const& change : changes) {
            if (!is_column(collection, change)) continue;
            set += (set.empty() ? "" : ", ") + column_of(collection, change.field) + " = ?" +
                   std::to_string(++number);
        }
        return "UPDATE " + quoted_name(collection.name) + " SET " + set + " WHERE \"id\" = ?1";
    });
}

Result<Statement*> WriteCache::exists(Collection const& collection) {
    start_key('e', collection);
    return find([&] { return "SELECT 1 FROM " + quoted_name(collection.name) + " WHERE \"id\" = ?1"; });
}

Result<Statement*> WriteCache::remove(Collection const& collection) {
    start_key('d', collection);
    return find([&] { return "DELETE FROM " + quoted_name(collection.name) + " WHERE \"id\" = ?1"; });
}

Result<Statement*> WriteCache::clear_targets(Collection const& collection, std::size_t field) {
    start_key('c', collection);
    add_to_key(field);
    return find([&] {
        return "DELETE FROM " + quoted_name(join_table_name(collection, collection.fields[field])) +
               " WHERE \"owner\" = ?1";
    });
}

Result<Statement*> WriteCache::add_target(Collection const& collection, std::size_t field) {
    start_key('a', collection);
    add_to_key(field);
    return find([&] {
        return "INSERT INTO " + quoted_name(join_table_name(collection, collection.fields[field])) +
               " (\"owner\", \"position\", \"target\") VALUES (?1, ?2, ?3)";
    });
}

}  // namespace quern::engine::sqlite

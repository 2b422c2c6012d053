// SPDX-License-Identifier: Apache-2.0
#pragma once

// Prepared INSERT, UPDATE and DELETE statements of the write connection, by what they write.
//
// Tables change only through Transaction::alter(), which clears the cache; until then a collection's id and
// the fields that are set say everything.

#include <span>
#include <string>
#include <unordered_map>

#include <quern/error.h>
#include "engine/engine.h"
#include "engine/sqlite/connection.h"
#include "schema/collection.h"

namespace quern::engine::sqlite {

// Threads: one at a time.
class WriteCache {
public:
    // Statements kept; beyond it all are dropped, which a schema of some hundred collections does not reach.
    static constexpr std::size_t statements_max = 1024;

    explicit WriteCache(Connection& connection) : connection_(connection) {}

    // Lifetime: until the next call. Parameters in the order of the names.
    // (values of the assignments that are columns, in order)
    [[nodiscard]] Result<Statement*> insert(Collection const& collection, std::span<Assignment const> row);
    // (id, values as above); at least one assignment is a column.
    [[nodiscard]] Result<Statement*> update(Collection const& collection,
                                            std::span<Assignment const> changes);
    // (id); a row says whether it is there.
    [[nodiscard]] Result<Statement*> exists(Collection const& collection);
    // (id)
    [[nodiscard]] Result<Statement*> remove(Collection const& collection);
    // (owner)
    [[nodiscard]] Result<Statement*> clear_targets(Collection const& collection, std::size_t field);
    // (owner, position, target)
    [[nodiscard]] Result<Statement*> add_target(Collection const& collection, std::size_t field);

    void clear() { statements_.clear(); }

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view key) const { return std::hash<std::string_view>{}(key); }
    };
    void start_key(char verb, Collection const& collection);
    void add_to_key(std::size_t field);
    template <class MakeText>
    [[nodiscard]] Result<Statement*> find(MakeText make_text);

    Connection& connection_;
    std::string key_;
    std::unordered_map<std::string, Statement, Hash, std::equal_to<>> statements_;
};

// Whether an assignment goes into a column, and not into a join table.
[[nodiscard]] bool is_column(Collection const& collection, Assignment const& assignment);

}  // namespace quern::engine::sqlite

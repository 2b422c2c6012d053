// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records on their way into an answer: rows become JSON as they are poured, and `expand` hangs related
// records below them.

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include <quern/buffer.h>
#include <quern/error.h>
#include "api/call.h"
#include "query/planner.h"

namespace quern::api {

// Rows of one collection as JSON, with what `expand` needs of them.
//
// Lifetime: texts borrow from the call's arena.
class RecordSet {
public:
    // Most bytes of records that one request may gather with `expand`, and of its answer: a chain of
    // relations and back-relations multiplies what it shows.
    static constexpr std::size_t unfolded_bytes_max = std::size_t{32} << 20;

    struct Record {
        std::string_view id;
        std::size_t begin = 0;  // of its members in json_
        std::size_t end = 0;
        std::int64_t version = 0;
        std::span<Value const>
            links;  // one a node of `expand`: the relation's value (empty for back-relations)
        Value key;  // what ties it to its owner, for related records
        std::span<Value const> sort_values;  // when asked for
    };

    // Reads all rows of the query.
    [[nodiscard]] Result<void> load(Call& call, query::Query const& asked,
                                    query::FieldSelection const& selection,
                                    std::span<query::ExpandNode const> expand);

    // Reads what hangs below the records, level by level; what the caller may not see is left out.
    [[nodiscard]] Result<void> unfold(Call& call, std::span<query::ExpandNode const> expand);

    [[nodiscard]] std::size_t size() const { return records_.size(); }
    [[nodiscard]] Record const& operator[](std::size_t index) const { return records_[index]; }

    // Writes one record with its braces. False when the answer becomes too large: see too_large().
    [[nodiscard]] bool write(std::size_t index, Buffer& output) const;

    // What to answer then.
    [[nodiscard]] static Error too_large();

private:
    // The records below one relation, found by the id they belong to.
    struct Branch {
        query::ExpandNode const* node = nullptr;
        std::unique_ptr<RecordSet> set;
        std::multimap<std::string_view, std::size_t> by_key;  // forward: record's id; back: owner's id
        std::size_t link = 0;                                 // position in Record::links
    };

    [[nodiscard]] std::string_view ids_to_follow(Call& call, query::ExpandNode const& node,
                                                 std::size_t link) const;
    static void tie(Call& call, Branch& branch);
    [[nodiscard]] static std::vector<std::size_t> find(Branch const& branch, Record const& record);
    [[nodiscard]] static bool write_found(Branch const& branch, std::span<std::size_t const> found,
                                          Buffer& output);

    Buffer json_;
    std::vector<Record> records_;
    std::vector<Branch> branches_;
};

}  // namespace quern::api

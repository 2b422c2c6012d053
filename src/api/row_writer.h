// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of one question as JSON, for one kind of caller: RecordWriter with what the question says of columns.

#include <optional>
#include <span>

#include <quern/buffer.h>
#include "query/prepared.h"
#include "schema/principal.h"
#include "schema/record_json.h"

namespace quern::api {

// Threads: frozen.
class RowWriter {
public:
    // Lifetime: borrows the prepared question.
    RowWriter(query::Prepared const& prepared, query::FieldSelection const& selection, bool superuser);

    // Writes the members of a record, without braces.
    void write_members(std::span<Value const> row, Principal const& principal, Buffer& output) const {
        writer_.write_members(row, !is_auth_ || shows_email(row, principal), output);
    }

private:
    [[nodiscard]] bool shows_email(std::span<Value const> row, Principal const& principal) const;

    Collection const* collection_;
    RecordWriter writer_;
    bool is_auth_ = false;
    std::optional<std::size_t> visibility_column_;
    std::optional<std::size_t> id_column_;
};

}  // namespace quern::api

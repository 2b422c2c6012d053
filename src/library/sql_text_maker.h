// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include <quern/sql_text.h>

namespace quern::detail {

// Makes texts that no parser has to read, because the library itself wrote them.
struct SqlTextMaker {
    static SqlText make(std::string sql, SqlKind kind, std::size_t bind_count) {
        SqlText text;
        text.sql_ = std::move(sql);
        text.hash_ = std::hash<std::string>{}(text.sql_);
        text.kind_ = kind;
        text.bind_count_ = bind_count;
        return text;
    }
};

}  // namespace quern::detail

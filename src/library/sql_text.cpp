// SPDX-License-Identifier: Apache-2.0
#include <quern/sql_text.h>

#include <functional>

namespace quern {

namespace {

std::string_view text_of(SqlFault fault) {
    switch (fault) {
    case SqlFault::empty: return "holds no statement";
    case SqlFault::quote: return "has a quote, bracket or comment that is not closed";
    case SqlFault::parenthesis: return "has parentheses that do not match";
    case SqlFault::placeholder: return "has a brace that is no '{name}'";
    case SqlFault::native_parameter: return "takes values as '{name}', not as '?', ':x', '@x' or '$x'";
    case SqlFault::several_statements: return "holds more than one statement";
    case SqlFault::too_many_binds: return "has more than 64 placeholders";
    case SqlFault::forbidden: return "controls transactions or the connection";
    case SqlFault::unknown: return "begins with no verb of SQL";
    case SqlFault::nul: return "holds a NUL character";
    case SqlFault::none: break;
    }
    return "is fine";
}

}  // namespace

Result<SqlText> SqlText::parse(std::string_view sql) {
    SqlText text;
    text.sql_.resize(sql.size());
    std::size_t size = 0;
    SqlShape const shape = detail::read_sql(sql, text.sql_.data(), size);
    if (shape.fault != SqlFault::none)
        return fail(ErrorCode::parameter_invalid, "The SQL text " + std::string(text_of(shape.fault)) + ".");
    text.sql_.resize(size);
    text.hash_ = std::hash<std::string>{}(text.sql_);
    text.kind_ = shape.kind;
    text.bind_count_ = shape.bind_count;
    return text;
}

}  // namespace quern

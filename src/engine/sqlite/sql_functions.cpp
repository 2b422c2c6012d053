// SPDX-License-Identifier: Apache-2.0
#include "engine/sqlite/sql_functions.h"

#include <array>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <vector>

#include "base/text.h"
#include "engine/functions.h"
#include "engine/sqlite/connection.h"
#include "json/path.h"

namespace quern::engine::sqlite {

namespace {

// SQLite calls at most this many arguments for one function (its default limit).
constexpr std::size_t arguments_max = 127;

void give(sqlite3_context* context, Value const& value) {
    switch (value.kind) {
    case ValueKind::null: sqlite3_result_null(context); return;
    case ValueKind::integer: sqlite3_result_int64(context, value.integer); return;
    case ValueKind::real: sqlite3_result_double(context, value.real); return;
    case ValueKind::text:
        sqlite3_result_text64(context, value.text.data() == nullptr ? "" : value.text.data(),
                              value.text.size(), SQLITE_TRANSIENT, SQLITE_UTF8);
        return;
    case ValueKind::blob:
        sqlite3_result_blob64(context, value.text.data(), value.text.size(), SQLITE_TRANSIENT);
        return;
    }
}

// Wraps a function over at most `Max` values for SQLite: no exception leaves it.
template <void (*Function)(sqlite3_context*, std::span<Value const>), std::size_t Max>
void call(sqlite3_context* context, int count, sqlite3_value** arguments) {
    std::array<Value, Max> values;
    auto const size = static_cast<std::size_t>(count);
    try {
        bool read = size <= values.size();
        for (std::size_t index = 0; read && index < size; ++index)
            read = read_value(arguments[index], values[index]);
        if (!read) throw std::bad_alloc();
        Function(context, std::span(values).first(size));
    } catch (std::bad_alloc const&) {
        sqlite3_result_error_nomem(context);
    }
}

// Something made of argument `index`, kept by SQLite as long as that argument stays the same.
template <class T, class Make>
T const& kept(sqlite3_context* context, int index, std::unique_ptr<T>& fallback, Make make) {
    if (auto const* found = static_cast<T const*>(sqlite3_get_auxdata(context, index))) return *found;
    auto made = std::make_unique<T>(make());
    sqlite3_set_auxdata(context, index, made.release(), [](void* old) { delete static_cast<T*>(old); });
    if (auto const* found = static_cast<T const*>(sqlite3_get_auxdata(context, index))) return *found;
    fallback = std::make_unique<T>(make());  // SQLite had no room for it and has dropped it
    return *fallback;
}

void like(sqlite3_context* context, std::span<Value const> arguments) {
    std::string value_storage;
    auto const text = like_text(arguments[0], value_storage);
    std::string pattern_storage;
    auto const pattern_text = like_text(arguments[1], pattern_storage);
    if (!text || !pattern_text) return sqlite3_result_int(context, 0);
    std::unique_ptr<LikePattern> fallback;
    auto const& pattern = kept(context, 1, fallback, [&] { return LikePattern(*pattern_text); });
    sqlite3_result_int(context, pattern.matches(*text) ? 1 : 0);
}

void fold_case_of(sqlite3_context* context, std::span<Value const> arguments) {
    std::string storage;
    give(context, fold(arguments[0], storage));
}

bool is_array(std::string_view text) {
    auto const first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && text[first] == '[' && json::is_json(text);
}

void length(sqlite3_context* context, std::span<Value const> arguments) {
    bool const array = arguments[0].is_text() && is_array(arguments[0].text);
    sqlite3_result_int64(context,
                         array ? static_cast<sqlite3_int64>(json::array_length(arguments[0].text)) : 0);
}

// The argument if it is a JSON array, else an empty one: what json_each() may safely be given.
void array(sqlite3_context* context, std::span<Value const> arguments) {
    bool const array = arguments[0].is_text() && is_array(arguments[0].text);
    give(context, array ? arguments[0] : Value::of("[]"));
}

// JSON text without the blanks between its tokens.
std::string without_blanks(std::string_view json) {
    std::string text;
    text.reserve(json.size());
    bool in_string = false;
    bool escaped = false;
    for (char const c : json) {
        bool const blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
        if (!in_string && blank) continue;
        text += c;
        if (c == '"' && !escaped) in_string = !in_string;
        escaped = in_string && c == '\\' && !escaped;
    }
    return text;
}

Value value_of(json::Scalar const& scalar, std::string& storage) {
    switch (scalar.kind) {
    case json::Scalar::Kind::null: return {};
    case json::Scalar::Kind::integer: return Value::of(scalar.integer);
    case json::Scalar::Kind::real: return Value::of(scalar.real);
    case json::Scalar::Kind::text: break;
    }
    if (!scalar.is_json) return Value::of(scalar.text);
    storage = without_blanks(scalar.text);
    return Value::of(std::string_view(storage));
}

// quern_json(text, path): the path is a JSON array of its steps.
void json_value(sqlite3_context* context, std::span<Value const> arguments) {
    if (!arguments[0].is_text() || !json::is_json(arguments[0].text)) return sqlite3_result_null(context);
    std::unique_ptr<std::vector<std::string>> fallback;
    auto const& path = kept(context, 1, fallback, [&] {
        std::vector<std::string> steps;
        std::string scratch;
        for (json::Elements elements(arguments[1].text); elements.next();) {
            steps.emplace_back(elements.scalar(scratch).text);
        }
        return steps;
    });
    std::string scratch;
    std::string storage;
    give(context, value_of(json::value_at(arguments[0].text, path, scratch), storage));
}

void distance(sqlite3_context* context, std::span<Value const> arguments) {
    give(context, geo_distance(arguments[0], arguments[1], arguments[2], arguments[3]));
}

void time_text(sqlite3_context* context, std::span<Value const> arguments) {
    if (arguments.empty() || !arguments[0].is_text()) return sqlite3_result_null(context);
    auto const text = strftime(arguments[0].text, arguments.subspan(1));
    give(context, text ? Value::of(std::string_view(*text)) : Value{});
}

struct Registered {
    char const* name;
    int arguments;  // -1 = any number
    void (*function)(sqlite3_context*, int, sqlite3_value**);
};

constexpr Registered functions[] = {{"quern_like", 2, &call<&like, 2>},
                                    {"quern_fold", 1, &call<&fold_case_of, 1>},
                                    {"quern_length", 1, &call<&length, 1>},
                                    {"quern_array", 1, &call<&array, 1>},
                                    {"quern_json", 2, &call<&json_value, 2>},
                                    {"quern_geo_distance", 4, &call<&distance, 4>},
                                    {"quern_strftime", -1, &call<&time_text, arguments_max>}};

}  // namespace

Result<void> register_functions(sqlite3* connection) {
    constexpr int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    for (Registered const& entry : functions) {
        int const code = sqlite3_create_function_v2(connection, entry.name, entry.arguments, flags, nullptr,
                                                    entry.function, nullptr, nullptr, nullptr);
        if (code != SQLITE_OK) return fail(ErrorCode::overloaded);
    }
    return {};
}

}  // namespace quern::engine::sqlite

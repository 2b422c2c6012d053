// SPDX-License-Identifier: Apache-2.0
#pragma once

// What can go wrong, as a value.
//
// A function that can fail for reasons outside the program returns Result<T>. The code says which kind (and
// with it the HTTP status), the message is for people, and `fields` names the inputs at fault. A broken
// precondition is not an Error but a failed assertion (assert.h).

#include <cstdint>
#include <expected>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quern {

enum class ErrorCode : std::uint8_t {
#define QUERN_ERROR(code, status, text) code,
#include <quern/errors.def>
#undef QUERN_ERROR
};

// The HTTP status that the table gives for `code`.
[[nodiscard]] int http_status(ErrorCode code);
// The text that the table gives for `code`; it lives for ever.
[[nodiscard]] std::string_view default_message(ErrorCode code);
// The code's name as written in the table, for logs.
[[nodiscard]] std::string_view name(ErrorCode code);

// One input at fault, as it appears in the wire's error body: data: {<field>: {code, message}}.
struct FieldError {
    std::string field;    // a field's name, a query parameter's name, or a dotted path into the body
    std::string code;     // stable, lower_snake, e.g. "validation_required"
    std::string message;  // a sentence for people

    bool operator==(FieldError const&) const = default;
};

struct Error {
    ErrorCode code = ErrorCode::internal;
    std::string message;
    std::vector<FieldError> fields;

    // An error with the table's own text.
    explicit Error(ErrorCode error_code) : code(error_code), message(default_message(error_code)) {}
    Error(ErrorCode error_code, std::string text) : code(error_code), message(std::move(text)) {}

    // Names one input at fault.
    static Error of_field(std::string field, std::string field_code, std::string text) {
        Error error(ErrorCode::validation);
        error.fields.push_back({std::move(field), std::move(field_code), std::move(text)});
        return error;
    }

    bool operator==(Error const&) const = default;
};

template <class T>
using Result = std::expected<T, Error>;

// Shortens `return std::unexpected(Error(...))`.
inline std::unexpected<Error> fail(ErrorCode code) { return std::unexpected(Error(code)); }
inline std::unexpected<Error> fail(ErrorCode code, std::string text) {
    return std::unexpected(Error(code, std::move(text)));
}
inline std::unexpected<Error> fail(Error error) { return std::unexpected(std::move(error)); }

}  // namespace quern

// Unwraps a Result into a declaration, or returns its error from the enclosing function:
//   QUERN_TRY(auto plan, bind(filter));
#define QUERN_CONCAT_INNER(a, b) a##b
#define QUERN_CONCAT(a, b) QUERN_CONCAT_INNER(a, b)
#define QUERN_TRY(declaration, ...) \
    QUERN_TRY_INNER(QUERN_CONCAT(quern_try_, __LINE__), declaration, __VA_ARGS__)
#define QUERN_TRY_INNER(temporary, declaration, ...)          \
    auto temporary = (__VA_ARGS__);                           \
    if (!temporary) [[unlikely]]                              \
        return std::unexpected(std::move(temporary).error()); \
    declaration = *std::move(temporary)
// The same for Result<void>.
#define QUERN_CHECK(...)                                                     \
    do {                                                                     \
        if (auto quern_checked = (__VA_ARGS__); !quern_checked) [[unlikely]] \
            return std::unexpected(std::move(quern_checked).error());        \
    } while (false)

// SPDX-License-Identifier: Apache-2.0
#include "query/cursor.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include <quern/assert.h>
#include "base/text.h"
#include "query/limits.h"

namespace quern::query {

static_assert(std::endian::native == std::endian::little, "numbers are written as they lie in memory");

namespace {

constexpr char format_version = 1;

template <class Number>
void append_number(std::string& output, Number number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    output.append(bytes, sizeof number);
}

template <class Number>
bool take_number(std::string_view& rest, Number& number) {
    if (rest.size() < sizeof number) return false;
    std::memcpy(&number, rest.data(), sizeof number);
    rest.remove_prefix(sizeof number);
    return true;
}

bool take_value(std::string_view& rest, Value& value) {
    std::uint8_t kind = 0;
    if (!take_number(rest, kind) || kind > static_cast<std::uint8_t>(ValueKind::blob)) return false;
    value = Value{};
    value.kind = static_cast<ValueKind>(kind);
    switch (value.kind) {
    case ValueKind::null: return true;
    case ValueKind::integer: return take_number(rest, value.integer);
    case ValueKind::real: return take_number(rest, value.real) && std::isfinite(value.real);
    case ValueKind::text:
    case ValueKind::blob: break;
    }
    std::uint32_t length = 0;
    if (!take_number(rest, length) || length > rest.size()) return false;
    value.text = rest.substr(0, length);
    rest.remove_prefix(length);
    return value.kind == ValueKind::blob || is_utf8(value.text);
}

}  // namespace

std::string encode_cursor(std::span<Value const> values) {
    QUERN_ASSERT(values.size() <= sort_keys_max + 1, "a cursor has a value for each sort key");
    std::string output{format_version, static_cast<char>(values.size())};
    for (Value const& value : values) {
        output.push_back(static_cast<char>(value.kind));
        switch (value.kind) {
        case ValueKind::null: break;
        case ValueKind::integer: append_number(output, value.integer); break;
        case ValueKind::real: append_number(output, value.real); break;
        case ValueKind::text:
        case ValueKind::blob:
            append_number(output, static_cast<std::uint32_t>(value.text.size()));
            output.append(value.text);
            break;
        }
    }
    return output;
}

Result<std::span<Value const>> decode_cursor(std::string_view bytes, Arena& arena) {
    auto const broken = [] { return fail(ErrorCode::parameter_invalid, "The cursor is not valid."); };
    if (bytes.size() < 2 || bytes[0] != format_version) return broken();
    auto const count = static_cast<unsigned char>(bytes[1]);
    if (count > sort_keys_max + 1) return broken();
    auto const values = arena.array<Value>(count);
    std::string_view rest = bytes.substr(2);
    for (Value& value : values) {
        if (!take_value(rest, value)) return broken();
    }
    if (!rest.empty()) return broken();
    return std::span<Value const>(values);
}

}  // namespace quern::query

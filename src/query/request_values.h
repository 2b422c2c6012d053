// SPDX-License-Identifier: Apache-2.0
#pragma once

// What rules may know about a request: `@request.*`, and the clock for the macros.

#include <cstdint>
#include <optional>
#include <string_view>

#include "schema/principal.h"
#include "schema/value.h"

namespace quern::query {

// Looks up what a rule asks for by name. The default knows nothing.
//
// Lifetime: what is returned lives at least until the values have been used by the engine.
class RequestLookup {
public:
    // A header by its lower-case name with '-' written as '_', as rules write it (`x_token`).
    [[nodiscard]] virtual std::optional<std::string_view> header(std::string_view name) const {
        (void)name;
        return std::nullopt;
    }
    // A query parameter.
    [[nodiscard]] virtual std::optional<std::string_view> query(std::string_view name) const {
        (void)name;
        return std::nullopt;
    }
    // A value of the body: nothing where it is not set, a null Value where it is null. `path` is a field's
    // name, or a dotted path into a json field's value. A value of several is JSON array text; of a field, in
    // stored form.
    [[nodiscard]] virtual std::optional<Value> body(std::string_view path) const {
        (void)path;
        return std::nullopt;
    }
    // Whether the write changes that field: true or false where it is known, nothing where the stored row,
    // not yet written, has to tell.
    [[nodiscard]] virtual std::optional<bool> body_changed(std::string_view field) const {
        (void)field;
        return std::nullopt;
    }

protected:
    ~RequestLookup() = default;
};

// Lifetime: borrows everything until the question is answered.
struct RequestValues {
    Principal principal;      // a default one is an anonymous caller
    std::int64_t now_ms = 0;  // UTC, since 1970
    std::string_view method = "GET";
    std::string_view context = "default";   // "default", "expand", "realtime", "password" …
    RequestLookup const* lookup = nullptr;  // null = no headers, query or body
};

}  // namespace quern::query

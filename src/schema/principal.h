// SPDX-License-Identifier: Apache-2.0
#pragma once

// Who is asking.

#include <span>
#include <string_view>

#include "schema/collection.h"
#include "schema/value.h"

namespace quern {

// Lifetime: borrows from the request's arena and from the schema snapshot in use.
struct Principal {
    Collection const* collection = nullptr;  // the auth collection of the caller's record; null = anonymous
    std::string_view id;
    bool superuser = false;
    // The caller's record, one value a field of `collection`, in order; empty for anonymous callers.
    std::span<Value const> record;

    [[nodiscard]] bool is_anonymous() const { return collection == nullptr; }
};

}  // namespace quern

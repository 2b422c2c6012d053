// SPDX-License-Identifier: Apache-2.0
#pragma once

// A value that owns its bytes, as rows in memory hold it.

#include <string>

#include "schema/value.h"

namespace quern::engine::ram {

class OwnedValue {
public:
    OwnedValue() = default;
    OwnedValue(Value const& value) : value_(value), bytes_(value.text) {
        value_.text = {};
    }  // NOLINT: implicit

    // Lifetime: as long as this object is neither changed nor moved.
    [[nodiscard]] Value view() const {
        Value value = value_;
        if (value.kind == ValueKind::text || value.kind == ValueKind::blob) value.text = bytes_;
        return value;
    }

    bool operator==(OwnedValue const& other) const { return view() == other.view(); }

private:
    Value value_;  // its text is always empty
    std::string bytes_;
};

}  // namespace quern::engine::ram

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where an engine pours rows.

#include <span>

#include "schema/value.h"

namespace quern {

class RowSink {
public:
    // Takes one row, its columns in the plan's order. Returns false to stop early, which is no error.
    // Lifetime: `columns` and all views in it die on return.
    virtual bool row(std::span<Value const> columns) = 0;

protected:
    ~RowSink() = default;
};

// A sink made of a lambda, for cold paths and tests.
template <class Function>
class RowFunction final : public RowSink {
public:
    explicit RowFunction(Function function) : function_(std::move(function)) {}
    bool row(std::span<Value const> columns) override { return function_(columns); }

private:
    Function function_;
};

}  // namespace quern

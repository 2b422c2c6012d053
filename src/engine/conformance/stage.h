// SPDX-License-Identifier: Apache-2.0
#pragma once

// An engine under test with its schema: what the cases, the contract tests and the comparison all act on.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "engine/conformance/definition.h"
#include "engine/conformance/engines.h"
#include "engine/conformance/plan_text.h"

namespace quern::engine::conformance {

// Rows of an answer, printed.
using Rows = std::vector<std::string>;

// Threads: one at a time.
class Stage {
public:
    explicit Stage(std::string_view engine);

    [[nodiscard]] std::shared_ptr<Schema const> const& schema() const { return schema_; }
    [[nodiscard]] Collection const& collection(std::string_view name) const;
    [[nodiscard]] Engine& engine() { return subject_->engine(); }
    [[nodiscard]] Reader& reader() { return *reader_; }
    // The open transaction; there must be one.
    [[nodiscard]] Transaction& transaction();
    [[nodiscard]] bool in_transaction() const { return transaction_ != nullptr; }

    // Makes the tables as `collections` say; what is not among them is dropped, the same id is the same
    // collection.
    [[nodiscard]] Result<void> alter(std::vector<Collection> const& collections);

    [[nodiscard]] Result<void> begin();
    [[nodiscard]] Result<void> commit();
    void rollback();

    // In the open transaction, or in one of its own which is rolled back when the write fails.
    [[nodiscard]] Result<void> insert(std::string_view collection, std::string_view json);
    [[nodiscard]] Result<bool> update(std::string_view collection, std::string_view id,
                                      std::string_view json);
    [[nodiscard]] Result<bool> remove(std::string_view collection, std::string_view id);
    [[nodiscard]] Result<void> truncate(std::string_view collection);

    // Through the open transaction, else through the reader.
    [[nodiscard]] Result<Rows> select(Request const& request);
    [[nodiscard]] Result<std::int64_t> count(Request const& request);
    // Reads a request (plan_text.h) and selects; a request that is no request is an assertion.
    [[nodiscard]] Rows rows(std::vector<std::string> const& lines);

private:
    template <class T, class Write>
    [[nodiscard]] Result<T> in_a_transaction(Write write);
    [[nodiscard]] Reader& where_to_read();

    std::unique_ptr<Subject> subject_;
    std::unique_ptr<Reader> reader_;
    std::unique_ptr<Writer> writer_;
    Transaction* transaction_ = nullptr;
    std::shared_ptr<Schema const> schema_ = std::make_shared<Schema const>();
    std::uint64_t schemas_made_ = 0;
    std::shared_ptr<Schema const> schema_before_;  // of the open transaction, to go back to
};

// "conflict title", "validation author:validation_missing_rel_records": the error as cases write it. The code
// of a broken unique index is left out.
[[nodiscard]] std::string print(Error const& error);

}  // namespace quern::engine::conformance

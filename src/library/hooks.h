// SPDX-License-Identifier: Apache-2.0
#pragma once

// The hooks of a program, called by the API inside its transactions.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <quern/collections.h>
#include "api/record_hooks.h"

namespace quern::api {
class Service;
}

namespace quern::library {

// Threads: add() before the server runs, run() by the writer.
class Hooks final : public api::RecordHooks {
public:
    // Answers requests that hooks make. Lifetime: borrowed.
    void attach(api::Service& service) { service_ = &service; }

    void add(api::RecordChange change, std::string_view collection, std::function<Result<void>(Hook&)> hook) {
        hooks_.push_back({change, std::string(collection), std::move(hook)});
    }

    [[nodiscard]] Result<void> run(api::HookCall& call) override;

private:
    struct Entry {
        api::RecordChange change;
        std::string collection;  // name or id
        std::function<Result<void>(Hook&)> hook;
    };
    std::vector<Entry> hooks_;
    api::Service* service_ = nullptr;
};

}  // namespace quern::library

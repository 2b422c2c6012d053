// SPDX-License-Identifier: Apache-2.0
#pragma once

// JSON parsers kept for writes: a body must stay parsed until its write has run on another thread, and a
// parser is too dear to make anew each time.
//
// Threads: any.

#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "json/reader.h"

namespace quern::api {

class DocumentPool {
public:
    // Parsers kept while nobody needs them; each holds the memory of a small body, some 10 KiB.
    static constexpr std::size_t kept_max = 512;

    DocumentPool() { kept_.reserve(kept_max); }

    [[nodiscard]] std::unique_ptr<json::Document> take() {
        {
            std::lock_guard const lock(mutex_);
            if (!kept_.empty()) {
                auto document = std::move(kept_.back());
                kept_.pop_back();
                return document;
            }
        }
        return std::make_unique<json::Document>();
    }

    void give_back(std::unique_ptr<json::Document> document) {
        std::lock_guard const lock(mutex_);
        if (document != nullptr && kept_.size() < kept_max) kept_.push_back(std::move(document));
    }

private:
    std::mutex mutex_;
    std::vector<std::unique_ptr<json::Document>> kept_;
};

}  // namespace quern::api

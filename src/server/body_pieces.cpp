// SPDX-License-Identifier: Apache-2.0
#include "server/body_pieces.h"

#include <quern/assert.h>
#include "server/connection.h"

namespace quern::server {

bool BodyPieces::wait(std::move_only_function<void()> ready) {
    QUERN_ASSERT(!is_waited_for(), "one at a time waits for a body");
    if (has_something()) return true;
    ready_ = std::move(ready);
    connection_->on_body_wanted();
    return false;
}

Result<std::string_view> BodyPieces::take() {
    QUERN_ASSERT(has_something(), "there is something to take");
    if (arrived_.empty()) {
        if (error_) return std::unexpected(*error_);
        return std::string_view();
    }
    bool const was_full = !has_room();
    taken_.clear();
    std::swap(taken_, arrived_);
    if (was_full) connection_->on_body_taken();
    return taken_.view();
}

void BodyPieces::fail(Error error) {
    if (!is_over()) error_ = std::move(error);
}

void BodyPieces::reset() {
    connection_ = nullptr;
    for (Buffer* const buffer : {&arrived_, &taken_}) {
        buffer->shrink(kept_bytes_max);
        buffer->clear();
    }
    ended_ = false;
    error_.reset();
    ready_ = nullptr;
}

}  // namespace quern::server

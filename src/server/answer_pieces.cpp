// SPDX-License-Identifier: Apache-2.0
#include "server/answer_pieces.h"

#include <quern/assert.h>
#include "server/connection.h"

namespace quern::server {

bool AnswerPieces::write(std::string_view bytes, std::move_only_function<void()> ready) {
    QUERN_ASSERT(!is_waited_for(), "one at a time writes an answer");
    if (is_gone()) {
        started_ = true;
        return true;
    }
    if (!started_) connection_->on_answer_started();
    if (connection_->write_answer(bytes) <= waiting_bytes_max) return true;
    ready_ = std::move(ready);
    return false;
}

// Nobody reads behind the head of an answer to HEAD.
bool AnswerPieces::is_gone() const { return !connection_->is_serving() || (started_ && !has_body_); }

void AnswerPieces::reset() {
    connection_ = nullptr;
    started_ = false;
    ready_ = nullptr;
}

}  // namespace quern::server

// SPDX-License-Identifier: Apache-2.0
#pragma once

// An exchange without a connection, for requests that come from within the process.

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/app.h>
#include <quern/http.h>

namespace quern::library {

// Threads: its maker's, but for what Exchange says.
class LocalExchange final : public http::Exchange, private http::AnswerSink {
public:
    explicit LocalExchange(std::size_t loop_index) : loop_index_(loop_index) { answer_sink = this; }

    // Sets the request. False when the path is to be refused; the response says so then.
    // Lifetime: `target` and `headers` are borrowed until the exchange has been finished.
    [[nodiscard]] bool ask(http::Method method, std::string_view target, std::string_view body,
                           std::span<http::Header const> headers);

    // The caller's thread stands in for the loop until the answer is there.
    void run();
    [[nodiscard]] LocalReply take() const;

    void finish() override;
    void post(std::move_only_function<void()> work) override;
    [[nodiscard]] std::size_t loop_index() const override { return loop_index_; }

private:
    // An answer in pieces is put together.
    [[nodiscard]] bool write(std::string_view bytes, std::move_only_function<void()> ready) override;
    [[nodiscard]] bool is_started() const override { return started_.has_value(); }
    [[nodiscard]] bool is_gone() const override { return false; }

    std::size_t loop_index_;
    std::optional<LocalReply> started_;
    std::string padded_body_;

    std::mutex mutex_;  // guards all below
    std::condition_variable wake_;
    bool finished_ = false;
    std::vector<std::move_only_function<void()>> posted_;
};

}  // namespace quern::library

// SPDX-License-Identifier: Apache-2.0
#include "library/local_exchange.h"

#include <algorithm>
#include <utility>

#include "http/target.h"

namespace quern::library {

bool LocalExchange::ask(http::Method method, std::string_view target, std::string_view body,
                        std::span<http::Header const> headers) {
    std::size_t const query = std::min(target.find('?'), target.size());
    padded_body_.assign(body);
    padded_body_.resize(body.size() + http::Request::body_padding_bytes);
    request.method = method;
    request.target = target;
    request.raw_path = target.substr(0, query);
    request.raw_query = target.substr(std::min(query + 1, target.size()));
    request.headers = headers;
    request.body = std::string_view(padded_body_).substr(0, body.size());
    request.peer_address = "127.0.0.1";
    auto const segments = http::split_path(request.raw_path, arena);
    if (!segments) {
        write_problem(response, Error(ErrorCode::bad_request));
        return false;
    }
    request.segments = *segments;
    return true;
}

void LocalExchange::finish() {
    std::lock_guard const lock(mutex_);
    finished_ = true;
    wake_.notify_all();
}

void LocalExchange::post(std::move_only_function<void()> work) {
    std::lock_guard const lock(mutex_);
    posted_.push_back(std::move(work));
    wake_.notify_all();
}

void LocalExchange::run() {
    std::unique_lock lock(mutex_);
    while (!finished_) {
        wake_.wait(lock, [this] { return finished_ || !posted_.empty(); });
        for (auto& work : std::exchange(posted_, {})) {
            lock.unlock();
            work();
            lock.lock();
        }
    }
}

bool LocalExchange::write(std::string_view bytes, std::move_only_function<void()>) {
    if (!started_) {
        started_ = take();
        response.clear();
    }
    if (request.method != http::Method::head) started_->body += bytes;
    return true;
}

LocalReply LocalExchange::take() const {
    constexpr int first_error = 400;
    if (started_ && response.status < first_error) return *started_;
    return {response.status, std::string(response.content_type), std::string(response.extra_headers.view()),
            std::string(response.body.view())};
}

}  // namespace quern::library

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The requests of a load run: one text, with a number in it that changes.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <quern/buffer.h>
#include <quern/error.h>

namespace quern::app {

// Where requests go. Limits: http, a numeric host or localhost.
struct LoadTarget {
    std::string host;
    std::uint16_t port = 80;
    std::string path;       // with the query, "/" at least
    std::string authority;  // as in the Host header

    // Errors: parameter_invalid — the text is no such URL.
    [[nodiscard]] static Result<LoadTarget> parse(std::string_view url);
};

// A text in which {key} stands for a number, {key:8} for the same with eight digits at least.
// Threads: frozen.
class LoadTemplate {
public:
    // Errors: parameter_invalid — a width that is no number from 1 to key_width_max.
    [[nodiscard]] static Result<LoadTemplate> parse(std::string_view text);

    void write(std::uint64_t key, Buffer& output) const;
    [[nodiscard]] bool has_key() const { return !pieces_.empty(); }

    static constexpr std::size_t key_width_max = 20;

private:
    struct Piece {
        std::string before;
        std::size_t width = 0;
    };
    std::vector<Piece> pieces_;  // each is followed by the key
    std::string rest_;
};

struct LoadRequestOptions {
    std::string method = "GET";
    std::vector<std::string> headers;  // "Name: value"
    std::string body;
};

// Threads: frozen.
class LoadRequest {
public:
    // Errors: parameter_invalid — a method or header that is none, or holds a line end; a bad {key}.
    [[nodiscard]] static Result<LoadRequest> make(LoadTarget const& target,
                                                  LoadRequestOptions const& options);

    // Appends the request with that key.
    void write(std::uint64_t key, Buffer& output) const;
    [[nodiscard]] bool is_head() const { return is_head_; }
    [[nodiscard]] bool has_key() const { return head_.has_key() || body_.has_key(); }

private:
    LoadTemplate head_;  // request line and headers, but for the length and the empty line
    LoadTemplate body_;
    bool has_body_ = false;
    bool is_head_ = false;
};

}  // namespace quern::app

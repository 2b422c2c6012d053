// SPDX-License-Identifier: Apache-2.0
#pragma once

// Responses as bytes: status line, headers, and the body of protocol errors.

#include <array>
#include <cstdint>
#include <string_view>

#include <quern/buffer.h>
#include <quern/http.h>
#include "http/head.h"

namespace quern::http {

// "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n", made anew only when the second changes.
class DateLine {
public:
    DateLine() { render(0); }
    void update(std::int64_t seconds_since_1970) {
        if (seconds_since_1970 != second_) render(seconds_since_1970);
    }
    [[nodiscard]] std::string_view view() const { return {text_.data(), text_.size()}; }

private:
    void render(std::int64_t second);

    std::int64_t second_ = 0;
    std::array<char, 37> text_{};
};

// Statuses that never have a body: 1xx, 204, 304.
[[nodiscard]] constexpr bool is_bodiless(int status) {
    return status < 200 || status == 204 || status == 304;
}

// The words of a status, "Not Found"; empty for one that is not in use here.
[[nodiscard]] std::string_view reason_phrase(int status);

// What the connection adds to a response's head.
enum class ConnectionLine : std::uint8_t {
    none,        // HTTP/1.1 goes on
    close,       // this is the last answer
    keep_alive,  // HTTP/1.0 goes on, which has to be said
};

// How the client learns where a body ends.
enum class BodyEnd : std::uint8_t {
    length,  // the response's body is whole; its length is given, also for HEAD
    chunks,  // Transfer-Encoding: chunked
    close,   // with the connection, for HTTP/1.0
};

// Appends the head, up to and with its empty line.
// Cost: no allocation beyond the output's.
void append_head(Buffer& output, Response const& response, std::string_view date_line,
                 ConnectionLine connection, BodyEnd end = BodyEnd::length);

// Appends one chunk of a body; nothing for no bytes, for that would be the end.
void append_chunk(Buffer& output, std::string_view bytes);
inline constexpr std::string_view last_chunk = "0\r\n\r\n";

// Makes `response` the answer to a request that is refused: {"status":400,"message":"…","data":{}}, and
// closes.
void render_error(ProtocolError const& error, Response& response);

inline constexpr std::string_view continue_response = "HTTP/1.1 100 Continue\r\n\r\n";

}  // namespace quern::http

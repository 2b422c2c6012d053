// SPDX-License-Identifier: Apache-2.0
#pragma once

// A body in chunks (RFC 9112, 7.1), decoded while it arrives:
//
//     5;name=value␍␊  hello␍␊  0␍␊  Trailer: dropped␍␊  ␍␊
//
// One byte after the other decides, so it does not matter where the stream was cut. Extensions are checked
// and ignored; trailers are checked and dropped: a field that decides about framing, routing or identity must
// not come in by the back door.

#include <array>
#include <cstdint>
#include <string_view>

#include <quern/buffer.h>
#include "http/head.h"

namespace quern::http {

class ChunkedDecoder {
public:
    enum class Outcome : std::uint8_t { more, done, refused };
    struct Progress {
        Outcome outcome = Outcome::more;
        std::size_t consumed = 0;  // bytes of the input that belong to this body
    };

    // Starts a body of at most `body_bytes_max` decoded bytes.
    void reset(std::uint64_t body_bytes_max);

    // Appends the decoded bytes of `input` to `output`. After `done` or `refused` a reset() is due.
    // Cost: linear; memory grows with what has arrived, never with what was announced.
    [[nodiscard]] Progress decode(std::string_view input, Buffer& output);

    // Why the body was refused.
    [[nodiscard]] ProtocolError error() const { return error_; }

private:
    enum class State : std::uint8_t {
        size_start,
        size,
        extension_start,
        extension_name,
        extension_value_start,
        extension_value,
        quoted,
        quoted_escape,
        after_quoted,
        size_lf,
        data,
        data_cr,
        data_lf,
        trailer_start,
        trailer_name,
        trailer_value,
        trailer_lf,
        end_lf,
        done,
    };

    bool line_byte(char c);
    bool size_byte(char c);
    bool extension_byte(char c);
    bool trailer_byte(char c);
    bool end_of_trailer_name();
    bool refuse(int status, std::string_view message);

    static constexpr std::size_t name_bytes_kept = 24;  // more than the longest name that is looked for

    State state_ = State::size_start;
    bool last_ = false;             // this chunk's size is zero
    std::uint32_t line_bytes_ = 0;  // of the size line
    std::uint32_t trailer_bytes_ = 0;
    std::uint32_t name_bytes_ = 0;
    std::uint64_t left_ = 0;     // of this chunk, or its size while the line is read
    std::uint64_t allowed_ = 0;  // decoded bytes that may still come
    std::array<char, name_bytes_kept> name_{};
    ProtocolError error_;
};

}  // namespace quern::http

// SPDX-License-Identifier: Apache-2.0
#include "http/chunked.h"

#include <algorithm>

#include "http/byte_class.h"

namespace quern::http {

namespace {

constexpr std::string_view bad_size = "A chunk size is malformed.";
constexpr std::string_view bad_extension = "A chunk extension is malformed.";
constexpr std::string_view bad_line_end = "A chunk is not ended by CR LF.";
constexpr std::string_view bad_trailer = "A trailer line is malformed.";

}  // namespace

void ChunkedDecoder::reset(std::uint64_t body_bytes_max) {
    *this = ChunkedDecoder();
    allowed_ = body_bytes_max;
}

ChunkedDecoder::Progress ChunkedDecoder::decode(std::string_view input, Buffer& output) {
    std::size_t position = 0;
    while (position < input.size()) {
        if (state_ == State::data) {
            std::size_t const taken =
                static_cast<std::size_t>(std::min<std::uint64_t>(left_, input.size() - position));
            output.append(input.substr(position, taken));
            position += taken;
            left_ -= taken;
            if (left_ == 0) state_ = State::data_cr;
            continue;
        }
        if (!line_byte(input[position])) return {Outcome::refused, position};
        ++position;
        if (state_ == State::done) return {Outcome::done, position};
    }
    return {Outcome::more, position};
}

bool ChunkedDecoder::line_byte(char c) {
    switch (state_) {
    case State::data_cr: state_ = State::data_lf; return c == '\r' || refuse(400, bad_line_end);
    case State::data_lf: state_ = State::size_start; return c == '\n' || refuse(400, bad_line_end);
    case State::size_lf:
        if (c != '\n') return refuse(400, bad_size);
        allowed_ -= left_;
        state_ = last_ ? State::trailer_start : State::data;
        return true;
    case State::size_start:
        line_bytes_ = 0;
        left_ = 0;
        if (!is(c, hex_byte)) return refuse(400, bad_size);
        state_ = State::size;
        return size_byte(c);
    case State::size: return size_byte(c);
    case State::extension_start:
    case State::extension_name:
    case State::extension_value_start:
    case State::extension_value:
    case State::quoted:
    case State::quoted_escape:
    case State::after_quoted: return extension_byte(c);
    default: return trailer_byte(c);
    }
}

bool ChunkedDecoder::size_byte(char c) {
    if (int const digit = hex_value(c); digit >= 0) {
        if (++line_bytes_ > limits::chunk_line_bytes) return refuse(400, "A chunk size line is too long.");
        // left_ <= allowed_, which is far below 2^60, so this cannot overflow.
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        if (left_ > allowed_) return refuse(body_too_large.status, body_too_large.message);
        return true;
    }
    last_ = left_ == 0;
    if (c == ';') {
        ++line_bytes_;
        state_ = State::extension_start;
        return true;
    }
    state_ = State::size_lf;
    return c == '\r' || refuse(400, bad_size);
}

// *( ";" token [ "=" ( token / quoted-string ) ] ), without white space: proxies disagree about it.
bool ChunkedDecoder::extension_byte(char c) {
    if (++line_bytes_ > limits::chunk_line_bytes) return refuse(400, "A chunk size line is too long.");
    bool const may_end =
        state_ == State::extension_name || state_ == State::extension_value || state_ == State::after_quoted;
    if (may_end && (c == ';' || c == '\r')) {
        state_ = c == ';' ? State::extension_start : State::size_lf;
        return true;
    }
    switch (state_) {
    case State::extension_start:
        state_ = State::extension_name;
        return is(c, token_byte) || refuse(400, bad_extension);
    case State::extension_name:
        if (c == '=') {
            state_ = State::extension_value_start;
            return true;
        }
        return is(c, token_byte) || refuse(400, bad_extension);
    case State::extension_value_start:
        state_ = c == '"' ? State::quoted : State::extension_value;
        return c == '"' || is(c, token_byte) || refuse(400, bad_extension);
    case State::extension_value: return is(c, token_byte) || refuse(400, bad_extension);
    case State::quoted:
        if (c == '"') state_ = State::after_quoted;
        if (c == '\\') state_ = State::quoted_escape;
        return is(c, value_byte) || refuse(400, bad_extension);
    case State::quoted_escape: state_ = State::quoted; return is(c, value_byte) || refuse(400, bad_extension);
    default: return refuse(400, bad_extension);
    }
}

bool ChunkedDecoder::trailer_byte(char c) {
    if (++trailer_bytes_ > limits::trailer_section_bytes)
        return refuse(431, "The request's trailers are too large.");
    switch (state_) {
    case State::trailer_start:
        if (c == '\r') {
            state_ = State::end_lf;
            return true;
        }
        name_bytes_ = 0;
        state_ = State::trailer_name;
        [[fallthrough]];
    case State::trailer_name:
        if (c == ':') return end_of_trailer_name();
        if (!is(c, token_byte)) return refuse(400, bad_trailer);
        if (name_bytes_ < name_.size()) name_[name_bytes_] = to_lower(c);
        ++name_bytes_;
        return true;
    case State::trailer_value:
        if (c == '\r') {
            state_ = State::trailer_lf;
            return true;
        }
        return is(c, value_byte) || refuse(400, bad_trailer);
    case State::trailer_lf: state_ = State::trailer_start; return c == '\n' || refuse(400, bad_trailer);
    default:  // end_lf
        state_ = State::done;
        return c == '\n' || refuse(400, bad_line_end);
    }
}

bool ChunkedDecoder::end_of_trailer_name() {
    if (name_bytes_ == 0) return refuse(400, bad_trailer);
    state_ = State::trailer_value;
    std::string_view const name(name_.data(), std::min<std::size_t>(name_bytes_, name_.size()));
    bool const framing =
        name == "content-length" || name == "transfer-encoding" || name == "host" || name == "trailer";
    return !framing || refuse(400, "A trailer must not frame the message.");
}

bool ChunkedDecoder::refuse(int status, std::string_view message) {
    error_ = {status, message};
    return false;
}

}  // namespace quern::http

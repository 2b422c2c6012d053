// SPDX-License-Identifier: Apache-2.0
#include "http/head.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "http/byte_class.h"

namespace quern::http {

namespace {

// The first byte in [position, end) that cannot be part of a header's value.
char const* skip_value(char const* position, char const* end) {
#if defined(__SSE2__)
    // Sixteen at a time: stop at anything below SP except HTAB, and at DEL. Bytes from 0x80 up are negative
    // in the signed comparison and have to be let through.
    __m128i const below = _mm_set1_epi8(0x20);
    __m128i const minus_one = _mm_set1_epi8(-1);
    __m128i const tab = _mm_set1_epi8('\t');
    __m128i const del = _mm_set1_epi8(0x7F);
    while (end - position >= 16) {
        __m128i bytes;
        std::memcpy(&bytes, position, sizeof bytes);
        __m128i const control = _mm_and_si128(_mm_cmplt_epi8(bytes, below), _mm_cmpgt_epi8(bytes, minus_one));
        __m128i const stop =
            _mm_or_si128(_mm_andnot_si128(_mm_cmpeq_epi8(bytes, tab), control), _mm_cmpeq_epi8(bytes, del));
        auto const mask = static_cast<unsigned>(_mm_movemask_epi8(stop));
        if (mask != 0) return position + std::countr_zero(mask);
        position += 16;
    }
#endif
    while (position < end && is(*position, value_byte)) ++position;
    return position;
}

// `text` as a number; every value above `cap` gives cap + 1, so that nothing overflows.
// `cap` must be below 2^60.
std::optional<std::uint64_t> parse_decimal(std::string_view text, std::uint64_t cap) {
    if (text.empty()) return std::nullopt;
    std::uint64_t value = 0;
    for (char const c : text) {
        if (!is(c, digit_byte)) return std::nullopt;
        if (value <= cap) value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return std::min(value, cap + 1);
}

// uri-host [":" port], with a host that is not empty.
bool is_authority(std::string_view text) {
    std::size_t host_end = 0;
    if (!text.empty() && text[0] == '[') {
        host_end = text.find(']');
        if (host_end == std::string_view::npos || host_end < 3) return false;
        for (char const c : text.substr(1, host_end - 1)) {
            if (!is(c, hex_byte) && c != ':' && c != '.') return false;
        }
        ++host_end;
    } else {
        while (host_end < text.size() && is(text[host_end], host_byte)) ++host_end;
        if (host_end == 0) return false;
    }
    std::string_view port = text.substr(host_end);
    if (port.empty()) return true;
    if (port[0] != ':') return false;
    port.remove_prefix(1);
    constexpr std::uint64_t port_max = 65535;
    auto const number = parse_decimal(port, port_max);
    return port.empty() || (number && *number <= port_max);
}

// Looks for an element of a comma-separated list, ignoring case.
bool list_contains(std::string_view list, std::string_view lower) {
    while (!list.empty()) {
        auto const comma = list.find(',');
        if (equals_ignoring_case(trim(list.substr(0, comma)), lower)) return true;
        if (comma == std::string_view::npos) return false;
        list.remove_prefix(comma + 1);
    }
    return false;
}

std::optional<Method> find_method(std::string_view token) {
    switch (token.size()) {
    case 3:
        if (token == "GET") return Method::get;
        if (token == "PUT") return Method::put;
        break;
    case 4:
        if (token == "POST") return Method::post;
        if (token == "HEAD") return Method::head;
        break;
    case 5:
        if (token == "PATCH") return Method::patch;
        break;
    case 6:
        if (token == "DELETE") return Method::del;
        break;
    case 7:
        if (token == "OPTIONS") return Method::options;
        break;
    default: break;
    }
    return std::nullopt;
}

// One run over the bytes. Each step returns false when it is over: `result_` then says why.
class HeadParser {
public:
    HeadParser(std::string_view bytes, std::uint64_t body_bytes_max, Head& head)
        : begin_(bytes.data()),
          end_(bytes.data() + bytes.size()),
          position_(begin_),
          body_bytes_max_(body_bytes_max),
          head_(head) {
        head_.method = Method::get;
        head_.minor_version = 1;
    }

    HeadResult run() {
        if (skip_empty_line() && method() && target() && version() && fields()) {
            head_.size = offset(position_);
            if (conclude()) result_.outcome = HeadOutcome::complete;
        }
        return result_;
    }

private:
    // What has been seen of the headers that decide how the message goes on.
    struct Seen {
        std::string_view content_length;
        std::string_view transfer_encoding;
        std::string_view expect;
        unsigned content_lengths = 0;
        unsigned transfer_encodings = 0;
        unsigned hosts = 0;
        bool close = false;
        bool keep_alive = false;
    };

    [[nodiscard]] std::uint32_t offset(char const* place) const {
        return static_cast<std::uint32_t>(place - begin_);
    }
    [[nodiscard]] Slice slice(char const* from, char const* to) const {
        return {offset(from), static_cast<std::uint32_t>(to - from)};
    }

    bool refuse(int status, std::string_view message) {
        result_.outcome = HeadOutcome::refused;
        result_.error = {status, message};
        return false;
    }

    // Starts a line: the window ends where the line's limit does, whether or not the bytes are there yet.
    void open_window(std::size_t bytes_max, int status, std::string_view message) {
        std::size_t const available = static_cast<std::size_t>(end_ - position_);
        window_end_ = position_ + std::min(available, bytes_max);
        window_full_ = available >= bytes_max;
        window_error_ = {status, message};
        result_.retry_bytes = static_cast<std::size_t>(position_ - begin_) + bytes_max;
    }
    // The window was used up without the line coming to its end.
    bool out_of_window() {
        if (!window_full_) return false;  // still incomplete
        return refuse(window_error_.status, window_error_.message);
    }

    bool line_end(std::string_view message) {
        if (position_ == window_end_) return out_of_window();
        if (*position_ != '\r') return refuse(400, message);
        ++position_;
        if (position_ == window_end_) return out_of_window();
        if (*position_ != '\n') return refuse(400, "A carriage return must be followed by a line feed.");
        ++position_;
        return true;
    }

    bool skip_empty_line() {
        open_window(limits::request_line_bytes + 2, 414, "The request line is too long.");
        if (position_ == window_end_ || *position_ != '\r') return position_ != window_end_;
        return line_end("");
    }

    bool method() {
        open_window(limits::request_line_bytes + 2, 414, "The request line is too long.");
        char const* const start = position_;
        while (position_ < window_end_ && is(*position_, token_byte)) {
            ++position_;
            if (position_ - start > std::ptrdiff_t{limits::method_bytes}) {
                return refuse(400, "The method is too long.");
            }
        }
        if (position_ == window_end_) return out_of_window();
        if (*position_ != ' ' || position_ == start) return refuse(400, "The request line is malformed.");
        auto const found = find_method({start, static_cast<std::size_t>(position_ - start)});
        if (!found) return refuse(501, "The method is not supported.");
        head_.method = *found;
        ++position_;
        return true;
    }

    bool target() {
        head_.asterisk = false;
        head_.host = {};
        char const* const start = position_;
        if (position_ == window_end_) return out_of_window();
        if (*position_ == '*' && head_.method == Method::options) {
            head_.asterisk = true;
            ++position_;
            head_.path = slice(start, position_);
            head_.query = {};
        } else {
            if (*position_ != '/' && !authority()) return false;
            if (!path_and_query()) return false;
        }
        if (position_ == window_end_) return out_of_window();
        if (*position_ != ' ') return refuse(400, "The request target holds a byte that is not allowed.");
        head_.target = slice(start, position_);
        ++position_;
        return true;
    }

    // "http://host:port" of an absolute target.
    bool authority() {
        for (std::string_view rest = "http"; !rest.empty(); rest.remove_prefix(1), ++position_) {
            if (position_ == window_end_) return out_of_window();
            if (to_lower(*position_) != rest[0]) return refuse(400, "The request target is malformed.");
        }
        if (position_ == window_end_) return out_of_window();
        if (to_lower(*position_) == 's') ++position_;
        for (std::string_view rest = "://"; !rest.empty(); rest.remove_prefix(1), ++position_) {
            if (position_ == window_end_) return out_of_window();
            if (*position_ != rest[0]) return refuse(400, "The request target is malformed.");
        }
        char const* const start = position_;
        while (position_ < window_end_ && *position_ != '/' && *position_ != '?' && *position_ != ' ' &&
               is(*position_, path_byte)) {
            ++position_;
        }
        if (position_ == window_end_) return out_of_window();
        head_.host = slice(start, position_);
        if (!is_authority(head_.host.of(begin_))) return refuse(400, "The request target's host is invalid.");
        return true;
    }

    bool path_and_query() {
        char const* start = position_;
        while (position_ < window_end_ && is(*position_, path_byte)) ++position_;
        head_.path = slice(start, position_);
        head_.query = {};
        if (position_ == window_end_) return out_of_window();
        if (*position_ != '?') return true;
        start = ++position_;
        while (position_ < window_end_ && is(*position_, query_byte)) ++position_;
        head_.query = slice(start, position_);
        return true;
    }

    bool version() {
        for (std::string_view rest = "HTTP/"; !rest.empty(); rest.remove_prefix(1), ++position_) {
            if (position_ == window_end_) return out_of_window();
            if (*position_ != rest[0]) return refuse(400, "The request line is malformed.");
        }
        char const* const digits = position_;
        for (std::size_t i = 0; i < 3; ++i, ++position_) {
            if (position_ == window_end_) return out_of_window();
            bool const expected = i == 1 ? *position_ == '.' : is(*position_, digit_byte);
            if (!expected) return refuse(400, "The HTTP version is malformed.");
        }
        if (!line_end("The request line is malformed.")) return false;
        if (digits[0] != '1') return refuse(505, "Only HTTP/1.1 and HTTP/1.0 are spoken here.");
        head_.minor_version = digits[2] == '0' ? 0 : 1;
        return true;
    }

    bool fields() {
        head_.field_count = 0;
        head_.origin_field = head_.accept_encoding_field = Head::no_field;
        char const* const section = position_;
        for (;;) {
            std::size_t const left =
                limits::header_section_bytes - static_cast<std::size_t>(position_ - section);
            open_window(std::min(limits::header_line_bytes + 2, left), 431,
                        "The request's headers are too large.");
            if (position_ == window_end_) return out_of_window();
            if (*position_ == '\r') return line_end("");
            if (!field()) return false;
        }
    }

    bool field() {
        char const* const name = position_;
        while (position_ < window_end_ && is(*position_, token_byte)) ++position_;
        char const* const name_end = position_;
        if (position_ == window_end_) return out_of_window();
        if (*position_ != ':' || name == name_end) return refuse(400, "A header line is malformed.");
        ++position_;
        while (position_ < window_end_ && (*position_ == ' ' || *position_ == '\t')) ++position_;
        char const* const value = position_;
        position_ = skip_value(position_, window_end_);
        char const* value_end = position_;
        if (!line_end("A header's value holds a byte that is not allowed.")) return false;
        while (value_end > value && (value_end[-1] == ' ' || value_end[-1] == '\t')) --value_end;

        if (head_.field_count == limits::header_count)
            return refuse(431, "The request has too many headers.");
        std::uint8_t const index = head_.field_count++;
        head_.fields[index] = {offset(name), offset(value), static_cast<std::uint16_t>(name_end - name),
                               static_cast<std::uint16_t>(value_end - value)};
        note({name, static_cast<std::size_t>(name_end - name)},
             {value, static_cast<std::size_t>(value_end - value)}, index);
        return true;
    }

    // Remembers the headers that the server itself looks at.
    void note(std::string_view name, std::string_view value, std::uint8_t index) {
        switch (name.size()) {
        case 4:
            if (equals_ignoring_case(name, "host") && ++seen_.hosts == 1) host_value_ = value;
            break;
        case 6:
            if (equals_ignoring_case(name, "expect")) seen_.expect = value.empty() ? "?" : value;
            if (equals_ignoring_case(name, "origin")) head_.origin_field = index;
            break;
        case 10:
            if (!equals_ignoring_case(name, "connection")) break;
            seen_.close = seen_.close || list_contains(value, "close");
            seen_.keep_alive = seen_.keep_alive || list_contains(value, "keep-alive");
            break;
        case 14:
            if (!equals_ignoring_case(name, "content-length")) break;
            ++seen_.content_lengths;
            seen_.content_length = value;
            break;
        case 15:
            if (equals_ignoring_case(name, "accept-encoding") &&
                head_.accept_encoding_field == Head::no_field) {
                head_.accept_encoding_field = index;
            }
            break;
        case 17:
            if (!equals_ignoring_case(name, "transfer-encoding")) break;
            ++seen_.transfer_encodings;
            seen_.transfer_encoding = value;
            break;
        default: break;
        }
    }

    // What only the complete list of headers can tell.
    bool conclude() {
        if (!host() || !framing()) return false;
        head_.keep_alive = head_.minor_version == 1 ? !seen_.close : seen_.keep_alive && !seen_.close;
        head_.expects_continue = false;
        // An HTTP/1.0 client cannot mean it, and must not be sent a 100.
        if (seen_.expect.empty() || head_.minor_version == 0) return true;
        if (!equals_ignoring_case(seen_.expect, "100-continue"))
            return refuse(417, "The expectation is not known.");
        head_.expects_continue = true;
        return true;
    }

    bool host() {
        if (seen_.hosts > 1) return refuse(400, "The request has more than one Host header.");
        if (seen_.hosts == 0 && head_.minor_version == 1)
            return refuse(400, "The request has no Host header.");
        if (seen_.hosts == 0) return true;
        if (!is_authority(host_value_)) return refuse(400, "The Host header is invalid.");
        if (head_.host.size == 0)
            head_.host = slice(host_value_.data(), host_value_.data() + host_value_.size());
        return true;
    }

    bool framing() {
        head_.framing = BodyFraming::none;
        head_.content_length = 0;
        if (seen_.transfer_encodings > 0) {
            if (seen_.content_lengths > 0)
                return refuse(400, "Content-Length and Transfer-Encoding exclude each other.");
            if (head_.minor_version == 0) return refuse(400, "HTTP/1.0 has no Transfer-Encoding.");
            if (seen_.transfer_encodings > 1)
                return refuse(400, "The request has more than one Transfer-Encoding header.");
            if (!equals_ignoring_case(seen_.transfer_encoding, "chunked")) return refuse_coding();
            head_.framing = BodyFraming::chunked;
            return true;
        }
        if (seen_.content_lengths == 0) return true;
        if (seen_.content_lengths > 1)
            return refuse(400, "The request has more than one Content-Length header.");
        auto const length = parse_decimal(seen_.content_length, body_bytes_max_);
        if (!length) return refuse(400, "The Content-Length header is invalid.");
        if (*length > body_bytes_max_) return refuse(body_too_large.status, body_too_large.message);
        head_.content_length = *length;
        if (*length > 0) head_.framing = BodyFraming::length;
        return true;
    }

    // 501 for a coding that exists somewhere, 400 for what is no single coding.
    bool refuse_coding() {
        bool const token =
            !seen_.transfer_encoding.empty() &&
            std::ranges::all_of(seen_.transfer_encoding, [](char c) { return is(c, token_byte); });
        if (token) return refuse(501, "The transfer coding is not supported.");
        return refuse(400, "The Transfer-Encoding header is invalid.");
    }

    char const* const begin_;
    char const* const end_;
    char const* position_;
    char const* window_end_ = nullptr;
    bool window_full_ = false;
    ProtocolError window_error_;
    std::uint64_t const body_bytes_max_;
    Head& head_;
    std::string_view host_value_;
    Seen seen_;
    HeadResult result_;
};

}  // namespace

HeadResult parse_head(std::string_view bytes, std::uint64_t body_bytes_max, Head& head) {
    return HeadParser(bytes, body_bytes_max, head).run();
}

}  // namespace quern::http

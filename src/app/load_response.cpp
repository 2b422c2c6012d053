// SPDX-License-Identifier: Apache-2.0
#include "app/load_response.h"

#include <algorithm>
#include <charconv>

#include "http/byte_class.h"

namespace quern::app {

namespace {

template <class N>
bool read_number(std::string_view text, N& number, int base = 10) {
    auto const [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    return fault == std::errc{} && end == text.data() + text.size() && !text.empty();
}

}  // namespace

void LoadResponseReader::start(bool to_head) {
    part_ = Part::head;
    to_head_ = to_head;
    keeps_connection_ = true;
    is_chunked_ = false;
    has_length_ = false;
    status_ = 0;
    left_ = 0;
    head_.clear();
}

LoadResponseReader::State LoadResponseReader::read(std::string_view& bytes) {
    while (!bytes.empty()) {
        switch (part_) {
        case Part::head:
            if (State const state = read_head(bytes); state != State::more || part_ == Part::head)
                return state;
            break;
        case Part::body:
        case Part::chunk: {
            auto const taken = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size()));
            bytes.remove_prefix(taken);
            left_ -= taken;
            if (left_ > 0) return State::more;
            if (part_ == Part::body) return State::complete;
            part_ = Part::chunk_end;
            break;
        }
        case Part::until_close: bytes = {}; return State::more;
        case Part::chunk_size:
        case Part::chunk_end:
        case Part::trailer:
            if (State const state = read_line(bytes); state != State::more) return state;
            break;
        }
    }
    return State::more;
}

LoadResponseReader::State LoadResponseReader::closed() const {
    return part_ == Part::until_close ? State::complete : State::broken;
}

// The head is kept until its end has come; most come whole.
LoadResponseReader::State LoadResponseReader::read_head(std::string_view& bytes) {
    constexpr std::string_view end = "\r\n\r\n";
    std::size_t const before = head_.size();
    std::size_t const from = before < end.size() ? 0 : before - (end.size() - 1);
    std::size_t const taken = std::min(bytes.size(), head_bytes_max + 1 - before);
    head_ += bytes.substr(0, taken);
    std::size_t const at = head_.find(end, from);
    if (at == std::string::npos) {
        bytes.remove_prefix(taken);
        return head_.size() > head_bytes_max ? State::broken : State::more;
    }
    bytes.remove_prefix(at + end.size() - before);
    head_.resize(at + 2);
    State const state = head_ended();
    head_.clear();
    return state;
}

LoadResponseReader::State LoadResponseReader::head_ended() {
    std::string_view rest = head_;
    std::size_t const first = rest.find("\r\n");
    std::string_view const line = rest.substr(0, first);
    rest.remove_prefix(first + 2);
    constexpr std::string_view version = "HTTP/1.1 ";
    constexpr std::size_t status_digits = 3;
    bool const fine = line.starts_with(version) && line.size() >= version.size() + status_digits &&
                      read_number(line.substr(version.size(), status_digits), status_) && status_ >= 100;
    if (!fine) return State::broken;
    while (!rest.empty()) {
        std::string_view const header = rest.substr(0, rest.find("\r\n"));
        rest.remove_prefix(header.size() + 2);
        std::size_t const colon = header.find(':');
        if (colon == std::string_view::npos) return State::broken;
        if (!take_header(header.substr(0, colon), http::trim(header.substr(colon + 1)))) return State::broken;
    }
    constexpr int switching_protocols = 101;
    constexpr int no_content = 204;
    constexpr int not_modified = 304;
    if (status_ < 200 && status_ != switching_protocols) {
        start(to_head_);  // an interim answer: the real one follows
        return State::more;
    }
    if (to_head_ || status_ == no_content || status_ == not_modified) return State::complete;
    if (is_chunked_) {
        part_ = Part::chunk_size;
    } else if (has_length_) {
        part_ = Part::body;
        if (left_ == 0) return State::complete;
    } else {
        part_ = Part::until_close;
        keeps_connection_ = false;
    }
    return State::more;
}

bool LoadResponseReader::take_header(std::string_view name, std::string_view value) {
    if (http::equals_ignoring_case(name, "content-length")) {
        has_length_ = true;
        return read_number(value, left_);
    }
    if (http::equals_ignoring_case(name, "transfer-encoding")) {
        is_chunked_ = http::equals_ignoring_case(value, "chunked");
        return is_chunked_;
    }
    if (http::equals_ignoring_case(name, "connection") && http::equals_ignoring_case(value, "close"))
        keeps_connection_ = false;
    return true;
}

LoadResponseReader::State LoadResponseReader::read_line(std::string_view& bytes) {
    std::size_t const end = bytes.find('\n');
    std::string_view const piece = bytes.substr(0, end);
    if (head_.size() + piece.size() > head_bytes_max) return State::broken;
    head_ += piece;
    bytes.remove_prefix(end == std::string_view::npos ? bytes.size() : end + 1);
    if (end == std::string_view::npos) return State::more;
    if (!head_.ends_with('\r')) return State::broken;
    head_.pop_back();
    State const state = line_ended();
    head_.clear();
    return state;
}

LoadResponseReader::State LoadResponseReader::line_ended() {
    constexpr int hexadecimal = 16;
    std::string_view const line = head_;
    switch (part_) {
    case Part::chunk_size:
        if (!read_number(http::trim(line.substr(0, line.find(';'))), left_, hexadecimal))
            return State::broken;
        part_ = left_ == 0 ? Part::trailer : Part::chunk;
        return State::more;
    case Part::chunk_end: part_ = Part::chunk_size; return line.empty() ? State::more : State::broken;
    default: return line.empty() ? State::complete : State::more;  // a trailer
    }
}

}  // namespace quern::app

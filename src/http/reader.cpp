// SPDX-License-Identifier: Apache-2.0
#include "http/reader.h"

#include <algorithm>
#include <cstring>

#include <quern/assert.h>
#include "http/byte_class.h"
#include "http/target.h"

namespace quern::http {

RequestReader::Progress RequestReader::feed(std::string_view bytes, std::uint64_t body_bytes_max) {
    QUERN_ASSERT(state_ != State::complete, "a complete request takes no more bytes");
    if (state_ == State::body) return feed_body(bytes);
    Progress const head = feed_to_body(bytes, body_bytes_max);
    if (head.outcome != Outcome::head) return head;
    if (!begin_body(body_bytes_max)) return {Outcome::refused, head.consumed};
    Progress body = feed_body(bytes.substr(head.consumed));
    body.consumed += head.consumed;
    return body;
}

RequestReader::Progress RequestReader::feed_to_body(std::string_view bytes, std::uint64_t body_bytes_max) {
    QUERN_ASSERT(state_ == State::head, "the head is complete");
    Progress const head = feed_head(bytes, body_bytes_max);
    if (head.outcome != Outcome::complete) return head;
    if (head_.framing == BodyFraming::none) {
        complete();
        return head;
    }
    state_ = State::body;
    body_received_ = 0;
    return {Outcome::head, head.consumed};
}

bool RequestReader::begin_body(std::uint64_t body_bytes_max) {
    QUERN_ASSERT(state_ == State::body && body_received_ == 0, "a body begins behind its head");
    if (head_.framing == BodyFraming::chunked) {
        chunked_.reset(body_bytes_max);
    } else if (head_.content_length > body_bytes_max) {
        error_ = body_too_large;
        return false;
    }
    return true;
}

RequestReader::Progress RequestReader::feed_piece(std::string_view bytes, Buffer& output) {
    QUERN_ASSERT(state_ == State::body, "a body is fed behind its head");
    Progress const body = decode_body(bytes, output);
    if (body.outcome == Outcome::complete) state_ = State::complete;
    return body;
}

RequestReader::Progress RequestReader::feed_head(std::string_view bytes, std::uint64_t body_bytes_max) {
    bool const first = input_.empty();
    if (!first) {
        // Parsing again is worth it only if a line may have ended or a limit may have been passed.
        bool const undecided = input_.size() + bytes.size() < retry_bytes_;
        bool const line_ended = std::memchr(bytes.data(), '\n', bytes.size()) != nullptr;
        std::size_t const before = input_.size();
        input_.append(bytes);
        if (undecided && !line_ended) return {Outcome::more, bytes.size()};
        HeadResult const result = parse_head(input_.view(), body_bytes_max, head_);
        retry_bytes_ = result.retry_bytes;
        if (result.outcome == HeadOutcome::refused) return refuse(result.error);
        if (result.outcome == HeadOutcome::incomplete) return {Outcome::more, bytes.size()};
        input_.truncate(head_.size);
        return {Outcome::complete, head_.size - before};
    }
    HeadResult const result = parse_head(bytes, body_bytes_max, head_);
    retry_bytes_ = result.retry_bytes;
    if (result.outcome == HeadOutcome::refused) return refuse(result.error);
    if (result.outcome == HeadOutcome::incomplete) {
        input_.append(bytes);
        return {Outcome::more, bytes.size()};
    }
    input_.append(bytes.substr(0, head_.size));
    return {Outcome::complete, head_.size};
}

RequestReader::Progress RequestReader::feed_body(std::string_view bytes) {
    Progress const body = decode_body(bytes, input_);
    if (body.outcome == Outcome::complete) complete();
    return body;
}

RequestReader::Progress RequestReader::decode_body(std::string_view bytes, Buffer& output) {
    if (head_.framing == BodyFraming::length) {
        auto const taken = static_cast<std::size_t>(
            std::min<std::uint64_t>(head_.content_length - body_received_, bytes.size()));
        output.append(bytes.substr(0, taken));
        body_received_ += taken;
        return {body_received_ < head_.content_length ? Outcome::more : Outcome::complete, taken};
    }
    auto const progress = chunked_.decode(bytes, output);
    body_received_ += progress.consumed;
    if (progress.outcome == ChunkedDecoder::Outcome::refused) return refuse(chunked_.error());
    if (progress.outcome == ChunkedDecoder::Outcome::more) return {Outcome::more, progress.consumed};
    return {Outcome::complete, progress.consumed};
}

void RequestReader::complete() {
    std::memset(input_.reserve(Request::body_padding_bytes), 0, Request::body_padding_bytes);
    state_ = State::complete;
}

RequestReader::Progress RequestReader::refuse(ProtocolError error) {
    error_ = error;
    return {Outcome::refused, 0};
}

bool RequestReader::build(Request& request, Arena& arena) {
    QUERN_ASSERT(state_ == State::complete || (state_ == State::body && body_received_ == 0),
                 "a request is built when it is complete, or without its body");
    char* const bytes = input_.data();
    request.method = head_.method;
    request.target = head_.target.of(bytes);
    request.raw_path = head_.path.size > 0 ? head_.path.of(bytes) : std::string_view("/");
    request.raw_query = head_.query.of(bytes);
    request.host = head_.host.of(bytes);
    request.body = input_.view().substr(head_.size);

    std::span<Header> const headers = arena.array<Header>(head_.field_count);
    for (std::size_t i = 0; i < headers.size(); ++i) {
        FieldSlice const& field = head_.fields[i];
        char* const name = bytes + field.name_offset;
        to_lower_token(name, field.name_size);
        headers[i] = {{name, field.name_size}, {bytes + field.value_offset, field.value_size}};
    }
    request.headers = headers;

    request.segments = {};
    if (head_.asterisk) return true;
    auto const segments = split_path(request.raw_path, arena);
    if (!segments) {
        error_ = {400, "The path is malformed."};
        return false;
    }
    request.segments = *segments;
    return true;
}

void RequestReader::reset() {
    state_ = State::head;
    retry_bytes_ = 0;
    body_received_ = 0;
    input_.shrink(kept_bytes_max);
    input_.clear();
}

}  // namespace quern::http

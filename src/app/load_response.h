// SPDX-License-Identifier: Apache-2.0
#pragma once

// The end of an answer, found in what a server sends; its body is counted, not kept.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace quern::app {

// Reads answers of HTTP/1.1, one after the other, cut anywhere.
// Threads: one at a time.
class LoadResponseReader {
public:
    enum class State : std::uint8_t {
        more,      // the answer goes on
        complete,  // its last byte was among these
        broken,    // what came is no answer of HTTP/1.1; the connection is of no use any more
    };

    // Takes bytes up to the end of the answer and moves `bytes` behind what it took.
    // Limits: a head of head_bytes_max; a longer one is broken.
    [[nodiscard]] State read(std::string_view& bytes);
    // The peer has closed: whether that is the end of an answer that has no other.
    [[nodiscard]] State closed() const;

    // Of the complete answer.
    [[nodiscard]] int status() const { return status_; }
    [[nodiscard]] bool keeps_connection() const { return keeps_connection_; }

    // For the next one. `to_head`: the request was HEAD, whose answer has no body.
    void start(bool to_head);
    // Whether nothing of the answer has come.
    [[nodiscard]] bool is_untouched() const { return part_ == Part::head && head_.empty(); }

    static constexpr std::size_t head_bytes_max = 64 * 1024;

private:
    enum class Part : std::uint8_t { head, body, until_close, chunk_size, chunk, chunk_end, trailer };

    [[nodiscard]] State read_head(std::string_view& bytes);
    [[nodiscard]] State read_line(std::string_view& bytes);
    [[nodiscard]] State head_ended();
    [[nodiscard]] bool take_header(std::string_view name, std::string_view value);
    [[nodiscard]] State line_ended();

    Part part_ = Part::head;
    bool to_head_ = false;
    bool keeps_connection_ = true;
    bool is_chunked_ = false;
    bool has_length_ = false;
    int status_ = 0;
    std::uint64_t left_ = 0;  // bytes of the body or the chunk
    std::string head_;        // of the answer, or a line between chunks
};

}  // namespace quern::app

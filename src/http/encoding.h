// SPDX-License-Identifier: Apache-2.0
#pragma once

// Compresses large answers for clients that ask for it.

#include <cstddef>
#include <memory>
#include <string_view>

#include <quern/buffer.h>
#include <quern/http.h>

namespace quern::http {

// Smaller bodies leave as they are: below this the head and the system calls cost more than the bytes.
inline constexpr std::size_t compress_bytes_min = 8 * 1024;

// Whether an Accept-Encoding value admits gzip: named or "*", and not with a quality of zero.
[[nodiscard]] bool accepts_gzip(std::string_view accept_encoding);

// Whether bodies of that type get smaller: text and its relatives, but no event streams.
[[nodiscard]] bool is_compressible(std::string_view content_type);

// Threads: one at a time. Cost: about 0.3 MB of memory, made with the first use.
class Compressor {
public:
    Compressor();
    ~Compressor();

    // Replaces the response's body by its gzip form when the request accepts it and the body is large enough,
    // of a compressible type and not encoded yet; adds Content-Encoding and, whenever the answer depends on
    // the request's Accept-Encoding, Vary. Cost: about 5 µs for each KiB of JSON.
    void apply(Request const& request, Response& response, std::size_t bytes_min = compress_bytes_min);

private:
    struct Engine;
    std::unique_ptr<Engine> engine_;
    Buffer spare_;
};

}  // namespace quern::http

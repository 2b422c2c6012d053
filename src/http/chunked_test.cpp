// SPDX-License-Identifier: Apache-2.0
#include "http/chunked.h"

#include <optional>
#include <string>

#include <gtest/gtest.h>

namespace quern::http {
namespace {

struct Decoded {
    int status = 0;  // 200 done, 0 more, else refused
    std::string body;
    std::size_t consumed = 0;
    bool operator==(Decoded const&) const = default;
};

Decoded decode(std::string_view input, std::size_t first, std::uint64_t body_max = 1000) {
    ChunkedDecoder decoder;
    decoder.reset(body_max);
    Buffer output;
    Decoded result;
    for (std::string_view const piece : {input.substr(0, first), input.substr(first)}) {
        auto const progress = decoder.decode(piece, output);
        result.consumed += progress.consumed;
        if (progress.outcome == ChunkedDecoder::Outcome::more) continue;
        result.status = progress.outcome == ChunkedDecoder::Outcome::done ? 200 : decoder.error().status;
        break;
    }
    result.body = output.view();
    return result;
}

// The outcome, which is the same wherever the input is cut.
Decoded decode_everywhere(std::string_view input, std::uint64_t body_max = 1000) {
    Decoded const whole = decode(input, input.size(), body_max);
    for (std::size_t cut = 0; cut < input.size(); ++cut) {
        EXPECT_EQ(decode(input, cut, body_max), whole) << input << " cut at " << cut;
    }
    return whole;
}

TEST(Chunked, LeavesWhatFollows) {
    Decoded const result =
        decode_everywhere("3\r\nabc\r\nA;x=\"\\\"\"\r\n0123456789\r\n00\r\nX: y\r\n\r\nGET /");
    EXPECT_EQ(result.status, 200);
    EXPECT_EQ(result.body, "abc0123456789");
    EXPECT_EQ(result.consumed,
              std::string_view("3\r\nabc\r\nA;x=\"\\\"\"\r\n0123456789\r\n00\r\nX: y\r\n\r\n").size());
}

TEST(FieldReport, HTTP_04_ChunkSizesAreStrict) {
    for (std::string_view const bad : {"0x1\r\na\r\n0\r\n\r\n",
                                       "0_0\r\n\r\n",
                                       "-1\r\n",
                                       "\r\n",
                                       "G\r\n",
                                       " 1\r\na\r\n",
                                       "1 \r\na\r\n",
                                       "1\na\r\n",
                                       "1;\r\na\r\n",
                                       "1; ext\r\na\r\n",
                                       "1;ext=\r\na\r\n",
                                       "1;e=\"a\r\n",
                                       "1\r\naXX0\r\n\r\n",
                                       "2\r\na\r\n0\r\n\r\n",
                                       "0\r\nXX\r\n\r\n",
                                       "0\r\n: v\r\n\r\n",
                                       "0\r\nContent-Length: 1\r\n\r\n",
                                       "0\r\nTRANSFER-ENCODING: x\r\n\r\n",
                                       "0\r\nHost: a\r\n\r\n",
                                       "0\r\n\rX",
                                       "0\r\n\n"}) {
        EXPECT_EQ(decode_everywhere(bad).status, 400) << bad;
    }
    EXPECT_EQ(decode_everywhere("FFFFFFFFFFFFFFFFFF\r\n").status, 413);
    EXPECT_EQ(decode_everywhere("1;ext=a\r\na\r\n0\r\n\r\n").body, "a");
    EXPECT_EQ(decode_everywhere("1\r\na\r\n0\r\n").status, 0);
}

TEST(Chunked, LimitsAreExact) {
    EXPECT_EQ(decode_everywhere("5\r\nhello\r\n0\r\n\r\n", 5).status, 200);
    EXPECT_EQ(decode_everywhere("5\r\nhello\r\n1\r\n", 5).status, 413);
    EXPECT_EQ(decode_everywhere("6\r\n", 5).status, 413);
    auto const size_line = [](std::size_t bytes) { return std::string(bytes - 1, '0') + "0\r\n\r\n"; };
    EXPECT_EQ(decode_everywhere(size_line(limits::chunk_line_bytes)).status, 200);
    EXPECT_EQ(decode_everywhere(size_line(limits::chunk_line_bytes + 1)).status, 400);
    auto const trailers = [](std::size_t bytes) {
        return "0\r\nX: " + std::string(bytes - 7, 'v') + "\r\n\r\n";
    };
    EXPECT_EQ(decode(trailers(limits::trailer_section_bytes), 9).status, 200);
    EXPECT_EQ(decode(trailers(limits::trailer_section_bytes + 1), 9).status, 431);
}

TEST(Chunked, ManySmallChunksTakeOnlyWhatTheyBring) {
    ChunkedDecoder decoder;
    decoder.reset(1'000'000);
    Buffer output;
    std::string chunks;
    for (int i = 0; i < 10'000; ++i) chunks += "1\r\nx\r\n";
    for (int i = 0; i < 50; ++i)
        ASSERT_EQ(decoder.decode(chunks, output).outcome, ChunkedDecoder::Outcome::more);
    EXPECT_EQ(output.size(), 500'000U);
    EXPECT_LE(output.capacity(), 1U << 20);
}

}  // namespace
}  // namespace quern::http

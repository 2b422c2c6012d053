// SPDX-License-Identifier: Apache-2.0
//
// The corpus against the reader alone, without sockets: whole, byte by byte, and cut in two at every
// position.

#include <gtest/gtest.h>

#include "corpus.h"
#include "http/reader.h"

namespace quern::http {
namespace {

struct Outcome {
    std::vector<corpus::ParsedRequest> requests;
    int refused = 0;          // the status, 0 when nothing was refused
    bool unfinished = false;  // bytes of another request are left
    bool stopped = false;     // a request said that it is the last
    bool operator==(Outcome const&) const = default;
};

// What a connection does with its bytes, piece by piece.
class Stream {
public:
    void piece(std::string_view bytes) {
        while (!bytes.empty() && outcome_.refused == 0 && !outcome_.stopped) {
            auto const progress = reader_.feed(bytes, limits::body_bytes);
            bytes.remove_prefix(progress.consumed);
            if (progress.outcome == RequestReader::Outcome::more) return;
            if (progress.outcome == RequestReader::Outcome::complete)
                take();
            else
                outcome_.refused = reader_.error().status;
        }
    }
    Outcome end() {
        outcome_.unfinished = outcome_.refused == 0 && !outcome_.stopped && reader_.started();
        return outcome_;
    }

private:
    void take() {
        Request request;
        if (!reader_.build(request, arena_)) {
            outcome_.refused = reader_.error().status;
            return;
        }
        outcome_.requests.push_back(
            {std::string(name(request.method)), std::string(request.target), std::string(request.body)});
        outcome_.stopped = !reader_.head().keep_alive;
        reader_.reset();
    }

    RequestReader reader_;
    Arena arena_;
    Outcome outcome_;
};

Outcome in_pieces(std::string_view bytes, std::size_t first, std::size_t then) {
    Stream stream;
    stream.piece(bytes.substr(0, first));
    for (std::size_t i = first; i < bytes.size(); i += then) stream.piece(bytes.substr(i, then));
    return stream.end();
}

Outcome whole(std::string_view bytes) { return in_pieces(bytes, bytes.size(), 1); }

// Cuts of large cases are tried at every so many positions: they are large by repeating one byte.
std::size_t stride(std::string_view bytes) { return bytes.size() <= 2048 ? 1 : 61; }

TEST(CorpusReader, EveryCaseHasTheOutcomeItAsksFor) {
    for (auto const& test : corpus::load()) {
        SCOPED_TRACE(test.id);
        Outcome const outcome = whole(test.bytes);
        if (test.accept) {
            EXPECT_EQ(outcome.refused, 0);
            EXPECT_FALSE(outcome.unfinished);
            EXPECT_EQ(outcome.requests.size(), test.responses);
            EXPECT_EQ(outcome.requests, test.parsed);
            continue;
        }
        EXPECT_EQ(outcome.requests.size(), test.responses - 1);
        if (outcome.refused != 0)
            EXPECT_TRUE(test.status.contains(outcome.refused)) << outcome.refused;
        else
            EXPECT_TRUE(outcome.unfinished && test.half_close);
    }
}

TEST(CorpusReader, WhereTheBytesAreCutChangesNothing) {
    std::size_t cuts = 0;
    for (auto const& test : corpus::load()) {
        SCOPED_TRACE(test.id);
        Outcome const expected = whole(test.bytes);
        auto const same = [&](Outcome const& outcome) {
            // A refusal may come at the end of the stream instead of at the byte, when no line has ended
            // since.
            if (test.half_close && outcome.unfinished && expected.refused != 0)
                return outcome.requests == expected.requests;
            return outcome == expected;
        };
        EXPECT_TRUE(same(in_pieces(test.bytes, 0, 1))) << "byte by byte";
        for (std::size_t cut = 1; cut < test.bytes.size(); cut += stride(test.bytes)) {
            ++cuts;
            ASSERT_TRUE(same(in_pieces(test.bytes, cut, test.bytes.size()))) << "cut at " << cut;
        }
        for (std::size_t piece : {2U, 3U, 7U, 16U, 17U, 64U}) {
            ASSERT_TRUE(same(in_pieces(test.bytes, piece, piece))) << "pieces of " << piece;
        }
    }
    EXPECT_GT(cuts, 15'000U);
}

}  // namespace
}  // namespace quern::http

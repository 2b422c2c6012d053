// SPDX-License-Identifier: Apache-2.0
#include "app/load_response.h"

#include <gtest/gtest.h>

#include <string>

namespace quern::app {
namespace {

using State = LoadResponseReader::State;

// Reads `text` in pieces of that size. Gives the state at its end, and what is left of it.
std::pair<State, std::string> read(LoadResponseReader& reader, std::string_view text, std::size_t piece) {
    State state = State::more;
    while (!text.empty() && state == State::more) {
        std::string_view some = text.substr(0, piece);
        std::size_t const before = some.size();
        state = reader.read(some);
        text.remove_prefix(before - some.size());
    }
    return {state, std::string(text)};
}

TEST(LoadResponse, FindsTheEndWhereverItIsCut) {
    struct Case {
        std::string text;
        int status;
        bool keeps;
    };
    for (auto const& [text, status, keeps] :
         {Case{"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 200, true},
          Case{"HTTP/1.1 404 Not Found\r\ncontent-length:0\r\nConnection: close\r\n\r\n", 404, false},
          Case{"HTTP/1.1 204 No Content\r\n\r\n", 204, true},
          Case{"HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", 304, true},
          Case{"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok", 201, true},
          Case{"HTTP/1.1 200 OK\r\nTransfer-Encoding: "
               "chunked\r\n\r\n5;x=y\r\nhello\r\na\r\n0123456789\r\n0\r\n"
               "Trailer: x\r\n\r\n",
               200, true}}) {
        for (std::size_t const piece : {std::size_t{1}, std::size_t{2}, std::size_t{7}, text.size() + 9}) {
            LoadResponseReader reader;
            reader.start(false);
            EXPECT_TRUE(reader.is_untouched());
            auto const [state, rest] = read(reader, text + "HTTP/1.1", piece);
            EXPECT_EQ(state, State::complete) << text;
            EXPECT_EQ(rest, "HTTP/1.1") << "what follows is the next answer's";
            EXPECT_EQ(reader.status(), status);
            EXPECT_EQ(reader.keeps_connection(), keeps);
        }
    }
}

TEST(LoadResponse, AnAnswerToHeadHasNoBody) {
    LoadResponseReader reader;
    reader.start(true);
    EXPECT_EQ(read(reader, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", 100).first, State::complete);
}

TEST(LoadResponse, ABodyWithoutLengthEndsWithTheConnection) {
    LoadResponseReader reader;
    reader.start(false);
    EXPECT_EQ(read(reader, "HTTP/1.1 200 OK\r\n\r\nsome bytes", 100).first, State::more);
    EXPECT_EQ(reader.closed(), State::complete);
    EXPECT_FALSE(reader.keeps_connection());

    reader.start(false);
    EXPECT_EQ(read(reader, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nsome", 100).first, State::more);
    EXPECT_FALSE(reader.is_untouched());
    EXPECT_EQ(reader.closed(), State::broken);
}

TEST(LoadResponse, RefusesWhatIsNoAnswer) {
    for (std::string const text :
         {"HTTP/1.0 200 OK\r\n\r\n", "hello\r\n\r\n", "HTTP/1.1 2x0 OK\r\n\r\n",
          "HTTP/1.1 200\r\nno colon\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n"}) {
        LoadResponseReader reader;
        reader.start(false);
        EXPECT_EQ(read(reader, text, 3).first, State::broken) << text;
    }
    LoadResponseReader reader;
    reader.start(false);
    EXPECT_EQ(read(reader, std::string(LoadResponseReader::head_bytes_max + 1, 'x'), 1000).first,
              State::broken);
}

}  // namespace
}  // namespace quern::app

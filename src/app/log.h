// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the running program tells its operator, on standard error: events, failed and slow requests, and every
// request where asked for.
//
//   2026-11-30 06:00:00.123Z info  Quern is serving ./data on http://127.0.0.1:8090 (1 loop, durable)
//   {"time":"2026-11-30T06:00:00.123Z","level":"info","message":"Quern is serving …"}
//
// Lines are handed to a thread of the log's own through a bounded queue. When it is full the oldest lines are
// lost and counted: a slow terminal never holds up a request. Whatever comes from outside is printed with its
// control characters escaped, so that nobody writes lines or colours of their own into the log.
//
// This is the one global thing of the program: start() is called once, by the program's own top function.

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include <quern/http.h>
#include "api/service.h"
#include "os/clock.h"

namespace quern::app::log {

// Lines waiting to be written.
inline constexpr std::size_t queue_lines_max = 8192;
// A request that takes longer is logged as a warning.
inline constexpr std::int64_t slow_request_us = 1'000'000;
// More of a request's target is not shown.
inline constexpr std::size_t target_bytes_max = 1024;

struct Options {
    bool json = false;    // a JSON object a line, for machines
    bool access = false;  // every request
};

enum class Level : std::uint8_t { info, warn, error };

// Before it, lines are written at once, as text. Call once.
void start(Options options);

// Threads: any. Cost: a formatted line and a place in the queue.
void write(Level level, std::string_view message);

template <class... Arguments>
void info(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(Level::info, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void warn(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(Level::warn, fmt::format(format, std::forward<Arguments>(arguments)...));
}
template <class... Arguments>
void error(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    write(Level::error, fmt::format(format, std::forward<Arguments>(arguments)...));
}

// Waits until what was logged so far is written, at most two seconds. Tells if lines were lost.
void flush();
// Lines lost so far because the queue was full.
[[nodiscard]] std::uint64_t lost_lines();

// Logs requests: those with a status of 500 or more and slow ones always, the others with Options::access.
// Threads: any. Cost: about 30 ns for a request that is not logged.
class AccessLog final : public api::RequestObserver {
public:
    explicit AccessLog(os::Clock const& clock) : clock_(clock) {}
    void answered(http::Exchange const& exchange) override;

private:
    os::Clock const& clock_;
};

// The parts that start() puts together, each to be tested alone.

// `text` for a line of text: control characters as \xNN, ill-formed UTF-8 as U+FFFD.
[[nodiscard]] std::string escape_controls(std::string_view text);
// A request's target as it may be shown: without the values of tokens, cut at target_bytes_max.
[[nodiscard]] std::string shown_target(std::string_view target);

struct RequestFacts {
    std::string_view method;
    std::string_view target;
    int status = 0;
    std::int64_t duration_us = 0;
    std::size_t bytes = 0;  // of the answer's body
    std::string_view peer;
};
[[nodiscard]] std::string request_text(RequestFacts const& facts);
// The members of a JSON object, without its braces.
[[nodiscard]] std::string request_members(RequestFacts const& facts);

}  // namespace quern::app::log

// SPDX-License-Identifier: Apache-2.0
#include "app/log.h"

#include <spdlog/async_logger.h>
#include <spdlog/details/thread_pool.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_color_sinks.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <thread>

#include <quern/assert.h>
#include <quern/buffer.h>
#include <quern/json_writer.h>
#include "base/text.h"

namespace quern::app::log {

namespace {

constexpr std::chrono::milliseconds flush_wait_max{2'000};

constexpr char const* text_pattern = "%Y-%m-%d %H:%M:%S.%eZ %^%-7l%$ %v";
// The message is made of JSON members already.
constexpr char const* json_pattern = R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})";

// Passes lines on and counts them, so that flush() knows when all are out.
class CountingSink final : public spdlog::sinks::sink {
public:
    void log(spdlog::details::log_msg const& message) override {
        inner_.log(message);
        written_.fetch_add(1, std::memory_order_release);
    }
    void flush() override { inner_.flush(); }
    void set_pattern(std::string const& pattern) override { inner_.set_pattern(pattern); }
    void set_formatter(std::unique_ptr<spdlog::formatter> formatter) override {
        inner_.set_formatter(std::move(formatter));
    }
    [[nodiscard]] std::uint64_t written() const { return written_.load(std::memory_order_acquire); }

private:
    spdlog::sinks::stderr_color_sink_mt inner_;  // colours on a terminal, none elsewhere
    std::atomic<std::uint64_t> written_ = 0;
};

struct Log {
    explicit Log(Options chosen)
        : options(chosen),
          sink(std::make_shared<CountingSink>()),
          pool(std::make_shared<spdlog::details::thread_pool>(queue_lines_max, 1)),
          logger(std::make_shared<spdlog::async_logger>("quern", sink, pool,
                                                        spdlog::async_overflow_policy::overrun_oldest)) {
        logger->set_formatter(std::make_unique<spdlog::pattern_formatter>(
            options.json ? json_pattern : text_pattern, spdlog::pattern_time_type::utc));
    }

    Options options;
    std::shared_ptr<CountingSink> sink;
    std::shared_ptr<spdlog::details::thread_pool> pool;
    std::shared_ptr<spdlog::async_logger> logger;
    std::atomic<std::uint64_t> posted = 0;
};

// Never destroyed: threads may log until the process is gone.
std::atomic<Log*> started = nullptr;

spdlog::level::level_enum spdlog_level(Level level) {
    switch (level) {
    case Level::info: return spdlog::level::info;
    case Level::warn: return spdlog::level::warn;
    case Level::error: break;
    }
    return spdlog::level::err;
}

void post(Log& log, Level level, std::string_view line) {
    log.posted.fetch_add(1, std::memory_order_relaxed);
    log.logger->log(spdlog_level(level), spdlog::string_view_t(line.data(), line.size()));
}

// Whether a character could steer a terminal: C0, DEL, C1.
bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }

std::string message_member(std::string_view message) {
    Buffer output;
    output.append("\"message\":");
    json::append_string(output, message);
    return std::string(output.view());
}

}  // namespace

void start(Options options) {
    QUERN_ASSERT(started.load() == nullptr, "the log is started once");
    started.store(std::make_unique<Log>(options).release());
}

void write(Level level, std::string_view message) {
    Log* const log = started.load(std::memory_order_acquire);
    if (log == nullptr) {
        fmt::print(stderr, "{}\n", escape_controls(message));
        return;
    }
    post(*log, level, log->options.json ? message_member(message) : escape_controls(message));
}

void flush() {
    Log* const log = started.load(std::memory_order_acquire);
    if (log == nullptr) return;
    std::uint64_t const lost = lost_lines();
    if (lost > 0) warn("{} lines of the log were lost because they came too fast.", lost);
    constexpr std::chrono::milliseconds pause(1);
    std::uint64_t const target = log->posted.load();
    for (std::chrono::milliseconds waited(0); waited < flush_wait_max; waited += pause) {
        if (log->sink->written() + lost_lines() >= target) break;
        std::this_thread::sleep_for(pause);
    }
    log->sink->flush();
}

std::uint64_t lost_lines() {
    Log* const log = started.load(std::memory_order_acquire);
    return log == nullptr ? 0 : log->pool->overrun_counter();
}

void AccessLog::answered(http::Exchange const& exchange) {
    Log* const log = started.load(std::memory_order_acquire);
    if (log == nullptr) return;
    std::int64_t const duration_us = clock_.monotonic_us() - exchange.started_us;
    bool const failed = exchange.response.status >= 500;
    bool const slow = duration_us >= slow_request_us;
    if (!failed && !slow && !log->options.access) return;

    std::string const target = shown_target(exchange.request.target);
    RequestFacts const facts{.method = http::name(exchange.request.method),
                             .target = target,
                             .status = exchange.response.status,
                             .duration_us = duration_us,
                             .bytes = exchange.response.body.size(),
                             .peer = exchange.request.peer_address};
    Level const level = failed ? Level::error : slow ? Level::warn : Level::info;
    post(*log, level, log->options.json ? request_members(facts) : request_text(facts));
}

std::string escape_controls(std::string_view text) {
    std::string escaped;
    escaped.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        char32_t const c = next_code_point(text, at);
        if (is_control(c)) {
            escaped += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(c));
        } else {
            append_utf8(escaped, c);
        }
    }
    return escaped;
}

std::string shown_target(std::string_view target) {
    // Of a file's or a socket's address the token is as good as a password.
    constexpr std::array<std::string_view, 2> before_token = {"?token=", "&token="};
    std::string shown(target.substr(0, target_bytes_max));
    for (std::string_view const name : before_token) {
        for (std::size_t at = shown.find(name); at != std::string::npos; at = shown.find(name, at)) {
            at += name.size();
            shown.replace(at, std::min(shown.find('&', at), shown.size()) - at, "...");
        }
    }
    if (target.size() > target_bytes_max) shown += "...";
    return shown;
}

std::string request_text(RequestFacts const& facts) {
    return fmt::format("{} {} {} {:.1f} ms {} B {}", facts.method, escape_controls(facts.target),
                       facts.status, static_cast<double>(facts.duration_us) / 1000, facts.bytes,
                       escape_controls(facts.peer));
}

std::string request_members(RequestFacts const& facts) {
    Buffer output;
    json::Writer writer(output);
    writer.begin_object();
    writer.member("method", facts.method);
    writer.member("target", facts.target);
    writer.member("status", facts.status);
    writer.member("durationUs", facts.duration_us);
    writer.member("bytes", static_cast<std::int64_t>(facts.bytes));
    writer.member("peer", facts.peer);
    writer.end_object();
    return std::string(output.view().substr(1, output.size() - 2));
}

}  // namespace quern::app::log

// SPDX-License-Identifier: Apache-2.0
#pragma once

// `quern load URL`: asks a server of HTTP as fast as it answers, or at a fixed rate, and tells what came of
// it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace quern::app {

inline constexpr std::size_t load_connections_max = 20'000;
inline constexpr std::size_t load_threads_max = 64;
inline constexpr double load_seconds_max = 3600;
inline constexpr std::size_t load_body_bytes_max = std::size_t{64} << 20;

struct LoadOptions {
    std::string url;
    std::size_t connections = 64;
    std::size_t threads = 1;
    double seconds = 10;
    double warm_up_seconds = 1;
    double timeout_seconds = 10;
    double rate = 0;  // requests a second of all threads; 0: back to back
    std::string method = "GET";
    std::vector<std::string> headers;
    std::string body;  // or @FILE
    std::uint64_t keys = 1;
    std::uint64_t seed = 1;
    bool json = false;
};

// Runs the load and reports: progress on standard error, the result on standard output.
// Returns the process's exit code: 0 when every answer was 2xx, 1 when some were not or did not come, 2 when
// nothing could begin.
[[nodiscard]] int run_load(LoadOptions const& options);

// Declares the subcommand. Lifetime: `options` is filled when the command line is parsed.
CLI::App* add_load(CLI::App& app, LoadOptions& options);

}  // namespace quern::app

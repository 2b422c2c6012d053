// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server as a program: every room wired by hand, then run until a signal ends it.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

namespace quern::app {

inline constexpr std::size_t batch_max_limit = 8192;  // as many as may wait

struct ServeOptions {
    std::filesystem::path directory = "./data";
    std::string address = "127.0.0.1:8090";  // HOST:PORT, [IPV6]:PORT or :PORT
    std::size_t loops = 0;                   // event loops; 0 = one a processor
    bool pin_loops = false;
    bool shared = true;    // let other processes open the file while the server runs
    bool relaxed = false;  // synchronous=NORMAL: power loss may take the last writes
    std::size_t batch_max = 256;  // most writes of one commit
    bool log_json = false;
    bool access_log = false;
};

// Serves until SIGTERM or SIGINT. Returns the process's exit code.
[[nodiscard]] int run_serve(ServeOptions const& options);

}  // namespace quern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// SIGTERM and SIGINT as a plain callback on a thread of its own.

#include <cstddef>
#include <functional>
#include <memory>

#include <quern/error.h>

namespace quern::os {

// Lets this process survive writes to closed sockets and pipes: SIGPIPE is ignored.
void ignore_broken_pipes();

inline constexpr std::size_t stop_signals_max = 16;

// While one lives, SIGTERM and SIGINT call `on_stop` instead of ending the process, whichever thread they
// reach and whenever that was started. With several, each is told. A third signal ends the process at once,
// for the impatient.
//
// Limits:  stop_signals_max at a time.
// Threads: any; `on_stop` runs on a thread of this object, never inside a signal handler.
class StopSignals {
public:
    // Errors: io — no descriptors left, or too many alive.
    [[nodiscard]] static Result<std::unique_ptr<StopSignals>> create(
        std::move_only_function<void(int)> on_stop);
    virtual ~StopSignals() = default;
};

}  // namespace quern::os

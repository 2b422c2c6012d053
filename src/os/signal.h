// SPDX-License-Identifier: Apache-2.0
#pragma once

// SIGTERM and SIGINT as a plain callback on a thread of its own.

#include <functional>
#include <memory>

#include <quern/error.h>

namespace quern::os {

// Lets this process survive writes to closed sockets and pipes: SIGPIPE is ignored.
void ignore_broken_pipes();

// While it lives, SIGTERM and SIGINT call `on_stop` instead of ending the process. A third signal ends the
// process at once, for the impatient.
//
// Make it in main before any other thread starts: threads started later inherit the blocked signals.
// Threads: `on_stop` runs on a thread of this object, never inside a signal handler.
class StopSignals {
public:
    // Errors: io — no descriptors left.
    [[nodiscard]] static Result<std::unique_ptr<StopSignals>> create(
        std::move_only_function<void(int)> on_stop);
    virtual ~StopSignals() = default;
};

}  // namespace quern::os

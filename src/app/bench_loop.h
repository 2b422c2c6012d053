// SPDX-License-Identifier: Apache-2.0
#pragma once

// Closed loops on one thread: whatever is asked, the time is taken in the same way.

#include <cstddef>
#include <cstdint>
#include <vector>

#include <quern/error.h>
#include "app/bench_measure.h"

namespace quern::app {

struct LoopTimes {
    BenchTimes times;
    std::int64_t begin_ns = 0;  // of what is counted
    std::int64_t end_ns = 0;
};

// Runs turns for the time of `run`: each calls ask() once for each caller, then end_turn(). warm_up() runs
// before that, and is not counted.
// Errors: that of the first ask() that fails; interrupted — the run was stopped.
template <class WarmUp, class Ask, class EndTurn>
[[nodiscard]] Result<LoopTimes> run_loop(BenchRun const& run, std::size_t callers, WarmUp warm_up, Ask ask,
                                         EndTurn end_turn) {
    QUERN_CHECK(warm_up());
    LoopTimes loop;
    loop.begin_ns = run.clock.monotonic_ns();
    std::int64_t const until_ns = loop.begin_ns + run.seconds_ns();
    std::vector<std::int64_t> last_ns(callers, loop.begin_ns);
    std::int64_t now_ns = loop.begin_ns;
    while (now_ns < until_ns) {
        QUERN_CHECK(run.check_stopped());
        for (std::size_t caller = 0; caller < callers; ++caller) {
            QUERN_CHECK(ask());
            now_ns = run.clock.monotonic_ns();
            loop.times.add_ns(now_ns - last_ns[caller]);
            last_ns[caller] = now_ns;
        }
        end_turn();
    }
    loop.end_ns = now_ns;
    return loop;
}

}  // namespace quern::app

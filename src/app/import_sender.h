// SPDX-License-Identifier: Apache-2.0
#pragma once

// Records on their way to the server, many at once.
//
// Connections are kept and used again. A record counts as imported only after its 200. When a connection is
// lost before the answer, the record may or may not be there: that is reported as unknown and the record is
// not sent again. What certainly was not done is tried again: a server that says 429 or 503 is left alone for
// the time it asks for, and one that cannot be reached for a while too.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "app/import_client.h"
#include "os/clock.h"

namespace quern::app {

// Tries of one record before the server is called busy, or unreachable.
inline constexpr int import_attempts_max = 10;
// Pauses between tries: this long after the first, doubling each time, at most the second.
inline constexpr std::int64_t import_pause_us = 100'000;
inline constexpr std::int64_t import_pause_us_max = 30'000'000;

struct MultiDelete {
    void operator()(CURLM* multi) const { curl().multi_cleanup(multi); }
};

// How a record ended.
enum class Delivery : std::uint8_t {
    imported,
    refused,   // the server said no
    unknown,   // sent, but the answer never came
    not_sent,  // the run ended early
};
struct Delivered {
    std::string_view place;  // as given to send()
    Delivery delivery = Delivery::imported;
    std::string text;  // why, unless imported
};

// Creates records of one collection. Threads: one at a time.
class RecordSender {
public:
    // `told` hears of every record once, during send() and finish().
    // Lifetime: borrows `clock`.
    RecordSender(ApiTarget const& target, std::string_view collection, std::size_t concurrency,
                 os::Clock const& clock, std::function<void(Delivered const&)> told);
    ~RecordSender();
    RecordSender(RecordSender const&) = delete;
    RecordSender& operator=(RecordSender const&) = delete;

    // Takes a record; `place` says where it came from. Blocks while as many as allowed are in flight.
    // Errors: forbidden, not_found — the server will take none of these records; io — it cannot be reached.
    //         The record was not sent, and no later one will be.
    [[nodiscard]] Result<void> send(std::string_view place, std::string_view json);

    // Waits for everything in flight. Errors: as send().
    [[nodiscard]] Result<void> finish();

private:
    struct Slot;

    void start(Slot& slot);
    // Moves bytes and takes finished answers; waits up to `wait_ms` when there are none.
    void step(int wait_ms);
    void take_finished();
    void finished(Slot& slot, CURLcode code);
    void answered(Slot& slot, long status);
    void failed(Slot& slot, CURLcode code);
    void try_again(Slot& slot, std::int64_t asked_us, std::string_view why);
    void restart_waiting();
    void tell(Slot& slot, Delivery delivery, std::string text);
    void end_early(Error error);
    // Until the pause is over, in whole milliseconds, at most `most`.
    [[nodiscard]] int pause_ms(int most) const;

    os::Clock const& clock_;
    std::function<void(Delivered const&)> told_;
    HeaderList headers_;
    std::vector<std::unique_ptr<Slot>> slots_;
    std::vector<Slot*> free_;
    std::vector<Slot*> waiting_;  // to be tried again when the pause is over
    std::size_t in_flight_ = 0;
    std::int64_t resume_at_us_ = 0;  // nothing is started before
    Result<void> ended_;             // why the run ended early
    std::unique_ptr<CURLM, MultiDelete> multi_;
};

}  // namespace quern::app

// SPDX-License-Identifier: Apache-2.0
#include <quern/timestamp.h>

#include "schema/date.h"

namespace quern {

static_assert(timestamp_min.time_since_epoch().count() == date_min_ms);
static_assert(timestamp_max.time_since_epoch().count() == date_max_ms);

std::optional<Timestamp> parse_timestamp(std::string_view text) {
    auto const unix_ms = parse_date(text);
    if (!unix_ms) return std::nullopt;
    return Timestamp(std::chrono::milliseconds(*unix_ms));
}

std::string timestamp_text(Timestamp moment) { return format_date(moment.time_since_epoch().count()); }

}  // namespace quern

// SPDX-License-Identifier: Apache-2.0
// expect: default_to: the value is not of the member's type
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    int year = 0;
    static constexpr auto model =
        quern::model<"wrong">(quern::key<&Wrong::id>, quern::default_to<&Wrong::year>("x"));
};
QUERN_DESCRIBE(Wrong, id, year)

auto const& fails = quern::table_info<Wrong>();

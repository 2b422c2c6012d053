// SPDX-License-Identifier: Apache-2.0
// expect: references: the other struct is no model
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    std::int64_t author = 0;
    static constexpr auto model =
        quern::model<"wrong">(quern::key<&Wrong::id>, quern::references<&Wrong::author, Summary>());
};
QUERN_DESCRIBE(Wrong, id, author)

auto const& fails = quern::table_info<Wrong>();

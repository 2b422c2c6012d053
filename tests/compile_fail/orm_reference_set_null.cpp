// SPDX-License-Identifier: Apache-2.0
// expect: references: set_null needs a std::optional member
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    std::int64_t author = 0;
    static constexpr auto model = quern::model<"wrong">(
        quern::key<&Wrong::id>, quern::references<&Wrong::author, Author>(quern::OnDelete::set_null));
};
QUERN_DESCRIBE(Wrong, id, author)

auto const& fails = quern::table_info<Wrong>();

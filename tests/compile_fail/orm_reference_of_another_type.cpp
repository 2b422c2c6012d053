// SPDX-License-Identifier: Apache-2.0
// expect: references: the member is not of the type of the key
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    int author = 0;
    static constexpr auto model =
        quern::model<"wrong">(quern::key<&Wrong::id>, quern::references<&Wrong::author, Author>());
};
QUERN_DESCRIBE(Wrong, id, author)

auto const& fails = quern::table_info<Wrong>();

// SPDX-License-Identifier: Apache-2.0
// expect: key: a key is never null
#include "orm_models.h"

struct Wrong {
    std::optional<int> id;
    static constexpr auto model = quern::model<"wrong">(quern::key<&Wrong::id>);
};
QUERN_DESCRIBE(Wrong, id)

auto const& fails = quern::table_info<Wrong>();

// SPDX-License-Identifier: Apache-2.0
// expect: a member of a model cannot be stored
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    std::vector<int> list;
    static constexpr auto model = quern::model<"wrong">(quern::key<&Wrong::id>);
};
QUERN_DESCRIBE(Wrong, id, list)

auto const& fails = quern::table_info<Wrong>();

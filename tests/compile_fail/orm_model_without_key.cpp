// SPDX-License-Identifier: Apache-2.0
// expect: a model has one key
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    static constexpr auto model = quern::model<"wrong">();
};
QUERN_DESCRIBE(Wrong, id)

auto const& fails = quern::table_info<Wrong>();

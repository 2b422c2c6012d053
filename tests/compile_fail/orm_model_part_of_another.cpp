// SPDX-License-Identifier: Apache-2.0
// expect: a part of a model names another struct
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    static constexpr auto model =
        quern::model<"wrong">(quern::key<&Wrong::id>, quern::indexed<&Author::name>);
};
QUERN_DESCRIBE(Wrong, id)

auto const& fails = quern::table_info<Wrong>();

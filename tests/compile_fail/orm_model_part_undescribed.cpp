// SPDX-License-Identifier: Apache-2.0
// expect: a part of a model names a member that is not described
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    int hidden = 0;
    static constexpr auto model =
        quern::model<"wrong">(quern::key<&Wrong::id>, quern::indexed<&Wrong::hidden>);
};
QUERN_DESCRIBE(Wrong, id)

auto const& fails = quern::table_info<Wrong>();

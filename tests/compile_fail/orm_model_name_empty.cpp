// SPDX-License-Identifier: Apache-2.0
// expect: model: the table's name is empty
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    static constexpr auto model = quern::model<"">(quern::key<&Wrong::id>);
};

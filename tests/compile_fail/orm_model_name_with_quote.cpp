// SPDX-License-Identifier: Apache-2.0
// expect: model: a table's name holds no quote
#include "orm_models.h"

struct Wrong {
    std::int64_t id = 0;
    static constexpr auto model = quern::model<"a\"b">(quern::key<&Wrong::id>);
};

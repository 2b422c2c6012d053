// SPDX-License-Identifier: Apache-2.0
// expect: the members of the handler's Path<T> and the captures of the route pattern differ
#include <quern/app.h>
#include <quern/query.h>

struct Where {
    int id = 0;
};
QUERN_DESCRIBE(Where, id)

void use() {
    quern::App app;
    app.get<"/{name}">([](quern::Path<Where>) { return "a"; });
}

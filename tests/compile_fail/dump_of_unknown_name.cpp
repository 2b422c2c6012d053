// SPDX-License-Identifier: Apache-2.0
// expect: names something that is not a member
#include <quern/dump.h>

struct Todo {
    int age = 0;
};
QUERN_DESCRIBE(Todo, age)

void use(quern::Buffer& output) { quern::write_json(output, quern::dump(Todo{}, quern::exclude<"aged">)); }

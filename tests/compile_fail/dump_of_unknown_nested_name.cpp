// SPDX-License-Identifier: Apache-2.0
// expect: names something that is not a member
#include <quern/dump.h>

struct Tag {
    int weight = 0;
};
QUERN_DESCRIBE(Tag, weight)
struct Todo {
    std::vector<Tag> tags;
};
QUERN_DESCRIBE(Todo, tags)

void use(quern::Buffer& output) {
    quern::write_json(output, quern::dump(Todo{}, quern::include<"tags.name">));
}

// SPDX-License-Identifier: Apache-2.0
// expect: this type cannot be read from JSON
#include <quern/json.h>

struct Unknown {};
struct Todo {
    Unknown what;
};
QUERN_DESCRIBE(Todo, what)

bool use(std::string_view text, quern::Arena& arena, Todo& todo) {
    return quern::read_json(text, arena, todo).has_value();
}

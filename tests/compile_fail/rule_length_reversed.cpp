// SPDX-License-Identifier: Apache-2.0
// expect: length: the least is more than the most
#include <quern/json.h>

struct Todo {
    std::string title;
    int age = 0;
    std::vector<int> list;
    static constexpr auto rules = quern::rules(quern::on<&Todo::title>(quern::length(2, 1)));
};
QUERN_DESCRIBE(Todo, title, age)

bool use(std::string_view text, quern::Arena& arena, Todo& todo) {
    return quern::read_json(text, arena, todo).has_value();
}

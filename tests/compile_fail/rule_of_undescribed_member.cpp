// SPDX-License-Identifier: Apache-2.0
// expect: a rule is for a member that QUERN_DESCRIBE does not name
#include <quern/json.h>

struct Todo {
    std::string title;
    int age = 0;
    std::vector<int> list;
    static constexpr auto rules = quern::rules(quern::on<&Todo::list>(quern::max_length(1)));
};
QUERN_DESCRIBE(Todo, title, age)

bool use(std::string_view text, quern::Arena& arena, Todo& todo) {
    return quern::read_json(text, arena, todo).has_value();
}

// SPDX-License-Identifier: Apache-2.0
// expect: a column is not named as the struct's member at its place
#include <quern/sqlite.h>

#include <boost/describe/class.hpp>

struct Todo {
    std::int64_t id = 0;
    std::string title;
};
BOOST_DESCRIBE_STRUCT(Todo, (), (id, title))

void fails(quern::Database& db) { (void)db.query<"SELECT title, id FROM todos", Todo>(); }

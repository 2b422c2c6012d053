// SPDX-License-Identifier: Apache-2.0
// expect: a view of text or bytes dies with its row
#include <quern/sqlite.h>

#include <boost/describe/class.hpp>

struct Todo {
    std::optional<std::string_view> title;
};
BOOST_DESCRIBE_STRUCT(Todo, (), (title))

void fails(quern::Database& db) { (void)db.query_one<"SELECT title FROM todos", Todo>(); }

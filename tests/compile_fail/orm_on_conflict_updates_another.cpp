// SPDX-License-Identifier: Apache-2.0
// expect: a part of a model names another struct
#include "orm_models.h"

void fails(quern::Database& db) {
    (void)books.on_conflict<&Book::id>().update<&Author::name>().insert(db, Book());
}

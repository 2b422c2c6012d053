// SPDX-License-Identifier: Apache-2.0
// expect: on_conflict: these members are neither the key nor
#include "orm_models.h"

void fails(quern::Database& db) { (void)books.on_conflict<&Book::year>().ignore().insert(db, Book()); }

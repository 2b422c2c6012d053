// SPDX-License-Identifier: Apache-2.0
// expect: the set has outer<> fields
#include "orm_models.h"

void fails(quern::Database& db) {
    (void)books.where(field<&Book::author> == quern::outer<&Author::id>).all(db);
}

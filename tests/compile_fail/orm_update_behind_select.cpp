// SPDX-License-Identifier: Apache-2.0
// expect: update: not behind select()
#include "orm_models.h"

void fails(quern::Database& db) {
    (void)books.select(field<&Book::year>).update(db, field<&Book::year>.set(1));
}

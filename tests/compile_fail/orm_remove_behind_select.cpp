// SPDX-License-Identifier: Apache-2.0
// expect: remove: not behind select()
#include "orm_models.h"

void fails(quern::Database& db) { (void)books.select(field<&Book::year>).remove(db); }

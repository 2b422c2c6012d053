// SPDX-License-Identifier: Apache-2.0
// expect: insert_many: a contiguous range
#include "orm_models.h"

void fails(quern::Database& db) { (void)books.insert_many(db, std::vector<Author>()); }

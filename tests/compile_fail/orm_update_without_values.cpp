// SPDX-License-Identifier: Apache-2.0
// expect: update: name what is set
#include "orm_models.h"

void fails(quern::Database& db) { (void)books.query().update(db); }

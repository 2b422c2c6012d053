// SPDX-License-Identifier: Apache-2.0
// expect: update: a field of another model
#include "orm_models.h"

void fails(quern::Database& db) { (void)books.query().update(db, field<&Author::name>.set("x")); }

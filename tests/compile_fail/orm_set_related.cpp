// SPDX-License-Identifier: Apache-2.0
// expect: set: only columns of the table itself
#include "orm_models.h"

auto const fails = field<&Book::author, &Author::name>.set("x");

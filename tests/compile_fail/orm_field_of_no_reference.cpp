// SPDX-License-Identifier: Apache-2.0
// expect: field: each pointer but the last is a reference
#include "orm_models.h"

auto const fails = books.where(field<&Book::year, &Author::name> == "x");

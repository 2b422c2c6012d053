// SPDX-License-Identifier: Apache-2.0
// expect: value_of: the set selects one expression
#include "orm_models.h"

auto const fails = value_of(books.select(field<&Book::id>, field<&Book::year>));

// SPDX-License-Identifier: Apache-2.0
// expect: select: only once
#include "orm_models.h"

auto const fails = books.select(field<&Book::id>).select(field<&Book::year>);

// SPDX-License-Identifier: Apache-2.0
// expect: a condition is a comparison or a field of type bool
#include "orm_models.h"

auto const fails = books.where(field<&Book::year>);

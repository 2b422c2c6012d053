// SPDX-License-Identifier: Apache-2.0
// expect: otherwise: the value is of another kind
#include "orm_models.h"

auto const fails = quern::when(field<&Book::available>, "x").otherwise(7);

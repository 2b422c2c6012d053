// SPDX-License-Identifier: Apache-2.0
// expect: the two sides are of different kinds
#include "orm_models.h"

auto const fails = field<&Book::year> == "1979";

// SPDX-License-Identifier: Apache-2.0
// expect: an expression mixes the columns of two models
#include "orm_models.h"

auto const fails = field<&Book::year> == field<&Author::id>;

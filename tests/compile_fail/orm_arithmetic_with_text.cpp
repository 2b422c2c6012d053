// SPDX-License-Identifier: Apache-2.0
// expect: arithmetic is for numbers
#include "orm_models.h"

auto const fails = field<&Book::year> + "x";

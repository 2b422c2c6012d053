// SPDX-License-Identifier: Apache-2.0
// expect: min, max: of numbers and texts
#include "orm_models.h"

auto const fails = quern::max(field<&Book::available>);

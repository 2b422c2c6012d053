// SPDX-License-Identifier: Apache-2.0
// expect: this function is for numbers
#include "orm_models.h"

auto const fails = quern::sum(field<&Book::title>);

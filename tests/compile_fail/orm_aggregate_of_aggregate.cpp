// SPDX-License-Identifier: Apache-2.0
// expect: an aggregate is of values of the rows
#include "orm_models.h"

auto const fails = quern::sum(quern::count());

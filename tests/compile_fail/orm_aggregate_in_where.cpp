// SPDX-License-Identifier: Apache-2.0
// expect: where: aggregates belong into having()
#include "orm_models.h"

auto const fails = books.where(quern::count() > 1);

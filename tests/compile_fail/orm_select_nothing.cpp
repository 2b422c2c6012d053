// SPDX-License-Identifier: Apache-2.0
// expect: select: name at least one expression
#include "orm_models.h"

auto const fails = books.select();

// SPDX-License-Identifier: Apache-2.0
// expect: set: the column is never null
#include "orm_models.h"

auto const fails = field<&Book::year>.set(nullptr);

// SPDX-License-Identifier: Apache-2.0
// expect: set: the column is never null, but the value may be
#include "orm_models.h"

auto const fails = field<&Book::year>.set(std::optional<int>(7));

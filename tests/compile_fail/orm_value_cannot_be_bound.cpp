// SPDX-License-Identifier: Apache-2.0
// expect: a value of an expression cannot be bound
#include "orm_models.h"

auto const fails = field<&Book::year> == std::uint64_t{7};

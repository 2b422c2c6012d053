// SPDX-License-Identifier: Apache-2.0
// expect: nothing comes before or after nothing
#include "orm_models.h"

auto const fails = field<&Author::country> < nullptr;

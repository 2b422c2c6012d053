// SPDX-License-Identifier: Apache-2.0
// expect: in: nothing is in no list
#include "orm_models.h"

auto const fails = field<&Book::year>.in(std::vector<std::optional<int>>{1});

// SPDX-License-Identifier: Apache-2.0
// expect: contains, starts_with, ends_with, like and matches are for texts
#include "orm_models.h"

auto const fails = field<&Book::year>.contains("19");

// SPDX-License-Identifier: Apache-2.0
// expect: % is for whole numbers
#include "orm_models.h"

auto const fails = field<&Book::price> % 2;

// SPDX-License-Identifier: Apache-2.0
// expect: with: the member is no reference
#include "orm_models.h"

auto const fails = books.with<&Book::year>();

// SPDX-License-Identifier: Apache-2.0
// expect: with: not behind select()
#include "orm_models.h"

auto const fails = books.select(field<&Book::id>).with<&Book::author>();

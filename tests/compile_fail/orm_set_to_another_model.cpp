// SPDX-License-Identifier: Apache-2.0
// expect: set: the value is of the row itself
#include "orm_models.h"

auto const fails = field<&Book::author>.set(field<&Author::id>);

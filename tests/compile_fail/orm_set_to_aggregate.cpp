// SPDX-License-Identifier: Apache-2.0
// expect: set: neither an aggregate nor a window
#include "orm_models.h"

auto const fails = field<&Book::year>.set(quern::max(field<&Book::year>));

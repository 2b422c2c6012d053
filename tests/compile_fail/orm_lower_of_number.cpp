// SPDX-License-Identifier: Apache-2.0
// expect: this function is for texts
#include "orm_models.h"

auto const fails = quern::lower(field<&Book::year>);

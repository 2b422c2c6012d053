// SPDX-License-Identifier: Apache-2.0
// expect: Condition: neither outer fields nor aggregates
#include "orm_models.h"

auto const fails = quern::Condition<Book>(quern::count() > 1);

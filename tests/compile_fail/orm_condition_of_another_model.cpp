// SPDX-License-Identifier: Apache-2.0
// expect: Condition: the expression is over another model
#include "orm_models.h"

auto const fails = quern::Condition<Book>(field<&Author::name> == "x");

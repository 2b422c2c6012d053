// SPDX-License-Identifier: Apache-2.0
// expect: select_as: the struct has more or fewer members
#include "orm_models.h"

auto const fails = books.query().select_as<Summary>(field<&Book::title>);

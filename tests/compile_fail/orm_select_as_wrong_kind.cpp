// SPDX-License-Identifier: Apache-2.0
// expect: select_as: a member is of another kind
#include "orm_models.h"

auto const fails = books.query().select_as<Summary>(field<&Book::year>, field<&Book::title>);

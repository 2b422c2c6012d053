// SPDX-License-Identifier: Apache-2.0
// expect: or cannot be NULL where that can
#include "orm_models.h"

auto const fails = books.query().select_as<Summary>(quern::min(field<&Book::title>), field<&Book::year>);

// SPDX-License-Identifier: Apache-2.0
// expect: group_by: by values of the rows
#include "orm_models.h"

auto const fails = books.group_by(quern::count());

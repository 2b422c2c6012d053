// SPDX-License-Identifier: Apache-2.0
// expect: field: the struct has no model
#include "orm_models.h"

auto const fails =
    field<&Summary::year> == 1 || books.where(field<&Summary::year> == 1).plan().nodes().empty();

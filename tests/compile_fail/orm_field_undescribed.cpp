// SPDX-License-Identifier: Apache-2.0
// expect: field: the member is not described
#include "orm_models.h"

auto const fails = authors.where(field<&Author::hidden> == 1);

// SPDX-License-Identifier: Apache-2.0
// expect: in: the query set selects values of another kind
#include "orm_models.h"

auto const fails = field<&Book::author>.in(authors.select(field<&Author::name>));

// SPDX-License-Identifier: Apache-2.0
// expect: in: the query set selects one expression
#include "orm_models.h"

auto const fails = field<&Book::author>.in(authors.select(field<&Author::id>, field<&Author::name>));

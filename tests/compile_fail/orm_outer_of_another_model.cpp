// SPDX-License-Identifier: Apache-2.0
// expect: the expression is over another model than the query set
#include "orm_models.h"

auto const fails = authors.where(exists(authors.where(field<&Author::id> == quern::outer<&Book::author>)));

// SPDX-License-Identifier: Apache-2.0
// expect: a model is a described struct
#include "orm_models.h"

quern::Table<Summary> const summaries;
auto const fails = summaries.query();

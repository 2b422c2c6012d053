// SPDX-License-Identifier: Apache-2.0
// expect: a window within a window
#include "orm_models.h"

auto const fails = quern::window.order_by(quern::rank().over(quern::window));

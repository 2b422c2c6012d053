// SPDX-License-Identifier: Apache-2.0
#include "json/utf8.h"

#include <simdjson.h>

namespace quern::json {

bool is_well_formed(std::string_view text) { return simdjson::validate_utf8(text.data(), text.size()); }

}  // namespace quern::json

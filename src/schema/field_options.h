// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the reader of collections uses of the reader of fields, and the checks of a field's options.

#include <string>
#include <vector>

#include <quern/error.h>
#include "json/reader.h"
#include "schema/collection.h"

namespace quern {

// Lays the options that `body` names over those of `field`, whose type is set. Members of the wrong JSON type
// go into `errors` by their name.
void read_field_options(json::Node body, Field& field, std::vector<FieldError>& errors);

// Checks a field by itself: its name, and its options against each other. Errors go by the option's name.
void check_field(Field& field, std::vector<FieldError>& errors);

// Whether stored values may be carried over from one type to the other, as far as they fit.
[[nodiscard]] bool can_change_type(FieldType before, FieldType after);

// [A-Za-z_][A-Za-z0-9_]*
[[nodiscard]] bool is_identifier(std::string_view name);
[[nodiscard]] std::string to_lower(std::string_view ascii);

}  // namespace quern

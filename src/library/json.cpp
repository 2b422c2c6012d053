// SPDX-License-Identifier: Apache-2.0
#include <quern/json.h>

#include "http/media_type.h"

namespace quern::detail {

// Where the text itself is malformed, that is all there is to say.
void JsonReader::wrong_type(Place const& place, std::string_view wanted) {
    cursor.skip();
    if (!cursor.failed()) faults.add(place, "wrong_type", "Must be " + std::string(wanted) + ".");
}

bool JsonReader::text(Place const& place, std::string_view& text) {
    if (cursor.next() != json::Cursor::Kind::string) [[unlikely]] {
        wrong_type(place, "a text");
        return false;
    }
    json::Text const read = cursor.string();
    text = read.text;
    if (read.has_nul) [[unlikely]]
        faults.add(place, "forbidden_character", "Must not hold the character U+0000.");
    return !read.has_nul && !cursor.failed();
}

Result<void> check_json_type(Call& call) { return http::check_json_type(call.exchange.request); }

void add_wrong_count(Faults& faults, Place const& place, std::size_t wanted) {
    faults.add(place, "wrong_count", "Must have " + std::to_string(wanted) + " element(s).");
}

void add_invalid(Faults& faults, Place const& place, std::string_view what) {
    faults.add(place, "invalid_value", "Must be " + std::string(what) + ".");
}

void add_not_in_list(Faults& faults, Place const& place, std::string list) {
    faults.add(place, "not_in_list", "Must be one of: " + std::move(list) + ".");
}

void add_not_whole(Faults& faults, Place const& place) {
    faults.add(place, "not_whole", "Must be a whole number.");
}

void add_out_of_range(Faults& faults, Place const& place, std::string least, std::string most) {
    faults.add(place, "out_of_range", "Must be from " + std::move(least) + " to " + std::move(most) + ".");
}

void add_not_finite(Faults& faults, Place const& place) {
    faults.add(place, "out_of_range", "Must be a number that this service can hold.");
}

}  // namespace quern::detail

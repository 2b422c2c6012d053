// SPDX-License-Identifier: Apache-2.0
#pragma once

// Entity tags: which state of a record, or of a list, an answer shows.
//
// A record's tag is its version, and a hash of what else decides how the record is shown: the collection's
// last change and whether a superuser asks. It is the same whatever `fields` asks for, and the one to give in
// If-Match. Where related records are unfolded into the answer, a hash of the body follows the version, since
// they may change alone; If-Match looks at the version only. A list's tag is a hash of its body, and weak.

#include <cstdint>
#include <string_view>

#include <quern/arena.h>
#include "schema/collection.h"

namespace quern::api {

// `"VERSION-HASH"`, in the arena.
[[nodiscard]] std::string_view record_etag(std::int64_t version, Collection const& collection, bool superuser,
                                           Arena& arena);
// `"VERSION-HASH"`.
[[nodiscard]] std::string_view record_etag(std::int64_t version, std::string_view body, Arena& arena);
// `W/"HASH"`.
[[nodiscard]] std::string_view list_etag(std::string_view body, Arena& arena);

// Whether an If-None-Match header names the tag (weak comparison; `*` matches).
[[nodiscard]] bool matches_any(std::string_view header, std::string_view etag);

// Whether an If-Match header names the version of a record that exists (`*` matches every one).
[[nodiscard]] bool matches_version(std::string_view header, std::int64_t version);

}  // namespace quern::api

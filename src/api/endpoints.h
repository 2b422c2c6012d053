// SPDX-License-Identifier: Apache-2.0
#pragma once

// The endpoints that read, each the story of one request: check, plan, pour, answer.
//
// All are run again from the start on the slow pool when their budget on the loop ran out, so they write
// nothing but the response.

#include <quern/error.h>
#include "api/call.h"

namespace quern::api {

[[nodiscard]] Result<void> get_health(Call& call);
[[nodiscard]] Result<void> list_records(Call& call);
[[nodiscard]] Result<void> view_record(Call& call);
[[nodiscard]] Result<void> list_collections(Call& call);
[[nodiscard]] Result<void> view_collection(Call& call);
[[nodiscard]] Result<void> get_scaffolds(Call& call);
[[nodiscard]] Result<void> get_auth_methods(Call& call);
[[nodiscard]] Result<void> refresh_token(Call& call);

// Answers with one record as the reader sees it now, in the shape that `fields` and `expand` of the request
// ask for, with its ETag. False when there is no such record.
[[nodiscard]] Result<bool> answer_with_record(Call& call, query::Access access, std::string_view id);

// The same without the related records.
struct PlainRecord {
    bool found = false;
    bool has_related = false;  // `expand` asks for some
};
[[nodiscard]] Result<PlainRecord> answer_with_plain_record(Call& call, query::Access access,
                                                           std::string_view id);

// Turns an answer whose ETag the client already knows into a 304.
void answer_not_modified(Call& call, std::string_view known);

}  // namespace quern::api

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Forms with files: bodies of type multipart/form-data (RFC 7578).
//
//     app.post<"/avatar">([](quern::Multipart form) -> quern::Result<void> {
//         auto const* const file = form.find("file");
//         if (file == nullptr) return quern::fail(quern::ErrorCode::validation, "There is no file.");
//         return keep(file->filename, file->bytes);
//     });

#include <cstddef>
#include <span>
#include <string_view>

#include <quern/extract.h>
#include <quern/part.h>

namespace quern {

// All parts of a form, in the order sent. Names may repeat.
// Lifetime: the request's. Limits: http::MultipartLimits with its defaults, else 413.
struct Multipart {
    std::span<http::Part const> parts;

    // The first part of that name; null when there is none.
    [[nodiscard]] http::Part const* find(std::string_view name) const {
        for (http::Part const& part : parts) {
            if (part.name == name) return &part;
        }
        return nullptr;
    }
};

// Errors: unsupported_media_type — the body is called something else; body_invalid — malformed; too_large.
template <>
struct Extract<Multipart> {
    static constexpr bool takes_body_whole = true;
    static Result<Multipart> from(Call& call);
    static void describe(openapi::Operation& operation);
};

}  // namespace quern

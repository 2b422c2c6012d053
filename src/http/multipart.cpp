// SPDX-License-Identifier: Apache-2.0
#include "http/multipart.h"

#include <algorithm>
#include <memory>
#include <string>

#include "base/text.h"
#include "http/byte_class.h"

namespace quern::http {

namespace {

constexpr std::string_view line_end = "\r\n";
constexpr std::size_t boundary_bytes_max = 70;  // RFC 2046, 5.1.1

bool is_boundary(std::string_view text) {
    constexpr std::string_view more = "'()+_,-./:=? ";
    auto const fits = [&](char c) {
        return is(c, digit_byte) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               more.find(c) != std::string_view::npos;
    };
    return !text.empty() && text.size() <= boundary_bytes_max && text.back() != ' ' &&
           std::ranges::all_of(text, fits);
}

// The parameters of a header's value: `; name="file"; filename=a.txt`.
class Parameters {
public:
    Parameters(std::string_view rest, Arena* arena) : rest_(rest), arena_(arena) {}

    // False at the end, and where what follows is malformed; then bad() is true.
    bool next(std::string_view& name, std::string_view& value) {
        rest_ = trim(rest_);
        if (rest_.empty()) return false;
        if (rest_.front() != ';') return fail();
        rest_.remove_prefix(1);
        rest_ = trim(rest_);
        std::size_t const equals = rest_.find('=');
        if (equals == std::string_view::npos) return fail();
        name = rest_.substr(0, equals);
        if (name.empty() || !std::ranges::all_of(name, [](char c) { return is(c, token_byte); }))
            return fail();
        rest_.remove_prefix(equals + 1);
        return !rest_.empty() && rest_.front() == '"' ? quoted(value) : token(value);
    }
    [[nodiscard]] bool bad() const { return bad_; }

private:
    bool fail() {
        bad_ = true;
        return false;
    }
    bool token(std::string_view& value) {
        auto const end = std::ranges::find_if(rest_, [](char c) { return !is(c, token_byte); });
        value = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        if (value.empty()) return fail();
        rest_.remove_prefix(value.size());
        return true;
    }
    // Browsers write a quote as %22 and leave a backslash alone; others escape both with a backslash. A
    // backslash is an escape before a quote or another backslash only, so that both kinds are understood.
    bool quoted(std::string_view& value) {
        std::size_t at = 1;
        bool escaped = false;
        while (at < rest_.size() && rest_[at] != '"') {
            bool const escape = is_escape(rest_, at);
            escaped = escaped || escape;
            at += escape ? 2 : 1;
        }
        if (at >= rest_.size()) return fail();
        value = rest_.substr(1, at - 1);
        if (escaped) {
            if (arena_ == nullptr) return fail();
            value = unescaped(value);
        }
        rest_.remove_prefix(at + 1);
        return true;
    }
    static bool is_escape(std::string_view text, std::size_t at) {
        return text[at] == '\\' && at + 1 < text.size() && (text[at + 1] == '"' || text[at + 1] == '\\');
    }
    std::string_view unescaped(std::string_view text) {
        auto const place = arena_->array<char>(text.size());
        std::size_t size = 0;
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (is_escape(text, at)) ++at;
            place[size++] = text[at];
        }
        return {place.data(), size};
    }

    std::string_view rest_;
    Arena* arena_;
    bool bad_ = false;
};

// What stands before the first ';', and the rest with it.
std::string_view take_value(std::string_view& text) {
    std::string_view const value = text.substr(0, std::min(text.find(';'), text.size()));
    text.remove_prefix(value.size());
    return trim(value);
}

class Reader {
public:
    Reader(std::string_view body, std::string_view boundary, MultipartLimits const& limits, Arena& arena)
        : body_(body), boundary_(boundary), limits_(limits), arena_(arena) {}

    Result<std::span<Part const>> run() {
        if (body_.starts_with(line_end)) at_ = line_end.size();
        if (!take("--") || !take(boundary_)) return malformed("expected the first boundary");
        std::size_t count = 0;
        std::span<Part> parts;
        while (!take("--")) {
            // White space behind a boundary is allowed padding.
            while (at_ < body_.size() && (body_[at_] == ' ' || body_[at_] == '\t')) ++at_;
            if (!take(line_end)) return malformed("expected a line end behind the boundary");
            if (count == limits_.parts_max) return fail(ErrorCode::too_large, "The form has too many parts.");
            if (count == parts.size()) parts = grown(parts);
            Part part;
            QUERN_CHECK(headers(part));
            QUERN_CHECK(content(part));
            parts[count++] = part;
        }
        if (count == 0) return malformed("a form has at least one part");
        return std::span<Part const>(parts.first(count));
    }

private:
    std::unexpected<Error> malformed(std::string_view why) const {
        return fail(ErrorCode::body_invalid, std::string(default_message(ErrorCode::body_invalid)) +
                                                 " At byte " + std::to_string(at_) + ": " + std::string(why) +
                                                 ".");
    }
    bool take(std::string_view text) {
        if (body_.substr(at_, text.size()) != text) return false;
        at_ += text.size();
        return true;
    }
    std::span<Part> grown(std::span<Part> parts) {
        auto const more = arena_.array<Part>(std::max<std::size_t>(8, parts.size() * 2));
        std::ranges::uninitialized_fill(more, Part{});
        std::ranges::copy(parts, more.begin());
        return more;
    }

    Result<void> headers(Part& part) {
        std::size_t const start = at_;
        bool disposed = false;
        while (!take(line_end)) {
            std::string_view const rest = body_.substr(at_, limits_.header_bytes_max - (at_ - start));
            std::size_t const end = rest.find(line_end);
            if (end == std::string_view::npos) {
                if (rest.size() == limits_.header_bytes_max - (at_ - start))
                    return fail(ErrorCode::too_large, "The headers of a part are too large.");
                return malformed("the headers of a part do not end");
            }
            QUERN_CHECK(header(rest.substr(0, end), part, disposed));
            at_ += end + line_end.size();
        }
        if (!disposed) return malformed("a part has no Content-Disposition");
        return {};
    }

    Result<void> header(std::string_view line, Part& part, bool& disposed) {
        std::size_t const colon = line.find(':');
        std::string_view const name = line.substr(0, std::min(colon, line.size()));
        bool const fine = colon != std::string_view::npos && !name.empty() &&
                          std::ranges::all_of(name, [](char c) { return is(c, token_byte); });
        if (!fine) return malformed("expected a header");
        std::string_view const value = trim(line.substr(colon + 1));
        if (!std::ranges::all_of(value, [](char c) { return is(c, value_byte); }))
            return malformed("a forbidden character in a header");
        if (equals_ignoring_case(name, "content-type")) part.content_type = value;
        if (!equals_ignoring_case(name, "content-disposition")) return {};
        if (disposed) return malformed("a part has two Content-Dispositions");
        disposed = true;
        return disposition(value, part);
    }

    Result<void> disposition(std::string_view value, Part& part) {
        if (!equals_ignoring_case(take_value(value), "form-data")) return malformed("expected form-data");
        Parameters parameters(value, &arena_);
        bool named = false;
        std::string_view name;
        std::string_view text;
        while (parameters.next(name, text)) {
            if (equals_ignoring_case(name, "name")) {
                if (named) return malformed("a part has two names");
                named = true;
                part.name = text;
            } else if (equals_ignoring_case(name, "filename")) {
                if (part.is_file) return malformed("a part has two file names");
                part.is_file = true;
                // Some clients send a path. Only its last part is a name.
                part.filename = text.substr(text.find_last_of("/\\") + 1);
            }
            // RFC 7578 forbids filename*, so it is passed over like every other parameter.
        }
        if (parameters.bad()) return malformed("a malformed Content-Disposition");
        if (!named) return malformed("a part has no name");
        if (!is_utf8(part.name) || !is_utf8(part.filename)) return malformed("a name that is not UTF-8");
        return {};
    }

    // The bytes up to the boundary that ends the part. The line end before it belongs to the boundary; for a
    // part without content that may be the one which ended the headers.
    Result<void> content(Part& part) {
        std::size_t from = at_ - line_end.size();
        while (true) {
            std::size_t const found = body_.find("\r\n--", from);
            if (found == std::string_view::npos) return malformed("a part does not end");
            std::size_t const behind = found + 4;
            if (body_.substr(behind, boundary_.size()) == boundary_ && ends(behind + boundary_.size())) {
                part.bytes = found < at_ ? std::string_view() : body_.substr(at_, found - at_);
                at_ = behind + boundary_.size();
                return {};
            }
            from = found + 1;
        }
    }
    // A boundary may be the beginning of longer text, which then is content.
    [[nodiscard]] bool ends(std::size_t at) const {
        std::string_view rest = body_.substr(at);
        if (rest.starts_with("--")) return true;
        while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
        return rest.starts_with(line_end);
    }

    std::string_view body_;
    std::string_view boundary_;
    MultipartLimits limits_;
    Arena& arena_;
    std::size_t at_ = 0;
};

}  // namespace

Result<std::string_view> multipart_boundary(std::string_view content_type) {
    auto const refused = [](std::string text) {
        return fail(ErrorCode::unsupported_media_type, std::move(text));
    };
    if (!equals_ignoring_case(take_value(content_type), "multipart/form-data"))
        return refused("Unsupported media type: the body must be sent as multipart/form-data.");
    Parameters parameters(content_type, nullptr);
    std::string_view name;
    std::string_view value;
    std::string_view boundary;
    bool repeated = false;
    while (parameters.next(name, value)) {
        if (!equals_ignoring_case(name, "boundary")) continue;
        repeated = repeated || !boundary.empty();
        boundary = value;
    }
    if (parameters.bad() || repeated || !is_boundary(boundary))
        return refused("Unsupported media type: the form's boundary is missing or malformed.");
    return boundary;
}

Result<std::span<Part const>> read_parts(std::string_view body, std::string_view boundary,
                                         MultipartLimits const& limits, Arena& arena) {
    return Reader(body, boundary, limits, arena).run();
}

}  // namespace quern::http

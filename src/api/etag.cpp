// SPDX-License-Identifier: Apache-2.0
#include "api/etag.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <charconv>

namespace quern::api {

namespace {

constexpr std::size_t tag_chars_max = 48;
constexpr int base = 36;

class TagText {
public:
    explicit TagText(Arena& arena) : text_(static_cast<char*>(arena.allocate(tag_chars_max, 1))) {}
    TagText& put(std::string_view piece) {
        for (char const c : piece) text_[size_++] = c;
        return *this;
    }
    TagText& put(std::uint64_t number) {
        size_ = static_cast<std::size_t>(
            std::to_chars(text_ + size_, text_ + tag_chars_max, number, base).ptr - text_);
        return *this;
    }
    [[nodiscard]] std::string_view view() const { return {text_, size_}; }

private:
    char* text_;
    std::size_t size_ = 0;
};

std::uint64_t hash(std::string_view body) { return XXH3_64bits(body.data(), body.size()); }

// Calls `take` with each entity tag of a comma-separated list, its weakness mark removed.
template <class Take>
bool any_tag(std::string_view header, Take take) {
    while (!header.empty()) {
        std::size_t const comma = header.find(',');
        std::string_view tag = header.substr(0, comma);
        header.remove_prefix(comma == std::string_view::npos ? header.size() : comma + 1);
        while (tag.starts_with(' ') || tag.starts_with('\t')) tag.remove_prefix(1);
        while (tag.ends_with(' ') || tag.ends_with('\t')) tag.remove_suffix(1);
        if (tag == "*") return true;
        bool const weak = tag.starts_with("W/");
        if (weak) tag.remove_prefix(2);
        if (take(tag, weak)) return true;
    }
    return false;
}

}  // namespace

std::string_view record_etag(std::int64_t version, Collection const& collection, bool superuser,
                             Arena& arena) {
    std::uint64_t const shown = hash(collection.updated) + (superuser ? 1 : 0);
    return TagText(arena)
        .put("\"")
        .put(static_cast<std::uint64_t>(version))
        .put("-")
        .put(shown)
        .put("\"")
        .view();
}

std::string_view record_etag(std::int64_t version, std::string_view body, Arena& arena) {
    return TagText(arena)
        .put("\"")
        .put(static_cast<std::uint64_t>(version))
        .put("-")
        .put(hash(body))
        .put("\"")
        .view();
}

std::string_view list_etag(std::string_view body, Arena& arena) {
    return TagText(arena).put("W/\"").put(hash(body)).put("\"").view();
}

bool matches_any(std::string_view header, std::string_view etag) {
    if (etag.starts_with("W/")) etag.remove_prefix(2);
    return any_tag(header, [&](std::string_view tag, bool) { return tag == etag; });
}

bool matches_version(std::string_view header, std::int64_t version) {
    char digits[24];
    char const* const end = std::to_chars(digits, digits + sizeof digits, version, base).ptr;
    std::string_view const wanted(digits, static_cast<std::size_t>(end - digits));
    return any_tag(header, [&](std::string_view tag, bool weak) {
        if (weak || tag.size() < 2 || !tag.starts_with('"') || !tag.ends_with('"')) return false;
        tag = tag.substr(1, tag.size() - 2);
        return tag.substr(0, tag.find('-')) == wanted;
    });
}

}  // namespace quern::api

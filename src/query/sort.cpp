// SPDX-License-Identifier: Apache-2.0

// `sort=-created,+author.name,@random`.

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "query/compiler.h"
#include "query/limits.h"

namespace quern::query {

namespace {

bool is_path_character(char c) {
    auto const byte = static_cast<unsigned char>(c);
    return std::isalnum(byte) != 0 || c == '_' || c == '@' || c == '.' || c == ':' || byte >= 0x80;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

}  // namespace

Result<void> Compiler::lower_sort(std::string_view text, bool superuser) {
    Scope scope;
    scope.trust = superuser ? Trust::superuser : Trust::client;
    scope.text = text;
    scope.label = "sort";
    scope.code = ErrorCode::sort_invalid;
    if (text.size() > sort_bytes_max) {
        return fail(ErrorCode::sort_invalid,
                    "The sort has more than " + std::to_string(sort_bytes_max) + " bytes.");
    }
    if (!is_utf8(text)) return fail(ErrorCode::sort_invalid, "The sort is not valid UTF-8.");
    bool const is_empty = std::ranges::all_of(text, is_blank);
    std::size_t keys = 0;
    for (std::size_t start = 0; !is_empty && start <= text.size();) {
        std::size_t const end = std::min(text.find(',', start), text.size());
        if (++keys > sort_keys_max) {
            return fail(error_at(scope, start, "more than " + std::to_string(sort_keys_max) + " sort keys"));
        }
        std::size_t first = start;
        std::size_t last = end;
        while (first < last && is_blank(text[first])) ++first;
        while (first < last && is_blank(text[last - 1])) --last;
        QUERN_CHECK(lower_sort_key(first, text.substr(first, last - first), scope));
        start = end + 1;
    }
    finish_sort();
    return {};
}

Result<void> Compiler::lower_sort_key(std::size_t offset, std::string_view key, Scope& scope) {
    plan::SortKey lowered;
    std::string_view name = key;
    if (!name.empty() && (name[0] == '-' || name[0] == '+')) {
        lowered.descending = name[0] == '-';
        name.remove_prefix(1);
        ++offset;
    }
    if (name.empty()) return fail(error_at(scope, offset, "expected a field"));
    auto const bad = std::ranges::find_if_not(name, is_path_character);
    if (bad != name.end()) {
        auto const at = static_cast<std::size_t>(bad - name.begin());
        return fail(error_at(scope, offset + at, "unexpected \"" + std::string(name.substr(at, 32)) + "\""));
    }
    // What follows a random order changes nothing.
    bool const is_random = !plan_.sort.empty() && plan_.sort.back().kind == plan::SortKey::Kind::random;
    if (name == "@random") {
        lowered.kind = plan::SortKey::Kind::random;
        lowered.descending = false;
    } else if (name == "@rowid") {
        lowered.operand = plan::column(0, Collection::rowid_field);
    } else {
        comparison_.clear();
        comparison_aliases_.clear();
        Operand operand;
        operand.offset = offset;
        operand.text = name;
        QUERN_TRY(Side side, lower_path(operand, scope));
        // An order tells the values: a value that may be hidden row by row cannot be sorted by.
        if (!side.masks.empty()) return fail(unknown_field(split(name, offset), scope));
        if (side.kind != Side::Kind::row) return fail(unknown_field(split(name, offset), scope));
        if (side.many) {
            std::string const shown(name.substr(0, 200));
            return fail(error_at(scope, offset, "\"" + shown + "\" has several values for each record"));
        }
        lowered.operand = std::move(side.operand);
    }
    bool const repeated = std::ranges::any_of(plan_.sort, [&lowered](plan::SortKey const& other) {
        return other.kind == lowered.kind && other.operand == lowered.operand;
    });
    if (!repeated && !is_random) plan_.sort.push_back(std::move(lowered));
    return {};
}

// The order is always complete. Without a wish it is the order of insertion.
void Compiler::finish_sort() {
    bool const is_view = plan_.sources[0].collection->type == CollectionType::view;
    plan::Operand const id = plan::column(0, 0);
    plan::Operand const rowid = plan::column(0, Collection::rowid_field);
    bool const complete = std::ranges::any_of(plan_.sort, [&](plan::SortKey const& key) {
        return key.kind == plan::SortKey::Kind::random || key.operand == id || key.operand == rowid;
    });
    if (complete) return;
    plan::SortKey key;
    key.operand = plan_.sort.empty() && !is_view ? rowid : id;
    plan_.sort.push_back(std::move(key));
}

}  // namespace quern::query

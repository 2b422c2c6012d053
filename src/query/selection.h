// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which fields an answer shows (`fields`), and which relations it unfolds (`expand`), as trees.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "schema/collection.h"

namespace quern::query {

// `:excerpt(characters,with_ellipsis)`: the start of a text, without markup.
struct Excerpt {
    std::uint32_t characters_max = 0;
    bool with_ellipsis = false;
    bool operator==(Excerpt const&) const = default;
};

// One level of the `fields` parameter. `id,title,expand.author.name,*` becomes a tree.
//
// Threads: frozen.
struct FieldSelection {
    struct Node;
    bool everything = true;   // no selection, or `*` at this level
    std::vector<Node> nodes;  // named at this level

    // The node of that name. Null where it is not named, even if everything is selected.
    [[nodiscard]] Node const* find(std::string_view name) const;
    // Whether a member of that name is shown.
    [[nodiscard]] bool shows(std::string_view name) const { return everything || find(name) != nullptr; }
    // What is shown below a member; the whole of it where nothing more was said.
    [[nodiscard]] FieldSelection const& below(std::string_view name) const;
    // Whether all is shown as it is: no names, no modifiers.
    [[nodiscard]] bool is_trivial() const { return everything && nodes.empty(); }
};

struct FieldSelection::Node {
    std::string name;
    FieldSelection below;
    std::optional<Excerpt> excerpt;
};

// Parses the `fields` parameter. Empty text selects everything. Unknown names do no harm.
// Errors: parameter_invalid — the grammar is broken or a limit passed; the message has the position.
[[nodiscard]] Result<FieldSelection> parse_fields(std::string_view text);

// One relation to unfold, resolved against the schema. Pointers live as long as the Schema.
struct ExpandNode {
    std::string name;         // the member of `expand` in the answer: "author", "comments_via_post"
    bool back = false;        // rows of `target` whose relation points here
    std::uint16_t field = 0;  // the relation: of the owner's collection, or of `target` when back
    bool multiple = false;    // the answer is an array
    Collection const* target = nullptr;  // whose records are unfolded
    std::vector<ExpandNode> below;
    // Filled by apply_selection().
    FieldSelection const* selection = nullptr;  // what is shown of the unfolded records
    std::vector<std::uint16_t> columns;         // fields_to_read() of them
};

// Parses the `expand` parameter for records of `collection`. What does not exist, is hidden, or has no view
// rule for this caller is left out, so that nobody can tell these apart. Errors: parameter_invalid — the
// grammar is broken, deeper than six levels, or a limit passed.
[[nodiscard]] Result<std::vector<ExpandNode>> parse_expand(std::string_view text, Schema const& schema,
                                                           Collection const& collection, bool superuser);

// Leaves out the nodes that `selection` does not show and tells the others what is shown of them. `selection`
// is that of the records that `expand` belongs to, and must outlive the nodes.
void apply_selection(std::vector<ExpandNode>& expand, FieldSelection const& selection, bool superuser);

// Whether an answer may ever show the field to this caller.
[[nodiscard]] bool is_visible(Collection const& collection, Field const& field, bool superuser);

// The fields that must be read so that the answer can be written: what is shown, `id`, what `expand` follows,
// and what decides whether an email may be shown. Indexes into collection.fields, ascending.
[[nodiscard]] std::vector<std::uint16_t> fields_to_read(Collection const& collection,
                                                        FieldSelection const& selection,
                                                        std::span<ExpandNode const> expand, bool superuser);

}  // namespace quern::query

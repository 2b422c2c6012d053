// SPDX-License-Identifier: Apache-2.0
#include "query/selection.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"
#include "query/limits.h"

namespace quern::query {

namespace {

FieldSelection const whole;

std::unexpected<Error> bad_parameter(std::string_view name, std::string_view text, std::size_t offset,
                                     std::string_view why) {
    std::size_t const position = code_point_count(text.substr(0, offset)) + 1;
    return fail(ErrorCode::parameter_invalid, "Invalid " + std::string(name) + " at position " +
                                                  std::to_string(position) + ": " + std::string(why) + ".");
}

bool is_name_character(char c) {
    bool const letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    return letter || c == '_' || c == '@' || static_cast<unsigned char>(c) >= 0x80;
}

bool is_blank(char c) { return c == ' ' || c == '\t'; }

// Reads `fields`: paths of names or '*', each with a modifier at its end.
class FieldsParser {
public:
    explicit FieldsParser(std::string_view text) : text_(text) {}

    Result<FieldSelection> parse() {
        FieldSelection root;
        skip_blanks();
        if (at_ == text_.size()) return root;
        root.everything = false;
        for (std::size_t count = 1;; ++count) {
            if (count > fields_max) {
                return bad("more than " + std::to_string(fields_max) + " fields");
            }
            QUERN_CHECK(parse_path(root));
            if (at_ == text_.size()) return root;
            if (text_[at_] != ',') return bad("expected a comma");
            ++at_;
        }
    }

private:
    std::unexpected<Error> bad(std::string_view why) const {
        return bad_parameter("fields", text_, at_, why);
    }

    void skip_blanks() {
        while (at_ < text_.size() && is_blank(text_[at_])) ++at_;
    }

    std::string_view take_name() {
        std::size_t const start = at_;
        while (at_ < text_.size() && is_name_character(text_[at_])) ++at_;
        return text_.substr(start, at_ - start);
    }

    Result<void> parse_path(FieldSelection& root) {
        skip_blanks();
        FieldSelection* level = &root;
        for (std::size_t depth = 0;; ++depth) {
            if (depth > 2 * relation_hops_max + json_steps_max) return bad("the path is too deep");
            if (at_ < text_.size() && text_[at_] == '*') {
                level->everything = true;
                ++at_;
                break;
            }
            std::string_view const name = take_name();
            if (name.empty()) return bad("expected a field");
            auto found = std::ranges::find(level->nodes, name, &FieldSelection::Node::name);
            bool const is_new = found == level->nodes.end();
            if (is_new) {
                level->nodes.push_back({std::string(name), {}, {}});
                found = level->nodes.end() - 1;
            }
            if (at_ < text_.size() && text_[at_] == '.') {
                ++at_;
                // Named before as a whole: nothing below takes away from that.
                if (is_new) found->below.everything = false;
                level = &found->below;
                continue;
            }
            found->below.everything = true;
            if (at_ < text_.size() && text_[at_] == ':') QUERN_CHECK(parse_modifier(*found));
            break;
        }
        skip_blanks();
        return {};
    }

    Result<void> parse_modifier(FieldSelection::Node& node) {
        ++at_;
        std::size_t const start = at_;
        if (take_name() != "excerpt") {
            at_ = start;
            return bad("unknown modifier");
        }
        if (at_ == text_.size() || text_[at_] != '(') return bad("expected (");
        ++at_;
        skip_blanks();
        Excerpt excerpt;
        auto const parsed =
            std::from_chars(text_.data() + at_, text_.data() + text_.size(), excerpt.characters_max);
        if (parsed.ec != std::errc{} || excerpt.characters_max == 0)
            return bad("expected a number of characters");
        at_ = static_cast<std::size_t>(parsed.ptr - text_.data());
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == ',') {
            ++at_;
            skip_blanks();
            std::string_view const flag = take_name();
            if (flag != "true" && flag != "false" && flag != "1" && flag != "0")
                return bad("expected true or false");
            excerpt.with_ellipsis = flag == "true" || flag == "1";
            skip_blanks();
        }
        if (at_ == text_.size() || text_[at_] != ')') return bad("expected )");
        ++at_;
        node.excerpt = excerpt;
        return {};
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

// What a step of `expand` is for this collection and caller; nothing for what does not exist for them.
std::optional<ExpandNode> resolve(std::string_view step, Schema const& schema, Collection const& collection,
                                  bool superuser) {
    ExpandNode node;
    node.name = step;
    if (auto const found = collection.find(step)) {
        Field const& field = collection.fields[*found];
        if (field.type != FieldType::relation || !is_visible(collection, field, superuser))
            return std::nullopt;
        node.field = static_cast<std::uint16_t>(*found);
        node.multiple = field.is_multiple();
        node.target = schema.find(field.collection_id);
    } else {
        constexpr std::string_view marker = "_via_";
        std::size_t at = step.find(marker);
        for (; at != std::string_view::npos && node.target == nullptr; at = step.find(marker, at + 1)) {
            Collection const* const source = schema.find(step.substr(0, at));
            if (source == nullptr) continue;
            auto const back = source->find(step.substr(at + marker.size()));
            if (!back) continue;
            Field const& field = source->fields[*back];
            bool const points_here =
                field.type == FieldType::relation && schema.find(field.collection_id) == &collection;
            if (!points_here || !is_visible(*source, field, superuser)) continue;
            node.back = true;
            node.field = static_cast<std::uint16_t>(*back);
            node.target = source;
            // One record can point here at most when the relation is unique.
            node.multiple =
                field.is_multiple() || std::ranges::none_of(source->indexes, [&](Index const& index) {
                    return index.unique && index.columns.size() == 1 && index.columns[0].field == field.name;
                });
        }
    }
    if (node.target == nullptr || (!superuser && !node.target->view_rule)) return std::nullopt;
    return node;
}

}  // namespace

FieldSelection::Node const* FieldSelection::find(std::string_view name) const {
    auto const found = std::ranges::find(nodes, name, &Node::name);
    return found == nodes.end() ? nullptr : &*found;
}

FieldSelection const& FieldSelection::below(std::string_view name) const {
    Node const* const node = find(name);
    return node == nullptr ? whole : node->below;
}

Result<FieldSelection> parse_fields(std::string_view text) {
    if (text.size() > fields_bytes_max) {
        return fail(ErrorCode::parameter_invalid,
                    "The fields parameter has more than " + std::to_string(fields_bytes_max) + " bytes.");
    }
    return FieldsParser(text).parse();
}

Result<std::vector<ExpandNode>> parse_expand(std::string_view text, Schema const& schema,
                                             Collection const& collection, bool superuser) {
    std::vector<ExpandNode> roots;
    if (text.size() > expand_bytes_max) {
        return fail(ErrorCode::parameter_invalid,
                    "The expand parameter has more than " + std::to_string(expand_bytes_max) + " bytes.");
    }
    if (std::ranges::all_of(text, is_blank)) return roots;
    std::size_t nodes = 0;
    std::size_t depth = 0;
    std::vector<ExpandNode>* level = &roots;
    Collection const* owner = &collection;
    for (std::size_t at = 0;;) {
        while (at < text.size() && is_blank(text[at])) ++at;
        std::size_t const start = at;
        while (at < text.size() && is_name_character(text[at])) ++at;
        if (at == start) return bad_parameter("expand", text, at, "expected a relation");
        if (++depth > relation_hops_max) {
            return bad_parameter("expand", text, start,
                                 "more than " + std::to_string(relation_hops_max) + " levels");
        }
        std::string_view const step = text.substr(start, at - start);
        // Below a step that does not exist, the grammar is still checked.
        if (owner != nullptr) {
            auto found = std::ranges::find(*level, step, &ExpandNode::name);
            if (found == level->end()) {
                if (auto node = resolve(step, schema, *owner, superuser)) {
                    if (++nodes > expand_nodes_max)
                        return bad_parameter("expand", text, start, "too many relations");
                    level->push_back(*std::move(node));
                    found = level->end() - 1;
                }
            }
            owner = found == level->end() ? nullptr : found->target;
            if (owner != nullptr) level = &found->below;
        }
        while (at < text.size() && is_blank(text[at])) ++at;
        if (at == text.size()) return roots;
        if (text[at] == ',') {
            level = &roots;
            owner = &collection;
            depth = 0;
        } else if (text[at] != '.') {
            return bad_parameter("expand", text, at, "expected a comma or a dot");
        }
        ++at;
    }
}

void apply_selection(std::vector<ExpandNode>& expand, FieldSelection const& selection, bool superuser) {
    FieldSelection const& members = selection.below("expand");
    bool const shown = selection.shows("expand");
    std::erase_if(expand, [&](ExpandNode const& node) { return !shown || !members.shows(node.name); });
    for (ExpandNode& node : expand) {
        node.selection = &members.below(node.name);
        apply_selection(node.below, *node.selection, superuser);
        node.columns = fields_to_read(*node.target, *node.selection, node.below, superuser);
    }
}

bool is_visible(Collection const& collection, Field const& field, bool superuser) {
    // Secrets of accounts are nobody's to read, whatever the schema says.
    if (field.type == FieldType::password) return false;
    if (collection.type == CollectionType::auth && field.name == "tokenKey") return false;
    return superuser || !field.hidden;
}

std::vector<std::uint16_t> fields_to_read(Collection const& collection, FieldSelection const& selection,
                                          std::span<ExpandNode const> expand, bool superuser) {
    auto const is_followed = [&](std::size_t index) {
        return std::ranges::any_of(
            expand, [index](ExpandNode const& node) { return !node.back && node.field == index; });
    };
    bool const guards_email = collection.type == CollectionType::auth && selection.shows("email");
    std::vector<std::uint16_t> fields;
    for (std::size_t index = 0; index < collection.fields.size(); ++index) {
        Field const& field = collection.fields[index];
        if (!is_visible(collection, field, superuser)) {
            // Never shown, but it may decide what is.
            if (guards_email && field.name == "emailVisibility")
                fields.push_back(static_cast<std::uint16_t>(index));
            continue;
        }
        bool const needed = index == 0 || selection.shows(field.name) || is_followed(index) ||
                            (guards_email && field.name == "emailVisibility");
        if (needed) fields.push_back(static_cast<std::uint16_t>(index));
    }
    return fields;
}

}  // namespace quern::query

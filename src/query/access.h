// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which rows of a collection a question may see.
//
// Every question carries an Access; there is no default, so that no door can forget it. The room `rules`
// makes them from a collection, an action and a principal.

#include <cstdint>
#include <string_view>

#include "schema/collection.h"

namespace quern::query {

enum class Action : std::uint8_t { list, view, create, update, remove };

// The rule of `collection` for `action`.
[[nodiscard]] Rule const& rule_of(Collection const& collection, Action action);
// The rule's name on the wire: "listRule" …
[[nodiscard]] std::string_view rule_name(Action action);

// Lifetime: a text given to by_text() is borrowed until the question is answered.
class Access {
public:
    enum class Kind : std::uint8_t { all, by_rule, by_text };

    // Every row: for superusers and for the program itself.
    [[nodiscard]] static Access all() { return Access(Kind::all, Action::list, {}); }
    // The rows that the collection's own rule for `action` admits. An absent rule admits none.
    [[nodiscard]] static Access by_rule(Action action) { return Access(Kind::by_rule, action, {}); }
    // The rows that another rule text admits (an auth collection's manage rule, for example). "" admits all.
    [[nodiscard]] static Access by_text(std::string_view text) {
        return Access(Kind::by_text, Action::list, text);
    }

    [[nodiscard]] Kind kind() const { return kind_; }
    [[nodiscard]] Action action() const { return action_; }
    [[nodiscard]] std::string_view text() const { return text_; }

private:
    Access(Kind kind, Action action, std::string_view text) : kind_(kind), action_(action), text_(text) {}
    Kind kind_;
    Action action_;
    std::string_view text_;
};

}  // namespace quern::query

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Reads JSON texts, checked from the first byte to the last.
//
// A Document parses a text and keeps what it found as one flat list of nodes; a Node is a handle into it.
// Keys keep their order, numbers keep their digits (`raw()`), strings are given unescaped (`text()`). Refused
// are: what is not JSON, bytes that are not UTF-8, half a surrogate pair, a key that occurs twice in one
// object (also in disguise: "a" and "\u0061"), nesting beyond depth_max. U+0000 in a string is let through,
// so that whoever knows the field can refuse it by name.
//
// Read Document, then Node. Tree is a Document that owns its text.

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <quern/error.h>
#include <quern/json_cursor.h>

namespace quern::json {

// Bytes that must be readable (not meaningful) behind a text given to Document::parse.
inline constexpr std::size_t padding_bytes = 64;
// Longest text that is parsed; longer ones are `too_large`.
inline constexpr std::size_t text_bytes_max = std::size_t{1} << 30;
// A Document that has parsed a longer text gives its memory back at the next parse.
inline constexpr std::size_t kept_text_bytes_max = std::size_t{1} << 20;

enum class Type : std::uint8_t {
    null,
    boolean,
    integer,  // written without fraction and exponent, and within 64 bits with sign
    real,     // every other number, of whatever size: see Node::real() and Node::raw()
    string,
    array,
    object,
};

namespace detail {
struct Item {
    std::string_view raw;
    std::string_view text;     // string: unescaped
    std::string_view key;      // in an object: the member's name, unescaped
    std::int64_t integer = 0;  // integer: its value; boolean: 0 or 1; array, object: number of elements
    std::uint32_t end = 0;     // index behind the last item of this value
    Type type = Type::null;
};
}  // namespace detail

// One value of a parsed text.
// Lifetime: as long as the Document is not parsed into again, and the text lives.
class Node {
public:
    [[nodiscard]] Type type() const { return item().type; }
    [[nodiscard]] bool is(Type type) const { return item().type == type; }
    [[nodiscard]] bool is_null() const { return is(Type::null); }
    [[nodiscard]] bool is_number() const { return is(Type::integer) || is(Type::real); }

    // The value as it was sent, every digit and space; begins and ends with the value's own bytes.
    [[nodiscard]] std::string_view raw() const { return item().raw; }
    // A string's text, unescaped; empty for other types.
    [[nodiscard]] std::string_view text() const { return item().text; }
    // The member's name, if this is a member of an object.
    [[nodiscard]] std::string_view key() const { return item().key; }
    // A boolean's truth; false for other types.
    [[nodiscard]] bool boolean() const { return is(Type::boolean) && item().integer != 0; }
    // The value of Type::integer; 0 for other types.
    [[nodiscard]] std::int64_t integer() const { return is(Type::integer) ? item().integer : 0; }
    // The nearest double of a number; nothing if that is not finite, or for other types.
    [[nodiscard]] std::optional<double> real() const;

    // Elements of an array, members of an object; 0 for other types.
    [[nodiscard]] std::size_t size() const {
        return is(Type::array) || is(Type::object) ? static_cast<std::size_t>(item().integer) : 0;
    }

    class Iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = Node;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = Node;
        Iterator(detail::Item const* items, std::uint32_t index) : items_(items), index_(index) {}
        Node operator*() const { return {items_, index_}; }
        Iterator& operator++() {
            index_ = items_[index_].end;
            return *this;
        }
        Iterator operator++(int) {
            Iterator const before = *this;
            ++*this;
            return before;
        }
        bool operator==(Iterator const& other) const { return index_ == other.index_; }

    private:
        detail::Item const* items_;
        std::uint32_t index_;
    };
    // The elements or members, in order; nothing for other types.
    [[nodiscard]] Iterator begin() const { return {items_, index_ + 1}; }
    [[nodiscard]] Iterator end() const { return {items_, item().end}; }

    // The member of that name; nothing where there is none or this is no object. Cost: linear.
    // Name the result before a range-for over it: `for (Node x : *node.find("a"))` outlives the optional.
    [[nodiscard]] std::optional<Node> find(std::string_view name) const;
    // The value at a dotted path of member names and 0-based element indexes, e.g. "items.0.name".
    [[nodiscard]] std::optional<Node> at(std::string_view dotted_path) const;

private:
    friend class Document;
    Node(detail::Item const* items, std::uint32_t index) : items_(items), index_(index) {}
    [[nodiscard]] detail::Item const& item() const { return items_[index_]; }

    detail::Item const* items_;
    std::uint32_t index_;
};

// A parser and what it parsed last. Keep one a thread and parse into it again and again.
//
// Threads: one at a time. Cost: no allocation once it has parsed a text of that size; 0.1 µs and 1 ns
// a byte.
class Document {
public:
    Document();
    ~Document();
    Document(Document&&) noexcept;
    Document& operator=(Document&&) noexcept;

    // Parses `text`, behind which padding_bytes more must be readable.
    // Errors:   body_invalid — not JSON, the message says why and at which byte (0-based); a repeated key is
    //           also named in `fields` with the code "validation_duplicate_key";
    //           too_large — longer than text_bytes_max.
    // Lifetime: nodes borrow from `text` and from this Document.
    [[nodiscard]] Result<Node> parse(std::string_view padded_text);
    // The same, and `body_invalid` for what is no object.
    [[nodiscard]] Result<Node> parse_object(std::string_view padded_text);
    // Parses a copy that the Document keeps; needs no padding.
    [[nodiscard]] Result<Node> parse_copy(std::string_view text);

private:
    struct State;
    std::unique_ptr<State> state_;
};

// A parsed text that owns everything, for cold paths: settings, collection bodies, import rows.
// Threads: frozen.
class Tree {
public:
    [[nodiscard]] static Result<Tree> parse(std::string_view text);
    // Lifetime: as long as the Tree, also when it is moved.
    [[nodiscard]] Node root() const { return root_; }

private:
    Tree(Document document, Node root) : document_(std::move(document)), root_(root) {}
    Document document_;
    Node root_;
};

}  // namespace quern::json

// SPDX-License-Identifier: Apache-2.0
#include "json/reader.h"

#include <simdjson.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

#include <quern/assert.h>
#include "json/number.h"
#include "json/scan.h"

namespace quern::json {

namespace {

namespace ondemand = simdjson::ondemand;
using detail::Item;

static_assert(padding_bytes >= simdjson::SIMDJSON_PADDING);
static_assert(depth_max <= depth_bound);

constexpr std::size_t first_capacity_bytes = 4 * 1024;
// Objects of more members are checked for repeated keys by sorting.
constexpr std::size_t pairwise_members_max = 16;

std::string at_byte(std::string_view why, std::size_t at) {
    return std::string(default_message(ErrorCode::body_invalid)) + " At byte " + std::to_string(at) + ": " +
           std::string(why) + ".";
}

Error fault_error(Fault const& fault) { return Error(ErrorCode::body_invalid, at_byte(fault.why, fault.at)); }

Error duplicate_error(std::string_view key, std::size_t at) {
    std::string why = "the key \"" + std::string(key) + "\" occurs twice";
    Error error(ErrorCode::body_invalid, at_byte(why, at));
    error.fields.push_back({std::string(key), "validation_duplicate_key", "The key occurs more than once."});
    return error;
}

}  // namespace

// simdjson finds the structure and proves the text to be UTF-8; the walk over it looks at every token, since
// On-Demand itself leaves alone what is not asked for. Strings and numbers are taken as raw tokens: a string
// without escapes needs no copy, and a number keeps its digits.
struct Document::State {
    ondemand::parser parser;
    std::vector<Item> items;
    std::vector<std::uint32_t> keys;  // scratch for the check of repeated keys
    std::vector<char> unescaped;      // texts of strings with escapes; never longer than the text in all
    std::size_t unescaped_used = 0;
    std::vector<char> copy;  // of parse_copy()
    std::string_view text;
    std::optional<Error> duplicate;

    bool walk(ondemand::value value, std::size_t depth, std::string_view key);
    bool walk_array(ondemand::value value, std::size_t depth);
    bool walk_object(ondemand::value value, std::size_t depth);
    bool scalar(Item& item, std::string_view token);
    bool string(std::string_view inside, std::string_view& output);
    bool read_key(char const* start, std::string_view& output);
    bool keys_differ(std::uint32_t object);
    bool report_duplicate(std::uint32_t item);
    bool make_room();
    bool run();
    char const* position(ondemand::value& value);
};

// The unescaped text of what stands between two quotes.
bool Document::State::string(std::string_view inside, std::string_view& output) {
    if (std::memchr(inside.data(), '\\', inside.size()) == nullptr) [[likely]] {
        output = inside;
        return true;
    }
    if (unescaped.size() < text.size()) unescaped.resize(std::max(text.size(), first_capacity_bytes));
    char* const place = unescaped.data() + unescaped_used;
    auto const length = unescape(inside, place, BadEscape::refuse);
    if (!length) return false;
    unescaped_used += *length;
    output = {place, *length};
    return true;
}

// A key begins at `start`, behind its quote; stage one has made sure that its end comes.
bool Document::State::read_key(char const* start, std::string_view& output) {
    char const* const text_end = text.data() + text.size();
    char const* end = start;
    while (end < text_end && *end != '"') end += *end == '\\' ? 2 : 1;
    if (end >= text_end) return false;
    return string({start, static_cast<std::size_t>(end - start)}, output);
}

bool Document::State::scalar(Item& item, std::string_view token) {
    item.raw = token;
    switch (token.front()) {
    case '"':
        item.type = Type::string;
        return token.size() >= 2 && token.back() == '"' &&
               string(token.substr(1, token.size() - 2), item.text);
    case 't':
    case 'f':
        item.type = Type::boolean;
        item.integer = token.front() == 't' ? 1 : 0;
        return token == (token.front() == 't' ? "true" : "false");
    case 'n': item.type = Type::null; return token == "null";
    default: break;
    }
    bool whole = false;
    if (number_length(token, whole) != token.size()) return false;
    item.type = Type::real;
    if (whole && token.size() <= 20) {  // 19 digits and a sign
        auto const read = std::from_chars(token.data(), token.data() + token.size(), item.integer);
        if (read.ec == std::errc()) item.type = Type::integer;
    }
    return true;
}

bool Document::State::report_duplicate(std::uint32_t item) {
    auto const at = static_cast<std::size_t>(items[item].raw.data() - text.data());
    duplicate = duplicate_error(items[item].key, at);
    return false;
}

bool Document::State::keys_differ(std::uint32_t object) {
    std::uint32_t const end = items[object].end;
    if (items[object].integer <= static_cast<std::int64_t>(pairwise_members_max)) {
        for (std::uint32_t left = object + 1; left < end; left = items[left].end) {
            for (std::uint32_t right = items[left].end; right < end; right = items[right].end) {
                if (items[left].key == items[right].key) return report_duplicate(right);
            }
        }
        return true;
    }
    keys.clear();
    for (std::uint32_t member = object + 1; member < end; member = items[member].end) keys.push_back(member);
    std::ranges::sort(keys, {},
                      [this](std::uint32_t member) { return std::pair(items[member].key, member); });
    auto const repeated = std::ranges::adjacent_find(keys, [this](std::uint32_t left, std::uint32_t right) {
        return items[left].key == items[right].key;
    });
    return repeated == keys.end() || report_duplicate(*std::next(repeated));
}

// The token that comes next: behind a finished array or object it is the comma or bracket that follows.
char const* Document::State::position(ondemand::value& value) {
    char const* location = nullptr;
    if (value.current_location().get(location) != simdjson::SUCCESS) return text.data() + text.size();
    return location;
}

bool Document::State::walk_array(ondemand::value value, std::size_t depth) {
    auto const index = static_cast<std::uint32_t>(items.size() - 1);
    ondemand::array array;
    if (value.get_array().get(array) != simdjson::SUCCESS) return false;
    std::int64_t count = 0;
    for (auto element : array) {
        ondemand::value child;
        if (element.get(child) != simdjson::SUCCESS || !walk(child, depth + 1, {})) return false;
        ++count;
    }
    items[index].integer = count;
    return true;
}

bool Document::State::walk_object(ondemand::value value, std::size_t depth) {
    auto const index = static_cast<std::uint32_t>(items.size() - 1);
    ondemand::object object;
    if (value.get_object().get(object) != simdjson::SUCCESS) return false;
    std::int64_t count = 0;
    for (auto member : object) {
        ondemand::field field;
        if (std::move(member).get(field) != simdjson::SUCCESS) return false;
        std::string_view key;
        if (!read_key(field.key().raw(), key) || !walk(field.value(), depth + 1, key)) return false;
        ++count;
    }
    items[index].integer = count;
    items[index].end = static_cast<std::uint32_t>(items.size());
    return keys_differ(index);
}

bool Document::State::walk(ondemand::value value, std::size_t depth, std::string_view key) {
    std::string_view const token = trim(value.raw_json_token());
    if (token.empty()) return false;
    auto const index = static_cast<std::uint32_t>(items.size());
    Item& item = items.emplace_back();
    item.key = key;
    if (token.front() != '{' && token.front() != '[') {
        item.end = index + 1;
        // A string must be consumed: one that is left behind may be skipped as if it were a key.
        ondemand::raw_json_string consumed;
        if (token.front() == '"' && value.get_raw_json_string().get(consumed) != simdjson::SUCCESS)
            return false;
        return scalar(item, token);
    }
    if (depth == depth_max) return false;
    bool const is_object = token.front() == '{';
    item.type = is_object ? Type::object : Type::array;
    if (!(is_object ? walk_object(value, depth) : walk_array(value, depth))) return false;
    char const* const end = position(value);
    items[index].raw = trim({token.data(), static_cast<std::size_t>(end - token.data())});
    items[index].end = static_cast<std::uint32_t>(items.size());
    return true;
}

// simdjson reserves for the text's length; rounding up spares later texts that are a little longer.
bool Document::State::make_room() {
    if (parser.capacity() > kept_text_bytes_max && text.size() <= kept_text_bytes_max) {
        parser = ondemand::parser();
        items = {};
        unescaped = {};
    }
    if (text.size() <= parser.capacity() && parser.capacity() > 0) return true;
    std::size_t capacity = first_capacity_bytes;
    while (capacity < text.size()) capacity *= 2;
    return parser.allocate(capacity, depth_max + 1) == simdjson::SUCCESS;
}

bool Document::State::run() {
    items.clear();
    unescaped_used = 0;
    duplicate.reset();
    std::string_view const trimmed = trim(text);
    if (trimmed.empty()) return false;
    if (trimmed.front() != '{' && trimmed.front() != '[') {
        // On-Demand treats a lone scalar apart; so do we, and let the checker vouch for it.
        if (find_fault(trimmed, {.depth_max = depth_max})) return false;
        Item& item = items.emplace_back();
        item.end = 1;
        return scalar(item, trimmed);
    }
    if (!make_room()) return false;
    ondemand::document document;
    simdjson::padded_string_view const padded(text.data(), text.size(), text.size() + padding_bytes);
    if (parser.iterate(padded).get(document) != simdjson::SUCCESS) return false;
    ondemand::value root;
    if (document.get_value().get(root) != simdjson::SUCCESS || !walk(root, 0, {})) return false;
    char const* trailing = nullptr;
    return document.current_location().get(trailing) == simdjson::OUT_OF_BOUNDS;
}

Document::Document() : state_(std::make_unique<State>()) {}
Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

Result<Node> Document::parse(std::string_view padded_text) {
    if (padded_text.size() > text_bytes_max) return fail(ErrorCode::too_large);
    state_->text = padded_text;
    if (state_->run()) [[likely]]
        return Node(state_->items.data(), 0);
    if (state_->duplicate) return fail(*std::move(state_->duplicate));
    // The walk says only that something is wrong; where and what, the checker finds out.
    auto const fault = find_fault(padded_text, {.depth_max = depth_max});
    return fail(fault_error(fault.value_or(Fault{padded_text.size(), "the text could not be read"})));
}

Result<Node> Document::parse_object(std::string_view padded_text) {
    auto root = parse(padded_text);
    if (root && !root->is(Type::object)) return fail(fault_error({0, "expected an object"}));
    return root;
}

Result<Node> Document::parse_copy(std::string_view text) {
    if (text.size() > text_bytes_max) return fail(ErrorCode::too_large);
    std::vector<char>& copy = state_->copy;
    copy.resize(text.size() + padding_bytes);
    if (!text.empty()) std::memcpy(copy.data(), text.data(), text.size());
    std::memset(copy.data() + text.size(), 0, padding_bytes);
    return parse({copy.data(), text.size()});
}

std::optional<double> Node::real() const {
    if (is(Type::integer)) return static_cast<double>(item().integer);
    if (is(Type::real)) return nearest_real(item().raw);
    return std::nullopt;
}

std::optional<Node> Node::find(std::string_view name) const {
    if (!is(Type::object)) return std::nullopt;
    for (Node const member : *this) {
        if (member.key() == name) return member;
    }
    return std::nullopt;
}

std::optional<Node> Node::at(std::string_view dotted_path) const {
    std::optional<Node> current = *this;
    while (current && !dotted_path.empty()) {
        std::size_t const dot = std::min(dotted_path.find('.'), dotted_path.size());
        std::string_view const part = dotted_path.substr(0, dot);
        dotted_path.remove_prefix(std::min(dot + 1, dotted_path.size()));
        if (!current->is(Type::array)) {
            current = current->find(part);
            continue;
        }
        std::size_t index = 0;
        auto const read = std::from_chars(part.data(), part.data() + part.size(), index);
        bool const good =
            read.ec == std::errc() && read.ptr == part.data() + part.size() && index < current->size();
        if (!good) return std::nullopt;
        Iterator element = current->begin();
        for (; index > 0; --index) ++element;
        current = *element;
    }
    return current;
}

Result<Tree> Tree::parse(std::string_view text) {
    Document document;
    QUERN_TRY(Node root, document.parse_copy(text));
    return Tree(std::move(document), root);
}

}  // namespace quern::json

// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/plan_text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include <quern/assert.h>
#include "engine/conformance/definition.h"
#include "json/reader.h"

namespace quern::engine::conformance {

using plan::Comparison;
using plan::Condition;
using plan::Function;
using plan::Hop;
using plan::Operand;
using plan::Plan;
using plan::SortKey;
using plan::Source;
using plan::SourceIndex;

namespace {

// A line cut into words, JSON literals and signs, and read from left to right.
class Line {
public:
    explicit Line(std::string_view text) : rest_(text) { skip_blanks(); }

    [[nodiscard]] bool at_end() const { return rest_.empty(); }
    [[nodiscard]] std::string_view rest() const { return rest_; }

    // Takes `sign` if it comes next; a word only if it ends there.
    bool take(std::string_view sign) {
        if (!rest_.starts_with(sign)) return false;
        bool const is_word = is_word_character(sign.back());
        if (is_word && rest_.size() > sign.size() && is_word_character(rest_[sign.size()])) return false;
        advance(sign.size());
        return true;
    }

    // A name; empty if none comes next.
    std::string word() {
        std::size_t size = 0;
        while (size < rest_.size() && is_word_character(rest_[size])) ++size;
        std::string const word(rest_.substr(0, size));
        advance(size);
        return word;
    }

    // The text up to (and without) `end`, which is taken too.
    std::optional<std::string> until(char end) {
        auto const place = rest_.find(end);
        if (place == std::string_view::npos) return std::nullopt;
        std::string const text(rest_.substr(0, place));
        advance(place + 1);
        return text;
    }

    // The text of a JSON literal; empty if none comes next.
    std::string json() {
        std::size_t size = 0;
        if (rest_.starts_with('"')) {
            size = string_size(0);
        } else if (rest_.starts_with('[')) {
            do {
                size += rest_[size] == '"' ? string_size(size) : 1;
            } while (size < rest_.size() && rest_[size - 1] != ']');
        } else {
            while (size < rest_.size() && (is_word_character(rest_[size]) || rest_[size] == '-' ||
                                           rest_[size] == '+' || rest_[size] == '.')) {
                ++size;
            }
        }
        std::string const text(rest_.substr(0, size));
        advance(size);
        return text;
    }

private:
    static bool is_word_character(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    // Characters of the JSON string at `start`, quotes included.
    [[nodiscard]] std::size_t string_size(std::size_t start) const {
        std::size_t end = start + 1;
        while (end < rest_.size() && rest_[end] != '"') end += rest_[end] == '\\' ? 2 : 1;
        return std::min(end + 1, rest_.size()) - start;
    }
    void advance(std::size_t size) {
        rest_.remove_prefix(size);
        skip_blanks();
    }
    void skip_blanks() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == ',')) rest_.remove_prefix(1);
    }

    std::string_view rest_;
};

constexpr std::array comparisons = {
    std::pair{std::string_view("<="), Comparison::less_equal},
    std::pair{std::string_view(">="), Comparison::greater_equal},
    std::pair{std::string_view("="), Comparison::equal},
    std::pair{std::string_view("<"), Comparison::less},
    std::pair{std::string_view(">"), Comparison::greater},
    std::pair{std::string_view("~"), Comparison::like},
    std::pair{std::string_view("same"), Comparison::same},
    std::pair{std::string_view("in"), Comparison::in_list},
};

constexpr std::array functions = {
    std::pair{std::string_view("fold"), Function::fold},
    std::pair{std::string_view("length"), Function::length},
    std::pair{std::string_view("geoDistance"), Function::geo_distance},
    std::pair{std::string_view("strftime"), Function::strftime},
};

constexpr std::array hops = {
    std::pair{std::string_view("to_one"), Hop::to_one},
    std::pair{std::string_view("to_many_ids"), Hop::to_many_ids},
    std::pair{std::string_view("to_many"), Hop::to_many},
    std::pair{std::string_view("back"), Hop::back},
    std::pair{std::string_view("free"), Hop::free},
    std::pair{std::string_view("elements"), Hop::elements},
};

std::unexpected<Error> not_understood(std::string_view what, Line const& line) {
    return fail(ErrorCode::bad_request, std::string(what) + " at: " + std::string(line.rest()));
}

class Reader {
public:
    explicit Reader(std::shared_ptr<Schema const> schema) { plan_.schema = std::move(schema); }

    Result<void> read(std::string_view text) {
        Line line(text);
        if (line.take("from")) return read_root(line);
        if (line.take("source")) return read_source(line);
        if (line.take("guard")) return read_guard(line);
        if (line.take("join")) return read_join(line);
        if (line.take("where")) {
            QUERN_TRY(plan_.where, condition(line));
            return ended(line);
        }
        if (line.take("sort")) return read_sort(line);
        if (line.take("output")) return read_output(line);
        if (line.take("seek")) return read_seek(line);
        if (line.take("limit")) return read_bound(line, plan_.limit);
        if (line.take("offset")) return read_bound(line, plan_.offset);
        return not_understood("no such line", line);
    }

    Request finish() {
        plan_.parameter_count = static_cast<std::uint16_t>(values_.size());
        return Request(plan::seal(std::move(plan_)), std::move(values_));
    }

private:
    static Result<void> ended(Line const& line) {
        if (!line.at_end()) return not_understood("the line goes on", line);
        return {};
    }

    Result<void> read_root(Line& line) {
        Source root;
        root.collection = plan_.schema->find(line.word());
        if (root.collection == nullptr) return not_understood("no such collection before", line);
        plan_.sources = {root};
        names_ = {"root"};
        return ended(line);
    }

    Result<void> read_source(Line& line) {
        std::string const name = line.word();
        Source source;
        auto const* const hop =
            std::ranges::find_if(hops, [&](auto const& pair) { return line.take(pair.first); });
        if (hop == hops.end()) return not_understood("no such hop", line);
        source.hop = hop->second;
        if (source.hop == Hop::free || source.hop == Hop::back) {
            source.collection = plan_.schema->find(line.word());
            if (source.collection == nullptr) return not_understood("no such collection before", line);
        }
        if (source.hop == Hop::back) {
            if (!line.take(".")) return not_understood("a field is missing", line);
            QUERN_TRY(source.field, field_of(*source.collection, line));
            if (!line.take("of")) return not_understood("`of` is missing", line);
            QUERN_TRY(source.parent, source_of(line.word(), line));
        } else if (source.hop != Hop::free) {
            QUERN_TRY(plan::Column const column, column_of(line.word(), line));
            source.parent = column.source;
            source.field = column.field;
            std::string const& target =
                plan_.sources[column.source].collection->fields[column.field].collection_id;
            if (source.hop != Hop::elements) source.collection = plan_.schema->find(target);
        }
        plan_.sources.push_back(source);
        names_.push_back(name);
        return ended(line);
    }

    Result<void> read_guard(Line& line) {
        QUERN_TRY(default_source_, source_of(line.word(), line));
        auto guard = condition(line);
        SourceIndex const source = std::exchange(default_source_, SourceIndex{0});
        QUERN_TRY(plan_.sources[source].guard, std::move(guard));
        return ended(line);
    }

    Result<void> read_join(Line& line) {
        while (!line.at_end()) {
            QUERN_TRY(SourceIndex const source, source_of(line.word(), line));
            plan_.joined.push_back(source);
        }
        return {};
    }

    Result<void> read_sort(Line& line) {
        while (!line.at_end()) {
            SortKey key;
            key.descending = line.take("-");
            if (!key.descending) line.take("+");
            if (line.take("random")) {
                key.kind = SortKey::Kind::random;
            } else {
                QUERN_TRY(key.operand, operand(line));
            }
            plan_.sort.push_back(std::move(key));
        }
        return {};
    }

    Result<void> read_output(Line& line) {
        while (!line.at_end()) {
            QUERN_TRY(Operand column, operand(line));
            plan_.output.push_back(std::move(column));
        }
        return {};
    }

    Result<void> read_seek(Line& line) {
        plan_.has_seek = true;
        while (!line.at_end()) {
            bool const null = line.take("null");
            plan_.seek.null.push_back(null);
            if (null) {
                plan_.seek.values.push_back(parameter(Value{}));
            } else {
                QUERN_TRY(Operand const value, literal(line));
                plan_.seek.values.push_back(value.index);
            }
        }
        return {};
    }

    Result<void> read_bound(Line& line, plan::ParameterIndex& bound) {
        QUERN_TRY(Operand const value, literal(line));
        bound = value.index;
        return ended(line);
    }

    // Conditions, loosest first.
    Result<Condition> condition(Line& line) {
        QUERN_TRY(Condition first, conjunction(line));
        std::vector<Condition> parts = {std::move(first)};
        while (line.take("or")) {
            QUERN_TRY(Condition part, conjunction(line));
            parts.push_back(std::move(part));
        }
        return parts.size() == 1 ? parts.front() : plan::any_of(std::move(parts));
    }

    Result<Condition> conjunction(Line& line) {
        QUERN_TRY(Condition first, negation(line));
        std::vector<Condition> parts = {std::move(first)};
        while (line.take("and")) {
            QUERN_TRY(Condition part, negation(line));
            parts.push_back(std::move(part));
        }
        return parts.size() == 1 ? parts.front() : plan::all_of(std::move(parts));
    }

    Result<Condition> negation(Line& line) {
        if (!line.take("not")) return primary(line);
        QUERN_TRY(Condition inner, negation(line));
        return plan::negate(std::move(inner));
    }

    Result<Condition> primary(Line& line) {
        Condition constant;
        constant.kind = Condition::Kind::never;
        if (line.take("always")) return Condition{};
        if (line.take("never")) return constant;
        if (line.take("some")) return quantified(line, false);
        if (line.take("every")) return quantified(line, true);
        if (line.take("(")) return in_brackets(line);
        return comparison(line);
    }

    Result<Condition> in_brackets(Line& line) {
        QUERN_TRY(Condition inner, condition(line));
        if (!line.take(")")) return not_understood("a bracket stays open", line);
        return inner;
    }

    Result<Condition> quantified(Line& line, bool every) {
        Condition condition;
        condition.kind = Condition::Kind::quantified;
        condition.every = every;
        while (!line.take("(")) {
            QUERN_TRY(SourceIndex const source, source_of(line.word(), line));
            condition.sources.push_back(source);
        }
        QUERN_TRY(Condition predicate, in_brackets(line));
        condition.parts.push_back(std::move(predicate));
        return condition;
    }

    Result<Condition> comparison(Line& line) {
        QUERN_TRY(Operand left, operand(line));
        if (line.take("is")) {
            bool const negated = line.take("not");
            if (!line.take("null")) return not_understood("`null` is missing", line);
            return plan::is_null(std::move(left), negated);
        }
        auto const* const found =
            std::ranges::find_if(comparisons, [&](auto const& pair) { return line.take(pair.first); });
        if (found == comparisons.end()) return not_understood("no such comparison", line);
        QUERN_TRY(Operand right, operand(line));
        return plan::compare(std::move(left), found->second, std::move(right));
    }

    Result<Operand> operand(Line& line) {
        if (line.take("null")) return Operand{};
        if (line.take("?null")) return plan::parameter(parameter(Value{}));
        if (line.take("element")) return element(line);
        for (auto const& [name, function] : functions) {
            if (line.take(name)) return call(line, function);
        }
        char const first = line.at_end() ? ' ' : line.rest().front();
        bool const is_name = (first >= 'a' && first <= 'z') || (first >= 'A' && first <= 'Z') || first == '_';
        if (!is_name || line.rest().starts_with("true") || line.rest().starts_with("false"))
            return literal(line);
        std::string const word = line.word();
        QUERN_TRY(plan::Column const column, column_of(word, line));
        Operand operand = plan::column(column.source, column.field);
        while (line.take("[")) {
            operand.kind = Operand::Kind::json_path;
            auto step = line.until(']');
            if (!step) return not_understood("a bracket stays open", line);
            operand.path.push_back(*std::move(step));
        }
        return operand;
    }

    Result<Operand> element(Line& line) {
        if (!line.take("(")) return not_understood("a bracket is missing", line);
        Operand operand;
        operand.kind = Operand::Kind::element;
        QUERN_TRY(operand.index, source_of(line.word(), line));
        if (!line.take(")")) return not_understood("a bracket stays open", line);
        return operand;
    }

    Result<Operand> call(Line& line, Function function) {
        if (!line.take("(")) return not_understood("a bracket is missing", line);
        Operand operand;
        operand.kind = Operand::Kind::call;
        operand.function = function;
        while (!line.take(")")) {
            if (line.at_end()) return not_understood("a bracket stays open", line);
            QUERN_TRY(Operand argument, this->operand(line));
            operand.arguments.push_back(std::move(argument));
        }
        return operand;
    }

    // A JSON literal as a parameter; an array stays JSON text.
    Result<Operand> literal(Line& line) {
        std::string const json = line.json();
        if (json.starts_with('[')) return plan::parameter(parameter(Value::of(std::string_view(json))));
        QUERN_TRY(json::Tree const tree, json::Tree::parse(json));
        json::Node const node = tree.root();
        switch (node.type()) {
        case json::Type::boolean: return plan::parameter(parameter(Value::of(node.boolean())));
        case json::Type::integer: return plan::parameter(parameter(Value::of(node.integer())));
        case json::Type::real: return plan::parameter(parameter(Value::of(node.real().value_or(0))));
        case json::Type::string: return plan::parameter(parameter(Value::of(node.text())));
        case json::Type::null: return plan::parameter(parameter(Value{}));
        default: return not_understood("no such literal before", line);
        }
    }

    plan::ParameterIndex parameter(Value const& value) {
        values_.emplace_back(value);
        return static_cast<plan::ParameterIndex>(values_.size() - 1);
    }

    Result<SourceIndex> source_of(std::string const& name, Line const& line) const {
        auto const found = std::ranges::find(names_, name);
        if (found == names_.end()) return not_understood("no source `" + name + "` before", line);
        return static_cast<SourceIndex>(found - names_.begin());
    }

    static Result<std::uint16_t> field_of(Collection const& collection, Line& line) {
        std::string const name = line.word();
        if (name == "_v") return static_cast<std::uint16_t>(Collection::version_field);
        if (name == "rowid") return static_cast<std::uint16_t>(Collection::rowid_field);
        auto const field = collection.find(name);
        if (!field) return not_understood("no field `" + name + "` before", line);
        return static_cast<std::uint16_t>(*field);
    }

    // `word` is the name before a dot, or a field's name where none follows.
    Result<plan::Column> column_of(std::string const& word, Line& line) const {
        if (line.take(".")) {
            QUERN_TRY(SourceIndex const source, source_of(word, line));
            if (plan_.sources[source].collection == nullptr) return not_understood("no row before", line);
            QUERN_TRY(std::uint16_t const field, field_of(*plan_.sources[source].collection, line));
            return plan::Column{source, field};
        }
        Line name(word);
        Collection const* const collection = plan_.sources[default_source_].collection;
        if (collection == nullptr) return not_understood("no row before", line);
        QUERN_TRY(std::uint16_t const field, field_of(*collection, name));
        return plan::Column{default_source_, field};
    }

    Plan plan_;
    std::vector<std::string> names_;  // of the sources
    std::vector<ram::OwnedValue> values_;
    SourceIndex default_source_ = 0;
};

}  // namespace

plan::BoundPlan Request::bound() const {
    views_.clear();
    for (ram::OwnedValue const& value : values_) views_.push_back(value.view());
    return {*plan_, views_};
}

Request Request::with(plan::Plan plan) const { return Request(plan::seal(std::move(plan)), values_); }

Request Request::behind(std::vector<ram::OwnedValue> const& keys) const {
    QUERN_ASSERT(keys.size() == plan_->sort.size(), "a row has a value for every sort key");
    plan::Plan plan = *plan_;
    std::vector<ram::OwnedValue> values = values_;
    plan.has_seek = true;
    plan.seek = {};
    for (ram::OwnedValue const& key : keys) {
        plan.seek.null.push_back(key.view().is_null());
        plan.seek.values.push_back(static_cast<plan::ParameterIndex>(values.size()));
        values.push_back(key);
    }
    plan.parameter_count = static_cast<std::uint16_t>(values.size());
    return Request(plan::seal(std::move(plan)), std::move(values));
}

std::string Request::print() const {
    std::string text = plan::print(*plan_);
    for (std::size_t index = 0; index < values_.size(); ++index) {
        text += "?" + std::to_string(index) + " = " + conformance::print(values_[index].view()) + "\n";
    }
    return text;
}

Result<Request> read_request(std::shared_ptr<Schema const> schema, std::vector<std::string> const& lines) {
    Reader reader(std::move(schema));
    for (std::string const& line : lines) QUERN_CHECK(reader.read(line));
    return reader.finish();
}

}  // namespace quern::engine::conformance

// SPDX-License-Identifier: Apache-2.0

// Conditions put together by chance, asked of a table and judged by hand over the same rows: both must find
// the same ones, and a condition and its opposite must part them.

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "library/query_fixture_test.h"

namespace quern::test {

namespace {

struct Item {
    std::int64_t id = 0;
    std::int64_t number = 0;
    std::optional<std::int64_t> maybe = std::nullopt;
    std::string text;
    std::optional<std::string> words = std::nullopt;
    bool flag = false;
    double real = 0;
    std::optional<double> part = std::nullopt;
    static constexpr auto model = quern::model<"items">(quern::key<&Item::id>);
};
QUERN_DESCRIBE(Item, id, number, maybe, text, words, flag, real, part)

constexpr Table<Item> items;

using Verdict = std::function<bool(Item const&)>;
struct Both {
    Condition<Item> asked;
    Verdict judged;
};

// What a comparison does with nothing: it is false, but for == and !=, which take nothing as a value.
template <class A, class B, class Compare>
bool present(A const& a, B const& b, Compare compare) {
    if constexpr (detail::is_optional<A>) {
        return a && present(*a, b, compare);
    } else if constexpr (detail::is_optional<B>) {
        return b && compare(a, *b);
    } else {
        return compare(a, b);
    }
}

class Maker {
public:
    explicit Maker(unsigned seed) : random_(seed) {}

    std::size_t below(std::size_t count) { return random_() % count; }

    std::int64_t number() { return static_cast<std::int64_t>(below(7)) - 3; }
    double real() {
        constexpr std::array reals{-1.5, 0.0, -0.0, 0.1, 2.0, 1e300, std::numeric_limits<double>::infinity()};
        return reals[below(reals.size())];
    }
    std::string text() {
        static std::array<std::string, 8> const pieces{"",           "a", "A", "é",
                                                       "\U0010FFFF", "%", "_", std::string("\0", 1)};
        std::string text;
        for (std::size_t left = below(4); left > 0; --left) text += pieces[below(pieces.size())];
        return text;
    }
    template <class T>
    T value() {
        if constexpr (detail::is_optional<T>) {
            return below(3) == 0 ? T() : T(value<typename T::value_type>());
        } else if constexpr (std::is_same_v<T, std::string>) {
            return text();
        } else if constexpr (std::is_same_v<T, double>) {
            return real();
        } else {
            return number();
        }
    }
    Item item(std::int64_t id) {
        return {id,
                number(),
                value<std::optional<std::int64_t>>(),
                text(),
                value<std::optional<std::string>>(),
                below(2) == 0,
                real(),
                value<std::optional<double>>()};
    }

    Both condition(int depth) {
        std::size_t const kind = below(depth > 0 ? 6 : 3);
        if (kind < 3) return leaf();
        if (kind == 3) {
            Both one = condition(depth - 1);
            return {!one.asked, [judged = one.judged](Item const& row) { return !judged(row); }};
        }
        Both left = condition(depth - 1);
        Both right = condition(depth - 1);
        if (kind == 4) {
            return {left.asked && right.asked,
                    [l = left.judged, r = right.judged](Item const& row) { return l(row) && r(row); }};
        }
        return {left.asked || right.asked,
                [l = left.judged, r = right.judged](Item const& row) { return l(row) || r(row); }};
    }

private:
    Both leaf() {
        switch (below(9)) {
        case 0: return of_column<&Item::number>();
        case 1: return of_column<&Item::maybe>();
        case 2: return of_column<&Item::text>();
        case 3: return of_column<&Item::words>();
        case 4: return of_column<&Item::real>();
        case 5: return of_column<&Item::part>();
        case 6: return {field<&Item::flag>, [](Item const& row) { return row.flag; }};
        case 7: return of_columns<&Item::number, &Item::maybe>();
        default: return of_columns<&Item::words, &Item::text>();
        }
    }

    // Between a column and something else: a value, or a column.
    template <class E, class V, class L, class R>
    Both compare(E const& expression, V const& other, L left, R right) {
        switch (below(4)) {
        case 0: return {expression == other, [=](Item const& row) { return left(row) == right(row); }};
        case 1: return {expression != other, [=](Item const& row) { return left(row) != right(row); }};
        case 2:
            return {expression < other,
                    [=](Item const& row) { return present(left(row), right(row), std::less<>()); }};
        default:
            return {expression >= other,
                    [=](Item const& row) { return present(left(row), right(row), std::greater_equal<>()); }};
        }
    }
    template <auto A, auto B>
    Both of_columns() {
        return compare(
            field<A>, field<B>, [](Item const& row) { return row.*A; },
            [](Item const& row) { return row.*B; });
    }

    template <auto Pointer>
    Both of_column() {
        using Type = detail::MemberTypeOf<Pointer>;
        using Value = detail::Bare<Type>;
        auto const column = field<Pointer>;
        auto const get = [](Item const& row) { return row.*Pointer; };
        switch (below(std::is_same_v<Value, std::string> ? 8 : 5)) {
        case 0: {
            Type const value = this->value<Type>();
            return compare(column, value, get, [value](Item const&) { return value; });
        }
        case 1: {
            std::vector<Value> list(below(4));
            for (Value& one : list) one = value<Value>();
            return {column.in(list), [=](Item const& row) {
                        return std::ranges::any_of(list, [&](Value const& one) { return get(row) == one; });
                    }};
        }
        case 2: {
            Value const low = value<Value>();
            Value const high = value<Value>();
            return {column.between(low, high), [=](Item const& row) {
                        return present(get(row), low, std::greater_equal<>()) &&
                               present(get(row), high, std::less_equal<>());
                    }};
        }
        case 3:
            return {column.is_null(), [=](Item const& row) {
                        if constexpr (detail::is_optional<Type>) return !get(row);
                        return false;
                    }};
        case 4: return compare_computed(column, get);
        default: return search(column, get);
        }
    }

    // Arithmetic, of which a division may be by zero and infinity less infinity: nothing again.
    template <class E, class Get>
    Both compare_computed(E const& column, Get get) {
        if constexpr (std::is_same_v<typename E::Value, std::int64_t>) {
            std::int64_t const divisor = number();
            std::int64_t const other = number();
            auto const divided = [=](Item const& row) {
                std::optional<std::int64_t> const value = get(row);
                return value && divisor != 0 ? std::optional(*value / divisor) : std::nullopt;
            };
            return compare(column / divisor, other, divided, [other](Item const&) { return other; });
        } else if constexpr (std::is_same_v<typename E::Value, double>) {
            double const less = real();
            double const other = real();
            auto const difference = [=](Item const& row) {
                std::optional<double> const value = get(row);
                if (!value || std::isnan(*value - less)) return std::optional<double>();
                return std::optional(*value - less);
            };
            return compare(column - less, other, difference, [other](Item const&) { return other; });
        } else {
            return search(column, get);
        }
    }

    template <class E, class Get>
    Both search(E const& column, Get get) {
        if constexpr (std::is_same_v<typename E::Value, std::string>) {
            std::string const part = text();
            auto const judge = [&](auto holds) -> Verdict {
                return [=](Item const& row) { return present(get(row), part, holds); };
            };
            using Text = std::string const&;
            switch (below(3)) {
            case 0:
                return {column.contains(part),
                        judge([](Text text, Text sought) { return text.find(sought) != std::string::npos; })};
            case 1:
                return {column.starts_with(part),
                        judge([](Text text, Text sought) { return text.starts_with(sought); })};
            default:
                return {column.ends_with(part),
                        judge([](Text text, Text sought) { return text.ends_with(sought); })};
            }
        } else {
            return {Condition<Item>(true), [](Item const&) { return true; }};
        }
    }

    std::mt19937 random_;
};

TEST(QueryRandom, FindsWhatIsFoundByHand) {
    auto const db = *Database::open_temporary();
    ASSERT_TRUE(db->migrate({R"(CREATE TABLE items (id INTEGER PRIMARY KEY, number INTEGER NOT NULL,
        maybe INTEGER, text TEXT NOT NULL, words TEXT, flag INTEGER NOT NULL, real REAL NOT NULL,
        part REAL) STRICT)"}));
    Maker maker(1);
    std::vector<Item> rows;
    constexpr std::int64_t row_count = 60;
    for (std::int64_t id = 1; id <= row_count; ++id) rows.push_back(maker.item(id));
    ASSERT_EQ(items.insert_many(*db, rows), row_count);

    constexpr int conditions = 2000;
    for (int index = 0; index < conditions; ++index) {
        Both const both = maker.condition(3);
        std::vector<std::int64_t> wanted;
        for (Item const& row : rows) {
            if (both.judged(row)) wanted.push_back(row.id);
        }
        auto const set = items.where(both.asked).order_by(field<&Item::id>);
        auto const found = set.select(field<&Item::id>).all(*db);
        ASSERT_TRUE(found) << found.error().message << '\n' << set.sql()->sql;
        ASSERT_EQ(*found, wanted) << set.plan().print();
        auto const others = items.where(!both.asked).count(*db);
        ASSERT_EQ(others, row_count - static_cast<std::int64_t>(wanted.size())) << set.plan().print();
        // The same as what is selected: true or false, never neither.
        if (index % 8 != 0) continue;
        auto const verdicts = items.order_by(field<&Item::id>).select(both.asked).all(*db);
        ASSERT_TRUE(verdicts) << verdicts.error().message;
        ASSERT_EQ(std::ranges::count(*verdicts, true), static_cast<std::ptrdiff_t>(wanted.size()));
    }
}

}  // namespace

}  // namespace quern::test

// SPDX-License-Identifier: Apache-2.0
// Values of types that SQL does not know.
#include <quern/sqlite.h>

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace shop {

enum class Size { small, large, huge };
QUERN_DESCRIBE_ENUM(Size, small, large, huge)

struct Money {
    std::int64_t cents = 0;
    bool operator==(Money const&) const = default;
};

// Kept as text that is made for the occasion.
struct Tags {
    std::vector<std::string> names;
    bool operator==(Tags const&) const = default;
};

struct Colour {
    std::vector<std::byte> bytes;
    bool operator==(Colour const&) const = default;
};

// Described, but a column of its own: no row.
struct Even {
    int half = 0;
};
QUERN_DESCRIBE(Even, half)

struct Article {
    quern::Uuid id;
    Size size = Size::small;
    std::optional<Money> price;
    quern::Timestamp added;
};
QUERN_DESCRIBE(Article, id, size, price, added)

}  // namespace shop

template <>
struct quern::SqlValue<shop::Money> {
    static constexpr std::string_view wanted = "an amount in cents";
    static std::int64_t to_sql(shop::Money money) { return money.cents; }
    static std::optional<shop::Money> from_sql(std::int64_t cents) {
        if (cents < 0) return std::nullopt;
        return shop::Money{cents};
    }
};
template <>
struct quern::SqlValue<shop::Tags> {
    static constexpr std::string_view wanted = "words";
    static std::string to_sql(shop::Tags const& tags) {
        std::string text;
        for (std::string const& name : tags.names) text += name + " ";
        return text;
    }
    static std::optional<shop::Tags> from_sql(std::string_view text) {
        shop::Tags tags;
        for (std::size_t end = text.find(' '); end != text.npos; end = text.find(' ')) {
            tags.names.emplace_back(text.substr(0, end));
            text.remove_prefix(end + 1);
        }
        return tags;
    }
};
template <>
struct quern::SqlValue<shop::Colour> {
    static constexpr std::string_view wanted = "three bytes";
    static std::vector<std::byte> to_sql(shop::Colour const& colour) { return colour.bytes; }
    static std::optional<shop::Colour> from_sql(std::span<std::byte const> bytes) {
        if (bytes.size() != 3) return std::nullopt;
        return shop::Colour{{bytes.begin(), bytes.end()}};
    }
};
template <>
struct quern::SqlValue<shop::Even> {
    static constexpr std::string_view wanted = "an even number";
    static std::int32_t to_sql(shop::Even even) { return even.half * 2; }
    static std::optional<shop::Even> from_sql(std::int32_t number) {
        if (number % 2 != 0) return std::nullopt;
        return shop::Even{number / 2};
    }
};

namespace quern {
namespace {

using shop::Size;

static_assert(std::same_as<detail::SqlStored<Size>, std::string>);
static_assert(std::same_as<detail::SqlStored<std::optional<Uuid>>, std::string>);
static_assert(std::same_as<detail::SqlStored<Timestamp>, std::string>);
static_assert(std::same_as<detail::SqlStored<std::optional<shop::Money>>, std::int64_t>);
static_assert(std::same_as<detail::SqlStored<shop::Even>, std::int64_t>);
static_assert(std::same_as<detail::SqlStored<shop::Colour>, std::vector<std::byte>>);
static_assert(std::same_as<detail::SqlStored<bool>, bool>);
static_assert(std::same_as<detail::SqlStored<std::uint32_t>, std::int64_t>);
static_assert(std::same_as<detail::SqlStored<float>, double>);
static_assert(std::same_as<detail::SqlStored<std::string_view>, std::string>);
static_assert(std::same_as<detail::SqlStored<std::span<std::byte const>>, std::vector<std::byte>>);

class SqliteValueTest : public testing::Test {
protected:
    SqliteValueTest() { EXPECT_TRUE(db->migrate({"CREATE TABLE any_type (value)"})); }

    Result<Changes> store(auto const& value) {
        EXPECT_TRUE(db->execute<"DELETE FROM any_type">());
        return db->execute<"INSERT INTO any_type VALUES ({value})">(value);
    }
    // What stands in the column when `value` was bound.
    template <class Stored>
    Stored stored(auto const& value) {
        EXPECT_TRUE(store(value));
        return **(db->query_one<"SELECT value FROM any_type", Stored>());
    }
    template <class T>
    T round_trip(T const& value) {
        return stored<T>(value);
    }
    template <class T>
    std::string misfit(auto const& value) {
        EXPECT_TRUE(store(value));
        auto const read = db->query_one<"SELECT value FROM any_type", T>();
        EXPECT_FALSE(read);
        if (read || read.error().fields.size() != 1) return "no misfit";
        EXPECT_EQ(read.error().fields[0].field, "value");
        return read.error().message;
    }

    std::shared_ptr<Database> db = *Database::open_temporary();
};

TEST_F(SqliteValueTest, AnEnumerationIsStoredByItsNames) {
    EXPECT_EQ(stored<std::string>(Size::large), "large");
    EXPECT_EQ(round_trip(Size::huge), Size::huge);
    EXPECT_EQ(misfit<Size>("medium"),
              "The column \"value\" holds text where one of small, large, huge is wanted.");
    EXPECT_EQ(misfit<Size>(1),
              "The column \"value\" holds a whole number where one of small, large, huge is wanted.");
    EXPECT_EQ(misfit<Size>(nullptr),
              "The column \"value\" holds NULL where one of small, large, huge is wanted.");
}

TEST_F(SqliteValueTest, AUuidIsStoredInItsUsualForm) {
    auto const uuid = *Uuid::parse("01234567-89ab-cdef-0123-456789abcdef");
    EXPECT_EQ(stored<std::string>(uuid), "01234567-89ab-cdef-0123-456789abcdef");
    EXPECT_EQ(round_trip(uuid), uuid);
    EXPECT_EQ(stored<Uuid>("01234567-89AB-CDEF-0123-456789ABCDEF"), uuid);
    EXPECT_EQ(misfit<Uuid>("01234567"), "The column \"value\" holds text where a UUID is wanted.");
}

TEST_F(SqliteValueTest, AMomentIsStoredAsADate) {
    using namespace std::chrono;
    Timestamp const moment = sys_days(2026y / January / 31) + 23h + 59min + 59s + 123ms;
    EXPECT_EQ(stored<std::string>(moment), "2026-01-31 23:59:59.123Z");
    EXPECT_EQ(round_trip(moment), moment);
    EXPECT_EQ(stored<Timestamp>("2026-01-31 23:59:59"), moment - 123ms);
    EXPECT_EQ(stored<Timestamp>("2026-02-01T00:59:59.123+01:00"), moment);
    EXPECT_EQ(round_trip(timestamp_min), timestamp_min);
    EXPECT_EQ(round_trip(timestamp_max), timestamp_max);
    EXPECT_EQ(misfit<Timestamp>("2026-02-30"),
              "The column \"value\" holds text where a date as 2026-01-31 23:59:59.123Z is wanted.");
}

TEST_F(SqliteValueTest, ATypeOfOnesOwnIsStoredAsItSays) {
    EXPECT_EQ(stored<std::int64_t>(shop::Money{250}), 250);
    EXPECT_EQ(round_trip(shop::Money{250}), shop::Money{250});
    EXPECT_EQ(misfit<shop::Money>(-1),
              "The column \"value\" holds a whole number where an amount in cents is wanted.");
    shop::Tags const tags{{"one", "another that is longer than a short string"}};
    EXPECT_EQ(stored<std::string>(tags), "one another that is longer than a short string ");
    shop::Colour const red{{std::byte{255}, std::byte{0}, std::byte{0}}};
    EXPECT_EQ(round_trip(red), red);
    EXPECT_EQ(misfit<shop::Colour>(std::vector<std::byte>(2)),
              "The column \"value\" holds bytes where three bytes is wanted.");
    EXPECT_EQ(round_trip(shop::Even{21}).half, 21);
    EXPECT_EQ(misfit<shop::Even>(std::int64_t{1} << 40),
              "The column \"value\" holds a whole number where an even number is wanted.");
}

TEST_F(SqliteValueTest, NothingIsNull) {
    EXPECT_EQ(round_trip(std::optional<Size>()), std::nullopt);
    EXPECT_EQ(round_trip(std::optional(Size::large)), Size::large);
    EXPECT_EQ(round_trip(std::optional<Uuid>()), std::nullopt);
    EXPECT_EQ(round_trip(std::optional(Uuid())), Uuid());
    EXPECT_EQ(round_trip(std::optional<Timestamp>()), std::nullopt);
    EXPECT_EQ(round_trip(std::optional(shop::Money{7})), shop::Money{7});
    EXPECT_EQ(stored<std::optional<shop::Money>>(nullptr), std::nullopt);
}

TEST_F(SqliteValueTest, WhatHasNoStoredFormIsRefused) {
    auto const refused = [this](auto const& value) {
        auto const made = db->execute<"INSERT INTO any_type VALUES ({value})">(value);
        if (made) return std::string("stored");
        EXPECT_EQ(made.error().code, ErrorCode::validation);
        return made.error().message;
    };
    EXPECT_EQ(refused(static_cast<Size>(7)), "The value of parameter 1 cannot be stored.");
    EXPECT_EQ(refused(std::optional(static_cast<Size>(7))), "The value of parameter 1 cannot be stored.");
    EXPECT_EQ(refused(timestamp_max + std::chrono::milliseconds(1)),
              "The value of parameter 1 cannot be stored.");
    EXPECT_EQ(refused(timestamp_min - std::chrono::milliseconds(1)),
              "The value of parameter 1 cannot be stored.");
    EXPECT_EQ(**(db->query_one<"SELECT count(*) FROM any_type", std::int64_t>()), 0);
    EXPECT_FALSE((db->query<"SELECT {value}", Size>(static_cast<Size>(7))));
    EXPECT_EQ(refused(Size::small), "stored");
}

TEST_F(SqliteValueTest, TheyAreMembersOfRowsAndConditions) {
    using namespace std::chrono_literals;
    ASSERT_TRUE(db->migrate({"CREATE TABLE any_type (value)",
                             "CREATE TABLE articles (id TEXT PRIMARY KEY, size TEXT NOT NULL, "
                             "price INTEGER, added TEXT NOT NULL) STRICT"}));
    auto const first = *Uuid::parse("00000000-0000-4000-8000-000000000001");
    auto const second = *Uuid::parse("00000000-0000-4000-8000-000000000002");
    auto const add = [this](shop::Article const& article) {
        EXPECT_TRUE(db->execute<"INSERT INTO articles VALUES ({id}, {size}, {price}, {added})">(
            article.id, article.size, article.price, article.added));
    };
    add({first, Size::large, shop::Money{100}, Timestamp(1ms)});
    add({second, Size::small, std::nullopt, Timestamp(2ms)});
    auto const found = db->query<
        "SELECT id, size, price, added FROM articles WHERE added > {after} AND "
        "size IN ({a}, {b}) ORDER BY id",
        shop::Article>(Timestamp(1ms), Size::small, Size::large);
    ASSERT_TRUE(found);
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ((*found)[0].id, second);
    EXPECT_EQ((*found)[0].size, Size::small);
    EXPECT_EQ((*found)[0].price, std::nullopt);
    EXPECT_EQ((*found)[0].added, Timestamp(2ms));
    auto const priced =
        db->query_one<"SELECT id, price FROM articles WHERE price = {price}", std::tuple<Uuid, shop::Money>>(
            shop::Money{100});
    EXPECT_EQ(**priced, (std::tuple(first, shop::Money{100})));
}

}  // namespace
}  // namespace quern

// SPDX-License-Identifier: Apache-2.0

// Plans and the text they become, word for word.

#include "engine/sql/query.h"

#include <gtest/gtest.h>

#include "engine/sql/test_schema.h"

namespace quern::engine::sql {
namespace {

using plan::compare;
using plan::Comparison;
using plan::parameter;
using test::blog;
using test::column;
using test::from;
using test::hop;
using test::some;

std::string where_of(plan::Plan const& plan, Comparing comparing = Comparing::by_column_type) {
    std::string const text = count(plan, sqlite_dialect(), comparing).text;
    auto const start = text.find(" WHERE ");
    return start == std::string::npos ? "" : text.substr(start + 7);
}

std::string where_of(plan::Plan plan, plan::Condition where,
                     Comparing comparing = Comparing::by_column_type) {
    plan.where = std::move(where);
    return where_of(plan, comparing);
}

TEST(Select, NamesSourcesColumnsSortAndBounds) {
    auto plan = from(blog(), "posts");
    plan.output = {column(plan, 0, "id"), column(plan, 0, "title"),
                   plan::column(0, Collection::version_field), plan::column(0, Collection::rowid_field)};
    plan.where = compare(column(plan, 0, "title"), Comparison::equal, parameter(0));
    plan.sort = {{plan::SortKey::Kind::operand, column(plan, 0, "views"), true},
                 {plan::SortKey::Kind::operand, column(plan, 0, "id"), false}};
    plan.limit = 1;
    plan.offset = 2;
    auto const statement = select(plan, sqlite_dialect());
    EXPECT_EQ(
        statement.text,
        "SELECT s0.\"id\", s0.\"title\", s0.\"_v\", s0.rowid FROM \"posts\" AS s0 WHERE s0.\"title\" = ?1 "
        "ORDER BY s0.\"views\" DESC, s0.\"id\" LIMIT ?2 OFFSET ?3");
    ASSERT_EQ(statement.bindings.size(), 3U);
    EXPECT_EQ(statement.bindings[0].parameter, 0);
    EXPECT_EQ(statement.bindings[0].accepts, accepts_text);
    EXPECT_EQ(statement.bindings[1].accepts, accepts_all);
}

TEST(Select, RandomOrderAndOffsetAlone) {
    auto plan = from(blog(), "posts");
    plan.sort = {{plan::SortKey::Kind::random, {}, false}};
    plan.offset = 0;
    EXPECT_EQ(select(plan, sqlite_dialect()).text,
              "SELECT 1 FROM \"posts\" AS s0 ORDER BY random() LIMIT -1 OFFSET ?1");
}

TEST(Select, MultipleRelationIsGathered) {
    auto plan = from(blog(), "posts");
    plan.output = {column(plan, 0, "tags")};
    EXPECT_EQ(
        select(plan, sqlite_dialect()).text,
        "SELECT (SELECT json_group_array(\"target\") FROM (SELECT \"target\" FROM \"posts__tags\" WHERE "
        "\"owner\" = s0.\"id\" ORDER BY \"position\")) FROM \"posts\" AS s0");
}

TEST(Select, JoinedSourceComesFromTheLeftWithItsGuard) {
    auto plan = from(blog(), "posts");
    auto const author = hop(plan, plan::Hop::to_one, 0, "users", "author");
    plan.joined = {author};
    plan.sources[author].guard = compare(column(plan, author, "name"), Comparison::equal, parameter(0), true);
    plan.output = {column(plan, author, "name")};
    EXPECT_EQ(
        select(plan, sqlite_dialect()).text,
        "SELECT s1.\"name\" FROM \"posts\" AS s0 LEFT JOIN \"users\" AS s1 ON s1.\"id\" = s0.\"author\" AND "
        "s1.\"name\" IS NOT ?1");
}

TEST(Count, DropsWhatOnlyOutputAndSortNeed) {
    auto plan = from(blog(), "posts");
    auto const author = hop(plan, plan::Hop::to_one, 0, "users", "author");
    auto const boss = hop(plan, plan::Hop::to_one, author, "users", "boss");
    plan.joined = {author, boss};
    plan.output = {column(plan, boss, "name")};
    plan.limit = 0;
    EXPECT_EQ(count(plan, sqlite_dialect()).text, "SELECT count(*) FROM \"posts\" AS s0");
    plan.where = plan::is_null(column(plan, boss, "name"));
    EXPECT_EQ(count(plan, sqlite_dialect()).text,
              "SELECT count(*) FROM \"posts\" AS s0 LEFT JOIN \"users\" AS s1 ON s1.\"id\" = s0.\"author\" "
              "LEFT JOIN "
              "\"users\" AS s2 ON s2.\"id\" = s1.\"boss\" WHERE s2.\"name\" IS NULL");
}

TEST(Leaf, ComplementIsExact) {
    auto const plan = from(blog(), "posts");
    auto const title = column(plan, 0, "title");
    auto const body = column(plan, 0, "body");
    auto const text = [&](plan::Condition condition) { return where_of(plan, std::move(condition)); };
    EXPECT_EQ(text(compare(title, Comparison::equal, parameter(0), true)), "s0.\"title\" IS NOT ?1");
    EXPECT_EQ(text(compare(body, Comparison::equal, parameter(0), true)), "(s0.\"body\" = ?1) IS NOT TRUE");
    EXPECT_EQ(text(compare(body, Comparison::same, parameter(0))), "s0.\"body\" IS ?1");
    EXPECT_EQ(text(compare(title, Comparison::same, parameter(0))), "s0.\"title\" = ?1");
    EXPECT_EQ(text(compare(body, Comparison::same, parameter(0), true)), "s0.\"body\" IS NOT ?1");
    EXPECT_EQ(text(compare(title, Comparison::less, parameter(0), true)), "(s0.\"title\" < ?1) IS NOT TRUE");
    EXPECT_EQ(text(compare(title, Comparison::less, column(plan, 0, "id"), true)),
              "s0.\"title\" >= s0.\"id\"");
    EXPECT_EQ(text(compare(title, Comparison::like, parameter(0), true)), "NOT quern_like(s0.\"title\", ?1)");
    EXPECT_EQ(text(compare(title, Comparison::in_list, parameter(0), true)),
              "(s0.\"title\" IN (SELECT value FROM json_each(?1))) IS NOT TRUE");
    EXPECT_EQ(text(plan::is_null(body, true)), "s0.\"body\" IS NOT NULL");
}

TEST(Leaf, PathsAndConstantsAreParameters) {
    auto plan = from(blog(), "posts");
    plan::Operand path;
    path.kind = plan::Operand::Kind::json_path;
    path.column = column(plan, 0, "data").column;
    path.path = {"a\"b", "0", "'); DROP TABLE posts"};
    plan.where = compare(path, Comparison::equal, parameter(0));
    auto const statement = count(plan, sqlite_dialect());
    EXPECT_EQ(statement.text, "SELECT count(*) FROM \"posts\" AS s0 WHERE quern_json(s0.\"data\", ?1) = ?2");
    EXPECT_EQ(statement.bindings[0].text, R"(["a\"b","0","'); DROP TABLE posts"])");
}

TEST(Leaf, NothingIsConvertedToAColumnsType) {
    auto const plan = from(blog(), "posts");
    auto const title = column(plan, 0, "title");
    EXPECT_EQ(where_of(plan, compare(title, Comparison::equal, parameter(0)), Comparing::exactly),
              "+s0.\"title\" = ?1");
    EXPECT_EQ(where_of(plan, compare(title, Comparison::equal, column(plan, 0, "views"))),
              "+s0.\"title\" = +s0.\"views\"");
    plan::Operand length;
    length.kind = plan::Operand::Kind::call;
    length.function = plan::Function::length;
    length.arguments = {column(plan, 0, "kinds")};
    EXPECT_EQ(where_of(plan, compare(length, Comparison::less, title)),
              "quern_length(s0.\"kinds\") < +s0.\"title\"");
    EXPECT_EQ(where_of(plan, compare(length, Comparison::less, column(plan, 0, "views"))),
              "quern_length(s0.\"kinds\") < s0.\"views\"");
}

TEST(Leaf, AnElementNeedNotBeKeptFromATextColumn) {
    auto plan = from(blog(), "posts");
    auto const element = hop(plan, plan::Hop::elements, 0, "", "kinds");
    plan::Operand value;
    value.kind = plan::Operand::Kind::element;
    value.index = element;
    auto const user = hop(plan, plan::Hop::free, plan::no_source, "users", "");
    auto const equal = [&](plan::Operand with) {
        auto const text =
            where_of(plan, some({element, user}, compare(std::move(with), Comparison::equal, value)));
        return text.substr(text.rfind(" AND "));
    };
    EXPECT_EQ(equal(column(plan, user, "id")), " AND s2.\"id\" = s1.value)");
    EXPECT_EQ(equal(column(plan, 0, "views")), " AND +s0.\"views\" = s1.value)");
}

TEST(Leaf, AParameterUsedTwiceAcceptsWhatBothPlacesDo) {
    auto plan = from(blog(), "posts");
    plan.where = plan::any_of({compare(column(plan, 0, "title"), Comparison::equal, parameter(0)),
                               compare(column(plan, 0, "views"), Comparison::equal, parameter(0))});
    auto const statement = count(plan, sqlite_dialect());
    ASSERT_EQ(statement.bindings.size(), 1U);
    EXPECT_EQ(statement.bindings[0].accepts, 0);
}

TEST(Lists, LongOnesAreBalanced) {
    auto const plan = from(blog(), "posts");
    std::vector<plan::Condition> parts;
    for (std::size_t index = 0; index < 1000; ++index) {
        parts.push_back(compare(column(plan, 0, "title"), Comparison::equal, parameter(index)));
    }
    auto const text = where_of(plan, plan::any_of(std::move(parts)));
    std::size_t depth = 0;
    std::size_t deepest = 0;
    for (char const c : text) {
        depth += c == '(' ? 1U : 0U;
        depth -= c == ')' ? 1U : 0U;
        deepest = std::max(deepest, depth);
    }
    EXPECT_LE(deepest, 7U);
    EXPECT_EQ(depth, 0U);
}

TEST(Quantified, PlainWhereTheRowOfNullsCannotMatch) {
    auto plan = from(blog(), "posts");
    auto const tag = hop(plan, plan::Hop::to_many, 0, "tags", "tags");
    auto const is_x = compare(column(plan, tag, "name"), Comparison::equal, parameter(0));
    EXPECT_EQ(
        where_of(plan, some({tag}, is_x)),
        "EXISTS (SELECT 1 FROM \"posts__tags\" AS j1 JOIN \"tags\" AS s1 WHERE j1.\"owner\" = s0.\"id\" AND "
        "s1.\"id\" = j1.\"target\" AND s1.\"name\" = ?1)");
    EXPECT_EQ(
        where_of(plan, some({tag}, plan::negate(is_x), true)),
        "NOT EXISTS (SELECT 1 FROM \"posts__tags\" AS j1 JOIN \"tags\" AS s1 WHERE j1.\"owner\" = s0.\"id\" "
        "AND s1.\"id\" = j1.\"target\" AND s1.\"name\" = ?1)");
}

TEST(Quantified, FromTheLeftWhereItCan) {
    auto plan = from(blog(), "posts");
    auto const tag = hop(plan, plan::Hop::to_many, 0, "tags", "tags");
    auto const is_x = compare(column(plan, tag, "name"), Comparison::equal, parameter(0));
    EXPECT_EQ(where_of(plan, some({tag}, is_x, true)),
              "NOT EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN \"tags\" AS s1 ON s1.\"id\" IN (SELECT "
              "\"target\" FROM "
              "\"posts__tags\" WHERE \"owner\" = s0.\"id\") WHERE (s1.\"name\" = ?1) IS NOT TRUE)");
    EXPECT_EQ(where_of(plan, some({tag}, plan::is_null(column(plan, tag, "name")), false, true)),
              "NOT EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN \"tags\" AS s1 ON s1.\"id\" IN (SELECT "
              "\"target\" FROM "
              "\"posts__tags\" WHERE \"owner\" = s0.\"id\") WHERE s1.\"name\" IS NULL)");
}

TEST(Quantified, EachHop) {
    auto plan = from(blog(), "posts");
    auto const comment = hop(plan, plan::Hop::back, 0, "comments", "post");
    auto const id = hop(plan, plan::Hop::to_many_ids, 0, "tags", "tags");
    auto const element = hop(plan, plan::Hop::elements, 0, "", "kinds");
    auto const user = hop(plan, plan::Hop::free, plan::no_source, "users", "");
    plan::Operand value;
    value.kind = plan::Operand::Kind::element;
    value.index = element;
    EXPECT_EQ(where_of(plan, some({comment},
                                  compare(column(plan, comment, "text"), Comparison::like, parameter(0)))),
              "EXISTS (SELECT 1 FROM \"comments\" AS s1 WHERE s1.\"post\" = s0.\"id\" AND "
              "quern_like(s1.\"text\", ?1))");
    EXPECT_EQ(
        where_of(plan, some({id}, compare(column(plan, id, "id"), Comparison::equal, parameter(0)))),
        "EXISTS (SELECT 1 FROM \"posts__tags\" AS s2 WHERE s2.\"owner\" = s0.\"id\" AND s2.\"target\" = ?1)");
    EXPECT_EQ(
        where_of(plan, some({element}, compare(value, Comparison::equal, parameter(0)))),
        "EXISTS (SELECT 1 FROM json_each(quern_array(s0.\"kinds\")) AS s3 WHERE TRUE AND s3.value = ?1)");
    EXPECT_EQ(
        where_of(plan, some({user}, compare(column(plan, user, "name"), Comparison::equal, parameter(0)))),
        "EXISTS (SELECT 1 FROM \"users\" AS s4 WHERE TRUE AND s4.\"name\" = ?1)");
}

TEST(Quantified, BackThroughAJoinTable) {
    auto plan = from(blog(), "tags");
    auto const post = hop(plan, plan::Hop::back, 0, "posts", "tags");
    auto const predicate = compare(column(plan, post, "title"), Comparison::equal, parameter(0));
    EXPECT_EQ(where_of(plan, some({post}, predicate)),
              "EXISTS (SELECT 1 FROM \"posts__tags\" AS j1 JOIN \"posts\" AS s1 WHERE j1.\"target\" = "
              "s0.\"id\" AND "
              "s1.\"id\" = j1.\"owner\" AND s1.\"title\" = ?1)");
    EXPECT_EQ(where_of(plan, some({post}, predicate, true)),
              "NOT EXISTS (SELECT 1 FROM (SELECT 1) LEFT JOIN \"posts\" AS s1 ON s1.\"id\" IN (SELECT "
              "\"owner\" FROM "
              "\"posts__tags\" WHERE \"target\" = s0.\"id\") WHERE (s1.\"title\" = ?1) IS NOT TRUE)");
}

TEST(Seek, ComparesWholeRowsInOneDirection) {
    auto plan = from(blog(), "posts");
    plan.sort = {{plan::SortKey::Kind::operand, column(plan, 0, "title"), true},
                 {plan::SortKey::Kind::operand, column(plan, 0, "id"), true}};
    plan.has_seek = true;
    plan.seek = {{0, 1}, {false, false}};
    EXPECT_EQ(select(plan, sqlite_dialect()).text,
              "SELECT 1 FROM \"posts\" AS s0 WHERE (s0.\"title\", s0.\"id\") < (?1, ?2) ORDER BY "
              "s0.\"title\" DESC, "
              "s0.\"id\" DESC");
}

TEST(Seek, WritesAlternativesOut) {
    auto plan = from(blog(), "posts");
    plan.sort = {{plan::SortKey::Kind::operand, column(plan, 0, "title"), false},
                 {plan::SortKey::Kind::operand, column(plan, 0, "body"), true},
                 {plan::SortKey::Kind::operand, column(plan, 0, "id"), false}};
    plan.has_seek = true;
    plan.seek = {{0, 1, 2}, {false, false, false}};
    auto const text = select(plan, sqlite_dialect()).text;
    EXPECT_NE(
        text.find(
            "WHERE s0.\"title\" >= ?1 AND ((s0.\"title\" > ?1) OR (s0.\"title\" = ?1 AND (s0.\"body\" < ?2 "
            "OR s0.\"body\" IS NULL)) OR (s0.\"title\" = ?1 AND s0.\"body\" = ?2 AND s0.\"id\" > ?3))"),
        std::string::npos)
        << text;
    plan.seek.null = {false, true, false};
    auto const behind_null = select(plan, sqlite_dialect()).text;
    EXPECT_NE(
        behind_null.find("(s0.\"title\" = ?1 AND FALSE) OR (s0.\"title\" = ?1 AND s0.\"body\" IS NULL AND "
                         "s0.\"id\" > ?2)"),
        std::string::npos)
        << behind_null;
}

TEST(Identifiers, AreQuotedWithDoubling) {
    EXPECT_EQ(identifier(sqlite_dialect(), "a\"b"), "\"a\"\"b\"");
    EXPECT_EQ(identifier(sqlite_dialect(), "[foo]/bar"), "\"[foo]/bar\"");
    EXPECT_EQ(identifier(sqlite_dialect(), "select"), "\"select\"");
}

TEST(Rowid, IsFoundUnderANameThatNoFieldHas) {
    auto const schema = test::schema({test::collection("t", {test::integer("ROWID")})});
    auto plan = from(schema, "t");
    plan.output = {plan::column(0, Collection::rowid_field)};
    EXPECT_EQ(select(plan, sqlite_dialect()).text, "SELECT s0._rowid_ FROM \"t\" AS s0");
}

}  // namespace
}  // namespace quern::engine::sql

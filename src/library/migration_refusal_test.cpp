// SPDX-License-Identifier: Apache-2.0
// What rows, or a model, stand in the way of: the error names it, and nothing is changed.
#include <quern/migration.h>

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "library/migration_test_tables.h"

namespace quern {
namespace {

using test::column;
using test::id_column;
using test::in_slot;
using test::infos;
using test::nullable;
using test::one_of;
using test::rows;
using test::shape;
using test::TestTable;
using enum ColumnType;

constexpr std::string_view low_high[] = {"low", "high"};

class MigrationRefusalTest : public testing::Test {
protected:
    static TestTable table(std::vector<ColumnInfo> columns) {
        TestTable made;
        made.columns.push_back(id_column);
        made.columns.insert(made.columns.end(), columns.begin(), columns.end());
        return made;
    }
    void start(std::vector<TestTable> tables, std::initializer_list<std::string_view> inserts) {
        kept = std::move(tables);
        auto const made = apply_models(*db, infos(kept));
        ASSERT_TRUE(made) << made.error().message;
        test::run(*db, inserts);
    }
    // The error of applying, which must leave everything as it was.
    Error refusal(std::vector<TestTable> tables, ApplyOptions options = {}) {
        std::string const shape_before = shape(*db);
        std::string const rows_before = content();
        kept = std::move(tables);
        auto const applied = apply_models(*db, infos(kept), options);
        EXPECT_FALSE(applied) << applied->script();
        EXPECT_EQ(shape(*db), shape_before);
        EXPECT_EQ(content(), rows_before);
        return applied ? Error(ErrorCode::internal, "It was applied.") : applied.error();
    }
    // Applies what loses data, which is refused without the permission.
    void lose(std::vector<TestTable> tables, std::string_view field) {
        Error const error = refusal(tables);
        EXPECT_EQ(error.code, ErrorCode::validation);
        ASSERT_EQ(error.fields.size(), 1U) << error.message;
        EXPECT_EQ(error.fields[0].field, field);
        EXPECT_EQ(error.fields[0].code, "loses_data");
        kept = std::move(tables);
        auto const planned = plan_migration(*db, infos(kept));
        ASSERT_TRUE(planned) << planned.error().message;
        EXPECT_TRUE(planned->loses_data());
        auto const applied = apply_models(*db, infos(kept), {.allow_loss = true});
        ASSERT_TRUE(applied) << applied.error().message;
        EXPECT_TRUE(apply_models(*db, infos(kept))->empty());
    }
    std::string content() {
        if (rows(*db, "SELECT name FROM sqlite_schema WHERE name = 't'").empty()) return {};
        std::string columns;
        auto const read = db->query_each<"SELECT name FROM pragma_table_info('t')", std::string_view>(
            [&columns](std::string_view name) {
                columns +=
                    (columns.empty() ? "quote(" : " || '|' || quote(") + detail::quoted_name(name) + ")";
            });
        EXPECT_TRUE(read);
        return rows(*db, "SELECT " + columns + " FROM t");
    }
    static void expect(Error const& error, ErrorCode code, std::string_view field, std::string_view part) {
        EXPECT_EQ(error.code, code) << error.message;
        ASSERT_FALSE(error.fields.empty()) << error.message;
        EXPECT_EQ(error.fields[0].field, field);
        EXPECT_NE(error.message.find(part), std::string::npos) << error.message;
    }

    std::shared_ptr<Database> db = *Database::open_temporary();
    std::vector<TestTable> kept;
};

TEST_F(MigrationRefusalTest, ARequiredColumnNeedsADefaultWhereThereAreRows) {
    start({table({})}, {"INSERT INTO t VALUES (1)"});
    Error const error = refusal({table({column("a", text)})}, {.allow_loss = true});
    expect(error, ErrorCode::validation, "t.a", "default_to");
    EXPECT_EQ(error.fields[0].code, "required");
    auto const planned = plan_migration(*db, infos(kept));
    EXPECT_EQ(planned.error(), error) << "a plan tells it too";
}

TEST_F(MigrationRefusalTest, AColumnThatMustNotBeNullNamesTheRowThatIs) {
    start({table({nullable("a", text)})}, {"INSERT INTO t VALUES (1, 'x'), (42, NULL)"});
    expect(refusal({table({column("a", text)})}, {.allow_loss = true}), ErrorCode::validation, "t.a",
           "the key 42");
}

TEST_F(MigrationRefusalTest, WhatDoesNotConvertNamesTheRow) {
    struct Case {
        ColumnType from;
        std::string_view value;
        ColumnType to;
    };
    for (Case const& one : std::vector<Case>{{text, "'x'", integer},
                                             {text, "'012'", integer},
                                             {text, "'1.0'", integer},
                                             {text, "''", integer},
                                             {text, "' 1'", real},
                                             {text, "'1.50'", real},
                                             {text, "'9223372036854775808'", integer},
                                             {text, "'true'", boolean},
                                             {text, "'a'", blob},
                                             {real, "3.5", integer},
                                             {real, "1e19", integer},
                                             {real, "-9e999", integer},
                                             {real, "0.1", blob},
                                             {integer, "9007199254740993", real},
                                             {integer, "2", boolean},
                                             {blob, "x'61'", text},
                                             {blob, "x'31'", integer}}) {
        SCOPED_TRACE(one.value);
        db = *Database::open_temporary();
        start({table({column("a", one.from)})}, {"INSERT INTO t VALUES (7, " + std::string(one.value) + ")"});
        for (bool const allow_loss : {false, true}) {
            Error const error = refusal({table({column("a", one.to)})}, {.allow_loss = allow_loss});
            expect(error, ErrorCode::validation, "t.a", "the key 7 ");
            EXPECT_EQ(error.fields[0].code, "type_mismatch");
        }
    }
}

TEST_F(MigrationRefusalTest, WhatDoesNotConvertIsLostWhereItMayBe) {
    start({table({column("a", text)})}, {"INSERT INTO t VALUES (1, '12'), (2, 'x'), (3, '13')"});
    lose({table({nullable("a", integer)})}, "t.a");
    EXPECT_EQ(content(), "1|12\n2|NULL\n3|13");
    start({}, {"UPDATE t SET a = 2 WHERE id = 2"});
    lose({table({column("a", boolean, true)})}, "t.a");
    EXPECT_EQ(content(), "1|1\n2|1\n3|1");
}

TEST_F(MigrationRefusalTest, ADroppedChoiceIsLostWhereItMayBe) {
    start({table({column("a", text)})}, {"INSERT INTO t VALUES (1, 'low'), (2, 'mid')"});
    expect(refusal({table({one_of(column("a", text), low_high)})}, {.allow_loss = true}),
           ErrorCode::validation, "t.a", "none of its choices");
    lose({table({one_of(column("a", text, "high"), low_high)})}, "t.a");
    EXPECT_EQ(content(), "1|'low'\n2|'high'");
}

TEST_F(MigrationRefusalTest, ADroppedColumnIsLost) {
    start({table({nullable("a", text), nullable("b", text)})},
          {"INSERT INTO t VALUES (1, NULL, NULL), (2, NULL, 'x')"});
    lose({table({})}, "t.b");
    EXPECT_EQ(content(), "1\n2");
}

// The script does elsewhere what it does here.
TEST_F(MigrationRefusalTest, AScriptLosesWhatThePlanSays) {
    start({table({column("a", text)})}, {"INSERT INTO t VALUES (1, 'x')"});
    kept = {table({nullable("a", integer)})};
    auto const planned = plan_migration(*db, infos(kept));
    ASSERT_TRUE(planned);
    test::run(*db, "INSERT INTO t VALUES (2, 'y'), (3, '3')");
    ASSERT_TRUE(db->migrate({planned->script()}));
    EXPECT_EQ(content(), "1|NULL\n2|NULL\n3|3");
}

TEST_F(MigrationRefusalTest, AUniqueIndexNamesItsColumnsAndTwoRows) {
    start({table({column("a", text), nullable("b", integer)})},
          {"INSERT INTO t VALUES (1, 'x', 1), (2, 'x', NULL), (3, 'x', NULL), (5, 'x', 1)"});
    TestTable after = kept[0];
    after.indexes = {{{1, 2}, true}};
    Error const error = refusal({after});
    expect(error, ErrorCode::conflict, "t.a", "1 and 5");
    ASSERT_EQ(error.fields.size(), 2U);
    EXPECT_EQ(error.fields[1].field, "t.b");
    EXPECT_EQ(error.fields[1].code, "not_unique");

    test::run(*db, "DELETE FROM t WHERE id = 5");
    kept = {after};
    EXPECT_TRUE(apply_models(*db, infos(kept)));
}

TEST_F(MigrationRefusalTest, AUniqueIndexSeesWhatIsConverted) {
    start({table({column("a", real)})}, {"INSERT INTO t VALUES (1, 0.0), (2, -0.0)"});
    TestTable after = table({column("a", integer)});
    after.indexes = {{{1}, true}};
    expect(refusal({after}), ErrorCode::conflict, "t.a", "1 and 2");
}

// Also of an index that was there before, over values that were different.
TEST_F(MigrationRefusalTest, WhatIsConvertedIsStillUnique) {
    TestTable before = table({column("a", text)});
    before.indexes = {{{1}, true}};
    start({before}, {"INSERT INTO t VALUES (1, 'x'), (2, 'y')"});
    TestTable after = before;
    after.columns[1] = column("a", integer, std::int64_t{0});
    expect(refusal({after}, {.allow_loss = true}), ErrorCode::conflict, "t.a", "1 and 2");
    after.key = {1};
    after.key_is_given = false;
    after.indexes.clear();
    expect(refusal({after}, {.allow_loss = true}), ErrorCode::conflict, "t.a", "1 and 2");
}

TEST_F(MigrationRefusalTest, AKeyIsUnique) {
    start({table({column("a", text)})}, {"INSERT INTO t VALUES (1, 'x'), (2, 'x')"});
    TestTable after = kept[0];
    after.key = {1};
    after.key_is_given = false;
    expect(refusal({after}), ErrorCode::conflict, "t.a", "1 and 2");
}

TEST_F(MigrationRefusalTest, AConditionNamesTheRowThatBreaksIt) {
    start({table({column("a", text)})}, {"INSERT INTO t VALUES (1, '5'), (2, '-5')"});
    TestTable after = table({column("a", integer)});
    after.checks = {"t.a > 0"};  // a number by then
    Error const error = refusal({after}, {.allow_loss = true});
    expect(error, ErrorCode::validation, "t", "the key 2 ");
    EXPECT_NE(error.message.find("t.a > 0"), std::string::npos);

    after.checks = {"typeof(a) = 'text'"};  // as it was
    db = *Database::open_temporary();
    TestTable before = table({column("a", text)});
    before.checks = after.checks;
    start({before}, {"INSERT INTO t VALUES (1, '5')"});
    expect(refusal({after}), ErrorCode::validation, "t", "the key 1 ");

    after.checks = {"nobody > 0"};
    Error const wrong = refusal({after});
    EXPECT_EQ(wrong.code, ErrorCode::internal);
    EXPECT_NE(wrong.message.find("nobody"), std::string::npos);
}

TEST_F(MigrationRefusalTest, AReferenceNamesTheRowWhoseTargetIsMissing) {
    TestTable owner = table({column("a", text)});
    owner.name = "owners";
    start({owner, table({nullable("owner", integer)})},
          {"INSERT INTO owners VALUES (1, 'x')", "INSERT INTO t VALUES (1, 1), (2, NULL), (3, 9)"});
    TestTable after = table({nullable("owner", integer)});
    after.references = {{1, in_slot<0>}};
    expect(refusal({owner, after}), ErrorCode::validation, "t.owner", "the key 3 ");
    // To a table that is new, and so has no rows.
    TestTable other = owner;
    other.name = "others";
    expect(refusal({other, after}), ErrorCode::validation, "t.owner", "the key 1 ");
}

TEST_F(MigrationRefusalTest, ATableOfAnotherMakerKeepsWhatItRefersTo) {
    start({table({column("a", text)})}, {"CREATE TABLE other (t INTEGER REFERENCES t (id))",
                                         "INSERT INTO t VALUES (1, '7')", "INSERT INTO other VALUES (1)",
                                         // Broken already, and of tables that no model changes.
                                         "CREATE TABLE broken (x REFERENCES broken (y))"});
    TestTable after = table({column("a", text)});
    after.key = {1};
    after.key_is_given = false;
    Error const error = refusal({after});
    expect(error, ErrorCode::validation, "other", "mismatch");

    after.indexes = {{{0}, true}};  // which does for a target
    kept = {after};
    auto const applied = apply_models(*db, infos(kept));
    EXPECT_TRUE(applied) << applied.error().message;
}

TEST_F(MigrationRefusalTest, AModelThatCannotBeIsRefused) {
    auto const message = [this](std::vector<TestTable> tables) {
        Error const error = refusal(std::move(tables));
        EXPECT_EQ(error.code, ErrorCode::parameter_invalid);
        return error.message;
    };
    EXPECT_EQ(message({table({}), table({})}), "Two models are of the table \"t\".");
    TestTable twice = table({column("a", text)});
    twice.indexes = {{{1}, false}, {{1}, false}};
    EXPECT_EQ(message({twice}), "Two indexes would have the name \"index_t__a\".");

    static TestTable unknown = table({});
    unknown.name = "nobody";
    test::slot<5> = &unknown.info();
    TestTable refers = table({column("a", integer)});
    refers.references = {{1, in_slot<5>}};
    EXPECT_EQ(message({refers}),
              "The table \"t\" refers to \"nobody\", which neither the models nor the file have.");
    test::run(*db, "CREATE TABLE nobody (id INTEGER PRIMARY KEY)");
    kept = {refers};
    EXPECT_TRUE(apply_models(*db, infos(kept)));
}

}  // namespace
}  // namespace quern

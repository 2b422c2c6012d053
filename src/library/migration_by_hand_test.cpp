// SPDX-License-Identifier: Apache-2.0
// Files that others have changed: what is theirs stays, or an error names it.
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
using test::kinds;
using test::nullable;
using test::rows;
using test::shape;
using test::TestTable;
using enum ColumnType;

class MigrationByHandTest : public testing::Test {
protected:
    static TestTable table(std::vector<ColumnInfo> columns) {
        TestTable made;
        made.columns.push_back(id_column);
        made.columns.insert(made.columns.end(), columns.begin(), columns.end());
        return made;
    }
    static TestTable checked(TestTable made) {
        made.checks = {"id > 0"};
        return made;
    }
    // What is done, or the error's message.
    std::string apply(std::vector<TestTable> tables, ApplyOptions options = {}) {
        kept = std::move(tables);
        last = Error(ErrorCode::internal);
        auto const applied = apply_models(*db, infos(kept), options);
        if (!applied) {
            last = applied.error();
            return applied.error().message;
        }
        EXPECT_TRUE(apply_models(*db, infos(kept))->empty());
        return kinds(*applied);
    }
    static bool names(std::string const& message, std::string_view name) {
        return message.find(name) != std::string::npos;
    }

    std::shared_ptr<Database> db = *Database::open_temporary();
    std::vector<TestTable> kept;
    Error last{ErrorCode::internal};
};

TEST_F(MigrationByHandTest, AColumnThatNoMemberStandsForIsDroppedWhenItIsEmpty) {
    apply({table({})});
    test::run(*db, {"ALTER TABLE t ADD COLUMN extra TEXT", "INSERT INTO t (id) VALUES (1)"});
    EXPECT_EQ(apply({table({})}), "drop_column");
    test::run(*db, {"ALTER TABLE t ADD COLUMN extra  TEXT", "UPDATE t SET extra = 'x'"});
    EXPECT_TRUE(names(apply({table({})}), "t.extra"));
    EXPECT_EQ(last.code, ErrorCode::validation);
    EXPECT_EQ(rows(*db, "SELECT extra FROM t"), "x");
}

TEST_F(MigrationByHandTest, ATableOfAnotherMakerIsTakenOver) {
    test::run(*db, {"create table T /* hand-made */ (\n  [ID] integer primary key, -- the key\n  a "
                    "varchar(20) not null default \"x\", n numeric, flag bool default TRUE)",
                    "INSERT INTO t VALUES (1, 'y', '12', 1), (2, 34, NULL, 0)"});
    std::vector<ColumnInfo> const columns = {column("a", text, "x"), nullable("n", integer),
                                             column("flag", boolean, true)};
    EXPECT_EQ(apply({table(columns)}), "change_column change_column change_column rebuild_table");
    EXPECT_EQ(rows(*db, "SELECT concat_ws('|', id, quote(a), quote(n), flag) FROM t"),
              "1|'y'|12|1\n2|'34'|NULL|0");
}

TEST_F(MigrationByHandTest, AWrongValueOfATableThatIsNotStrictIsFound) {
    test::run(*db, {"CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL)",
                    "INSERT INTO t VALUES (1, 2), (3, 'x')"});
    EXPECT_TRUE(names(apply({table({column("a", integer)})}), "the key 3 "));
    test::run(*db, "UPDATE t SET a = 4 WHERE id = 3");
    EXPECT_EQ(apply({table({column("a", integer)})}), "rebuild_table");
}

TEST_F(MigrationByHandTest, AnotherTypeInTheFileIsChanged) {
    test::run(*db, {"CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b INT NOT NULL) STRICT",
                    "INSERT INTO t VALUES (1, '2', 3)"});
    EXPECT_EQ(apply({table({column("a", integer), column("b", integer)})}), "change_column rebuild_table");
    EXPECT_EQ(rows(*db, "SELECT quote(a) || quote(b) FROM t"), "23");
}

TEST_F(MigrationByHandTest, AKeyThatIsNotGivenBecomesOne) {
    test::run(*db, {"CREATE TABLE t (id INT PRIMARY KEY NOT NULL) STRICT", "INSERT INTO t VALUES (5)"});
    EXPECT_EQ(apply({table({})}), "change_column rebuild_table");
    test::run(*db, "INSERT INTO t DEFAULT VALUES");
    EXPECT_EQ(rows(*db, "SELECT id || '' FROM t"), "5\n6");
}

TEST_F(MigrationByHandTest, RowsWithoutAKeyGetOne) {
    test::run(*db, {"CREATE TABLE t (a TEXT NOT NULL) STRICT", "INSERT INTO t VALUES ('x'), ('y')"});
    EXPECT_EQ(apply({table({column("a", text)})}), "add_column rebuild_table");
    EXPECT_EQ(rows(*db, "SELECT id || a FROM t"), "1x\n2y");
}

TEST_F(MigrationByHandTest, TheSameInOtherWordsNeedsNothing) {
    test::run(*db, {"CREATE TABLE o (id INTEGER PRIMARY KEY) STRICT",
                    "CREATE TABLE t (id integer primary key not null, a text NOT NULL UNIQUE DEFAULT ('x'), "
                    "o int CONSTRAINT target REFERENCES O ON DELETE SET NULL, flag INTEGER not null "
                    "default false CONSTRAINT c check (flag in(0,1)) CHECK(/* so */ ID > 0)) strict"});
    TestTable wanted =
        table({column("a", text, "x"), nullable("o", integer), column("flag", boolean, false)});
    wanted.indexes = {{{1}, true}};
    wanted.references = {{2, in_slot<0>, OnDelete::set_null}};
    TestTable other = table({});
    other.name = "o";
    EXPECT_EQ(apply({other, checked(wanted)}), "");
}

TEST_F(MigrationByHandTest, IndexesTriggersAndViewsOfOthersStay) {
    apply({table({column("a", text), nullable("n", integer)})});
    test::run(*db, {"CREATE TABLE log (entry TEXT)", "CREATE INDEX mine ON t (upper(a)) WHERE n > 0",
                    "CREATE UNIQUE INDEX index_other ON t (a COLLATE NOCASE DESC)",
                    "CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END",
                    "CREATE TRIGGER cleared AFTER DELETE ON log BEGIN DELETE FROM t; END",
                    "CREATE VIEW names AS SELECT a AS name FROM t",
                    "CREATE VIEW name_count AS SELECT count(name) AS count FROM names",
                    "INSERT INTO t VALUES (1, 'x', 1)"});
    EXPECT_EQ(apply({checked(table({column("a", text), nullable("n", text)}))}),
              "change_column rebuild_table");
    EXPECT_EQ(rows(*db, "SELECT name FROM sqlite_schema WHERE type <> 'table' ORDER BY name"),
              "cleared\nindex_other\nmine\nname_count\nnames\nnoted");
    test::run(*db, "INSERT INTO t VALUES (2, 'y', 1)");
    EXPECT_EQ(rows(*db, "SELECT entry FROM log"), "x\ny") << "and the copy did not run the trigger";
    EXPECT_EQ(rows(*db, "SELECT count || '' FROM name_count"), "2");
    test::run(*db, "DELETE FROM log");
    EXPECT_EQ(rows(*db, "SELECT a FROM t"), "");
}

TEST_F(MigrationByHandTest, RenamesReachWhatOthersMade) {
    apply({table({column("a", text)})});
    test::run(*db, {"CREATE TABLE log (entry TEXT)", "CREATE INDEX mine ON t (upper(a))",
                    "CREATE TRIGGER noted AFTER INSERT ON t BEGIN INSERT INTO log VALUES (new.a); END",
                    "CREATE VIEW names AS SELECT a AS a FROM t"});
    TestTable after = checked(table({test::renamed(column("b", text), "a")}));
    after.name = "u";
    after.renamed_from = "t";
    EXPECT_EQ(apply({after}), "rename_table rename_column rebuild_table");
    test::run(*db, "INSERT INTO u VALUES (1, 'x')");
    EXPECT_EQ(rows(*db, "SELECT entry || (SELECT a FROM names) FROM log"), "xx");
}

TEST_F(MigrationByHandTest, ARenameIsOverWhereTheNewNameIsThere) {
    apply({table({column("a", text)})});
    test::run(*db, {"CREATE TABLE u (id INTEGER PRIMARY KEY, b TEXT, a TEXT) STRICT"});
    TestTable after = table({nullable("a", text), test::renamed(nullable("b", text), "a")});
    after.name = "u";
    after.renamed_from = "t";
    EXPECT_EQ(apply({after}), "");
    EXPECT_EQ(rows(*db, "SELECT name FROM sqlite_schema ORDER BY name"), "t\nu");
}

TEST_F(MigrationByHandTest, WhatNeedsADroppedColumnIsNamed) {
    TestTable const both = table({column("a", text), nullable("b", text)});
    for (TestTable const& after : {table({column("a", text)}), checked(table({column("a", text)}))}) {
        for (std::string_view const made :
             {"CREATE VIEW needy AS SELECT b FROM t", "CREATE INDEX needy ON t (a, b)",
              "CREATE INDEX needy ON t (a) WHERE \"B\" > 0",
              "CREATE TRIGGER needy AFTER INSERT ON t WHEN new.b > 0 BEGIN SELECT 1; END",
              "CREATE TRIGGER needy AFTER UPDATE OF b ON t BEGIN SELECT 1; END",
              "CREATE TRIGGER needy AFTER DELETE ON other BEGIN UPDATE t SET b = 1; END",
              "CREATE TRIGGER needy INSTEAD OF INSERT ON seen BEGIN INSERT INTO t (b) VALUES (1); END"}) {
            SCOPED_TRACE(made);
            db = *Database::open_temporary();
            apply({both});
            test::run(*db, {"CREATE TABLE other (x)", "CREATE VIEW seen AS SELECT a FROM t",
                            "INSERT INTO t VALUES (1, 'x', NULL)", made});
            std::string const before = shape(*db);
            EXPECT_TRUE(names(apply({after}), "needy")) << last.message;
            EXPECT_EQ(last.code, ErrorCode::validation);
            EXPECT_EQ(shape(*db), before);
            test::run(*db, "DROP " + std::string(made.substr(7, made.find(' ', 7) - 7)) + " needy");
            EXPECT_TRUE(names(apply({after}), "drop_column"));
        }
    }
}

TEST_F(MigrationByHandTest, WhatWasBrokenBeforeIsInNobodysWay) {
    apply({table({column("a", text)})});
    test::run(*db, {"CREATE TABLE gone (x)", "CREATE VIEW stale AS SELECT x FROM gone",
                    "CREATE VIEW stale_too AS SELECT * FROM stale", "DROP TABLE gone"});
    EXPECT_EQ(apply({checked(table({column("a", text)}))}), "rebuild_table");
}

// SQLite reads all views when it renames or drops a column, and cannot go on without one of them.
TEST_F(MigrationByHandTest, AViewThatWasBrokenBeforeIsNamedWhereAlterTableStumbles) {
    apply({table({column("a", text), nullable("b", text)})});
    test::run(*db, {"CREATE TABLE gone (x)", "CREATE VIEW stale AS SELECT x FROM gone", "DROP TABLE gone"});
    std::string const before = shape(*db);
    EXPECT_TRUE(names(apply({table({test::renamed(column("c", text), "a"), nullable("b", text)})}), "stale"));
    EXPECT_EQ(last.code, ErrorCode::validation);
    EXPECT_TRUE(names(apply({table({column("a", text)})}), "stale"));
    EXPECT_EQ(last.code, ErrorCode::validation);
    EXPECT_EQ(shape(*db), before);
}

TEST_F(MigrationByHandTest, WhatNoModelCanSayStaysUntilTheTableIsRebuilt) {
    for (std::string_view const made :
         {"CREATE TABLE t (id INTEGER PRIMARY KEY AUTOINCREMENT, a TEXT NOT NULL) STRICT",
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL COLLATE NOCASE) STRICT",
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL UNIQUE) STRICT",
          "CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL ON CONFLICT IGNORE) STRICT"}) {
        SCOPED_TRACE(made);
        db = *Database::open_temporary();
        test::run(*db, {made, "INSERT INTO t VALUES (1, 'x')"});
        TestTable const plain = table({column("a", text)});
        EXPECT_EQ(apply({plain}), "");
        EXPECT_TRUE(names(apply({checked(plain)}), "what no model can say"));
        EXPECT_EQ(last.code, ErrorCode::validation);
        EXPECT_EQ(apply({checked(plain)}, {.allow_loss = true}), "rebuild_table");
        EXPECT_EQ(rows(*db, "SELECT id || a FROM t"), "1x");
    }
}

TEST_F(MigrationByHandTest, AnIndexWithANameOfTheModelsIsTheirs) {
    TestTable indexed = table({column("a", text)});
    indexed.indexes = {{{1}, false}};
    apply({indexed});
    for (std::string_view const made :
         {"CREATE INDEX index_t__a ON t (a DESC)", "CREATE INDEX index_t__a ON t (a COLLATE NOCASE)",
          "CREATE INDEX index_t__a ON t (a) WHERE a > ''", "CREATE INDEX index_t__a ON t (a, id)",
          "CREATE INDEX index_t__a ON t (lower(a))", "CREATE UNIQUE INDEX index_t__a ON t (a)"}) {
        test::run(*db, {"DROP INDEX index_t__a", made});
        EXPECT_EQ(apply({indexed}), "drop_index create_index") << made;
    }
    test::run(*db, "CREATE INDEX index_t__b ON t (id, a)");
    EXPECT_EQ(apply({indexed}), "drop_index");
}

TEST_F(MigrationByHandTest, AGeneratedColumnBecomesAPlainOne) {
    test::run(*db, {"CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT NOT NULL, b TEXT NOT NULL AS (a || '!') "
                    "STORED) STRICT",
                    "INSERT INTO t VALUES (1, 'x')"});
    TestTable const wanted = table({column("a", text), column("b", text)});
    EXPECT_EQ(apply({wanted}, {.allow_loss = true}), "change_column rebuild_table");
    EXPECT_EQ(rows(*db, "SELECT b FROM t"), "x!");
}

TEST_F(MigrationByHandTest, ANameThatIsTakenByNoTableIsTold) {
    test::run(*db, "CREATE VIEW t AS SELECT 1 AS id");
    EXPECT_EQ(apply({table({})}), "The table \"t\" cannot be made: the file has a view of that name.");
    test::run(*db, {"DROP VIEW t", "CREATE VIRTUAL TABLE t USING fts5(a)"});
    EXPECT_EQ(apply({table({})}),
              "The table \"t\" cannot be made: the file has a virtual table of that name.");
}

TEST_F(MigrationByHandTest, OtherTablesStay) {
    test::run(*db, {"CREATE TABLE other (x, CHECK (x > 0))", "CREATE INDEX index_other__x ON other (x)",
                    "CREATE TABLE quern_new_t (x)", "INSERT INTO quern_new_t VALUES ('mine')"});
    apply({table({})});
    test::run(*db, "INSERT INTO t VALUES (1)");
    EXPECT_EQ(apply({checked(table({}))}), "rebuild_table");
    EXPECT_EQ(rows(*db, "SELECT name FROM sqlite_schema ORDER BY name"),
              "index_other__x\nother\nquern_new_t\nt");
    EXPECT_EQ(rows(*db, "SELECT x FROM quern_new_t"), "mine");
}

}  // namespace
}  // namespace quern

// SPDX-License-Identifier: Apache-2.0
#include <quern/sql_text.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace quern {
namespace {

// "text | names" as SQLite gets it.
std::string translated(std::string_view sql) {
    std::string text(sql.size(), '\0');
    std::size_t size = 0;
    SqlShape const shape = detail::read_sql(sql, text.data(), size);
    EXPECT_EQ(shape.fault, SqlFault::none) << sql;
    text.resize(size);
    text += " |";
    for (std::size_t index = 0; index < shape.bind_count; ++index)
        text += " " + std::string(shape.binds[index]);
    return text;
}

// "2: id, ?" or "?" where the columns cannot be counted.
std::string columns(std::string_view sql) {
    SqlShape const shape = read_sql(sql);
    EXPECT_EQ(shape.fault, SqlFault::none) << sql;
    if (shape.column_count == SqlShape::unknown_count) return "?";
    std::string text = std::to_string(shape.column_count) + ":";
    for (std::size_t index = 0; index < shape.column_count; ++index)
        text += " " + (shape.columns[index].empty() ? "?" : std::string(shape.columns[index]));
    return text;
}

SqlFault fault(std::string_view sql) { return read_sql(sql).fault; }

TEST(SqlTextPlaceholders, BecomeNumberedParameters) {
    EXPECT_EQ(translated("SELECT {a}, {b}, {a}"), "SELECT ?1, ?2, ?1 | a b");
    EXPECT_EQ(translated("SELECT a FROM t WHERE id={id};  -- end {x}"),
              "SELECT a FROM t WHERE id=?1  -- end {x} | id");
    std::string many = "SELECT {a0}";
    for (int index = 1; index < 64; ++index) many += ", {a" + std::to_string(index) + "}";
    EXPECT_NE(translated(many).find("?64"), std::string::npos);
    EXPECT_EQ(fault(many + ", {b}"), SqlFault::too_many_binds);
}

TEST(SqlTextPlaceholders, AreNotThoseInQuotesAndComments) {
    for (std::string_view const sql :
         {"SELECT '{a} it''s ? ; ('", "SELECT \"{a}\"\"?\"", "SELECT `{a}?`", "SELECT [{a}?;]",
          "SELECT 1 -- {a} ? ' (\n", "SELECT 1 /* {a} ? ' ( */", "SELECT 1 - 1 / 2", "SELECT a$b FROM t"}) {
        EXPECT_EQ(translated(sql), std::string(sql) + " |");
    }
    EXPECT_EQ(translated("SELECT {{a}}"), "SELECT {a} |");
}

TEST(SqlText, FaultsAreNamed) {
    EXPECT_EQ(fault(""), SqlFault::empty);
    EXPECT_EQ(fault(" -- nothing"), SqlFault::empty);
    EXPECT_EQ(fault(";"), SqlFault::empty);
    for (std::string_view const open :
         {"SELECT 'a", "SELECT \"a", "SELECT `a", "SELECT [a", "SELECT /* a", "SELECT 'a''"})
        EXPECT_EQ(fault(open), SqlFault::quote) << open;
    EXPECT_EQ(fault("SELECT (1"), SqlFault::parenthesis);
    EXPECT_EQ(fault("SELECT 1)("), SqlFault::parenthesis);
    for (std::string_view const brace :
         {"SELECT {", "SELECT }", "SELECT {}", "SELECT {1a}", "SELECT {a b}", "SELECT {a"})
        EXPECT_EQ(fault(brace), SqlFault::placeholder) << brace;
    for (std::string_view const native : {"SELECT ?", "SELECT ?1", "SELECT :a", "SELECT @a", "SELECT $a"})
        EXPECT_EQ(fault(native), SqlFault::native_parameter) << native;
    EXPECT_EQ(fault("SELECT 1; SELECT 2"), SqlFault::several_statements);
    EXPECT_EQ(fault("SELECT 1; ; /* fine */ "), SqlFault::none);
    for (std::string_view const verb : {"BEGIN", "commit", "END", "ROLLBACK", "SAVEPOINT a", "RELEASE a",
                                        "PRAGMA user_version", "ATTACH 'a' AS b", "DETACH b", "VACUUM"})
        EXPECT_EQ(fault(verb), SqlFault::forbidden) << verb;
    EXPECT_EQ(fault("SELEKT 1"), SqlFault::unknown);
    EXPECT_EQ(fault("'a'"), SqlFault::unknown);
    EXPECT_EQ(fault(std::string_view("SELECT 1\0", 9)), SqlFault::nul);
    EXPECT_EQ(fault(std::string_view("SELECT '\0'", 10)), SqlFault::nul);
    EXPECT_EQ(fault(std::string_view("SELECT 1 --\0", 12)), SqlFault::nul);
}

TEST(SqlText, TellsReadsFromWrites) {
    auto const kind = [](std::string_view sql) { return read_sql(sql).kind; };
    EXPECT_EQ(kind("select 1"), SqlKind::read);
    EXPECT_EQ(kind("VALUES (1)"), SqlKind::read);
    EXPECT_EQ(kind("WITH a AS (SELECT 1), b AS (SELECT 2) SELECT 3"), SqlKind::read);
    EXPECT_EQ(kind("WITH RECURSIVE a(n) AS (SELECT 1) INSERT INTO t SELECT n FROM a"), SqlKind::write);
    EXPECT_EQ(kind("WITH a AS (SELECT 1) DELETE FROM t"), SqlKind::write);
    EXPECT_EQ(kind("REPLACE INTO t VALUES (1)"), SqlKind::write);
    EXPECT_EQ(kind("CREATE TABLE t (a)"), SqlKind::schema);
}

TEST(SqlColumns, AreCountedAndNamed) {
    EXPECT_EQ(columns("SELECT id, title FROM todos"), "2: id title");
    EXPECT_EQ(columns("SELECT DISTINCT t.id, main.t.\"title\" FROM t"), "2: id title");
    EXPECT_EQ(columns("SELECT count(*), max(a, b) AS most, (SELECT 1, 2) FROM t"), "3: ? most ?");
    EXPECT_EQ(columns("SELECT a * b, a || ', ' , 1"), "3: ? ? ?");
    EXPECT_EQ(columns("SELECT a IS DISTINCT FROM b, c FROM t"), "2: ? c");
    EXPECT_EQ(columns("SELECT CASE WHEN a THEN 1 ELSE 2 END AS b WHERE 1"), "1: b");
    EXPECT_EQ(columns("SELECT a b, a AS [c d] FROM t"), "2: ? c d");
    EXPECT_EQ(columns("SELECT a UNION SELECT b"), "1: a");
    EXPECT_EQ(columns("WITH x AS (SELECT 1, 2, 3) SELECT a, b FROM x"), "2: a b");
    EXPECT_EQ(columns("SELECT rank() OVER (ORDER BY a) AS place, /* , */ {x} AS y FROM t LIMIT 1"),
              "2: place y");
    EXPECT_EQ(columns("SELECT * FROM t"), "?");
    EXPECT_EQ(columns("SELECT a, t.* FROM t"), "?");
    EXPECT_EQ(columns("VALUES (1, 2)"), "?");
    EXPECT_EQ(columns("INSERT INTO t (a, b) VALUES (1, 2)"), "0:");
    EXPECT_EQ(columns("INSERT INTO t SELECT a, b FROM u RETURNING id"), "1: id");
    EXPECT_EQ(columns("DELETE FROM t RETURNING *"), "?");
    EXPECT_EQ(columns("CREATE TABLE t (a, b)"), "0:");
}

TEST(SqlText, IsReadAtRunTime) {
    auto const text = SqlText::parse("UPDATE t SET a = {a} WHERE b = {b} OR c = {a}");
    ASSERT_TRUE(text);
    EXPECT_EQ(text->sql(), "UPDATE t SET a = ?1 WHERE b = ?2 OR c = ?1");
    EXPECT_EQ(text->bind_count(), 2U);
    EXPECT_EQ(text->kind(), SqlKind::write);
    auto const wrong = SqlText::parse("SELECT ?");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, ErrorCode::parameter_invalid);
}

}  // namespace
}  // namespace quern

// SPDX-License-Identifier: Apache-2.0
// Every kind of change: what is done, what becomes of the rows, and that it is then done.
#include <quern/migration.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
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
using test::one_of;
using test::renamed;
using test::rows;
using test::shape;
using test::TestTable;
using enum ColumnType;

struct Change {
    std::string_view name;
    std::vector<TestTable> before;
    std::vector<std::string_view> inserts;
    std::vector<TestTable> after;
    std::string_view kinds;
    std::string_view query;
    std::string_view rows;
};

void PrintTo(Change const& change, std::ostream* output) { *output << change.name; }

TestTable table(std::vector<ColumnInfo> columns) {
    TestTable made;
    made.columns.push_back(id_column);
    made.columns.insert(made.columns.end(), columns.begin(), columns.end());
    return made;
}
template <class Edit>
TestTable with(TestTable made, Edit edit) {
    edit(made);
    return made;
}

constexpr std::string_view low_high[] = {"low", "high"};
constexpr std::string_view low_mid_high[] = {"low", "mid", "high"};

std::vector<Change> column_changes() {
    TestTable const plain = table({column("a", text), nullable("n", integer)});
    std::vector<std::string_view> const two = {"INSERT INTO t VALUES (1, 'x', 5)",
                                               "INSERT INTO t VALUES (2, 'y', NULL)"};
    auto const n_is = [&](ColumnInfo const& n) { return table({column("a", text), n}); };
    std::string_view const rebuilt = "change_column rebuild_table";
    std::string_view const ns = "SELECT quote(n) FROM t ORDER BY id";
    auto const min = std::numeric_limits<std::int64_t>::min();
    return {
        {"nothing", {plain}, two, {plain}, "", ns, "5\nNULL"},
        {"table", {}, {}, {plain}, "create_table", "SELECT 'x' FROM t", ""},
        {"other_table",
         {plain},
         two,
         {plain, with(plain, [](auto& t) { t.name = "u"; })},
         "create_table",
         ns,
         "5\nNULL"},
        {"add_nullable",
         {plain},
         two,
         {table({column("a", text), nullable("n", integer), nullable("b", real)})},
         "add_column",
         "SELECT a || quote(n) || quote(b) FROM t",
         "x5NULL\nyNULLNULL"},
        {"add_in_front",
         {plain},
         two,
         {table({nullable("b", blob), column("a", text), nullable("n", integer)})},
         "add_column",
         "SELECT a || quote(b) FROM t",
         "xNULL\nyNULL"},
        {"add_required_to_empty",
         {plain},
         {},
         {table({column("a", text), nullable("n", integer), column("b", text), column("c", boolean)})},
         "add_column add_column",
         "SELECT b FROM t",
         ""},
        {"add_with_defaults",
         {plain},
         two,
         {table({column("a", text), nullable("n", integer), column("i", integer, std::int64_t{-7}),
                 column("m", integer, min), column("b", boolean, true), column("r", real, 1e300),
                 column("w", real, 2.0), column("s", text, "it's \"so\"; -- {x}"),
                 nullable("z", text, nullptr)})},
         "add_column add_column add_column add_column add_column add_column add_column",
         "SELECT concat_ws('|', i, m, b, r, w, s, quote(z)) FROM t WHERE id = 1",
         "-7|-9223372036854775808|1|1.0e+300|2.0|it's \"so\"; -- {x}|NULL"},
        {"drop_empty",
         {plain},
         {"INSERT INTO t VALUES (1, 'x', NULL)"},
         {table({column("a", text)})},
         "drop_column",
         "SELECT a FROM t",
         "x"},
        {"drop_and_add",
         {plain},
         {"INSERT INTO t VALUES (1, 'x', NULL)"},
         {table({column("a", text), column("k", integer, std::int64_t{3})})},
         "add_column drop_column",
         "SELECT a || k FROM t",
         "x3"},
        {"required_by_default",
         {plain},
         two,
         {n_is(column("n", integer, std::int64_t{9}))},
         rebuilt,
         ns,
         "5\n9"},
        {"required",
         {plain},
         {"INSERT INTO t VALUES (1, 'x', 5)"},
         {n_is(column("n", integer))},
         rebuilt,
         ns,
         "5"},
        {"optional",
         {n_is(column("n", integer))},
         {"INSERT INTO t VALUES (1, 'x', 5)"},
         {plain},
         rebuilt,
         ns,
         "5"},
        {"default_new",
         {plain},
         two,
         {n_is(nullable("n", integer, std::int64_t{1}))},
         rebuilt,
         ns,
         "5\nNULL"},
        {"default_gone",
         {n_is(nullable("n", text, "'"))},
         {"INSERT INTO t VALUES (1, 'x', 'a''b')"},
         {n_is(nullable("n", text))},
         rebuilt,
         ns,
         "'a''b'"},
        {"rename_column",
         {plain},
         two,
         {n_is(renamed(nullable("m", integer), "n"))},
         "rename_column",
         "SELECT quote(m) FROM t",
         "5\nNULL"},
        {"rename_column_and_change",
         {plain},
         two,
         {n_is(renamed(column("m", text, "none"), "n"))},
         "rename_column change_column rebuild_table",
         "SELECT quote(m) FROM t ORDER BY id",
         "'5'\n'none'"},
        {"rename_boolean",
         {n_is(column("n", boolean))},
         {"INSERT INTO t VALUES (1, 'x', 1)"},
         {n_is(renamed(column("m", boolean), "n"))},
         "rename_column",
         "SELECT quote(m) FROM t",
         "1"},
        {"renamed_before", {plain}, two, {n_is(renamed(nullable("n", integer), "a"))}, "", ns, "5\nNULL"},
    };
}

std::vector<Change> type_changes() {
    TestTable const plain = table({column("a", text), nullable("n", integer)});
    std::vector<std::string_view> const two = {"INSERT INTO t VALUES (1, 'x', 5)",
                                               "INSERT INTO t VALUES (2, 'y', NULL)"};
    auto const n_is = [&](ColumnInfo const& n) { return table({column("a", text), n}); };
    std::string_view const rebuilt = "change_column rebuild_table";
    std::string_view const ns = "SELECT quote(n) FROM t ORDER BY id";
    return {
        {"integer_to_text", {plain}, two, {n_is(nullable("n", text))}, rebuilt, ns, "'5'\nNULL"},
        {"integer_to_real", {plain}, two, {n_is(nullable("n", real))}, rebuilt, ns, "5.0\nNULL"},
        {"real_to_integer",
         {n_is(column("n", real))},
         {"INSERT INTO t VALUES (1, 'x', 5.0)"},
         {n_is(column("n", integer))},
         rebuilt,
         ns,
         "5"},
        {"text_to_integer",
         {n_is(column("n", text))},
         {"INSERT INTO t VALUES (1, 'x', '-50')"},
         {n_is(column("n", integer))},
         rebuilt,
         ns,
         "-50"},
        {"text_to_real",
         {n_is(column("n", text))},
         {"INSERT INTO t VALUES (1, 'x', '0.5')"},
         {n_is(column("n", real))},
         rebuilt,
         ns,
         "0.5"},
        {"real_to_text",
         {n_is(column("n", real))},
         {"INSERT INTO t VALUES (1, 'x', 0.1)"},
         {n_is(column("n", text))},
         rebuilt,
         ns,
         "'0.1'"},
        {"text_to_boolean",
         {n_is(column("n", text))},
         {"INSERT INTO t VALUES (1, 'x', '1')"},
         {n_is(column("n", boolean))},
         rebuilt,
         ns,
         "1"},
        {"integer_to_boolean",
         {n_is(column("n", integer))},
         {"INSERT INTO t VALUES (1, 'x', 0)"},
         {n_is(column("n", boolean))},
         rebuilt,
         ns,
         "0"},
        {"boolean_to_integer",
         {n_is(column("n", boolean))},
         {"INSERT INTO t VALUES (1, 'x', 1)"},
         {n_is(column("n", integer))},
         "rebuild_table",
         ns,
         "1"},
        {"choices_new",
         {n_is(column("n", text))},
         {"INSERT INTO t VALUES (1, 'x', 'high')"},
         {n_is(one_of(column("n", text), low_high))},
         rebuilt,
         ns,
         "'high'"},
        {"choices_more",
         {n_is(one_of(column("n", text, "low"), low_high))},
         {"INSERT INTO t VALUES (1, 'x', 'high')"},
         {n_is(one_of(column("n", text, "low"), low_mid_high))},
         rebuilt,
         ns,
         "'high'"},
        {"choices_fewer",
         {n_is(one_of(nullable("n", text), low_mid_high))},
         {"INSERT INTO t VALUES (1, 'x', 'high')", "INSERT INTO t VALUES (2, 'x', NULL)"},
         {n_is(one_of(nullable("n", text), low_high))},
         rebuilt,
         ns,
         "'high'\nNULL"},
    };
}

std::vector<Change> table_changes() {
    TestTable const plain = table({column("a", text), nullable("n", integer)});
    std::vector<std::string_view> const two = {"INSERT INTO t VALUES (1, 'x', 5)",
                                               "INSERT INTO t VALUES (2, 'y', 6)"};
    std::string_view const all = "SELECT id || a || n FROM t ORDER BY id";
    std::string_view const kept = "1x5\n2y6";
    auto const indexed = with(plain, [](auto& t) { t.indexes = {{{2}, false}, {{1, 2}, true}}; });
    auto const unique = with(plain, [](auto& t) { t.indexes = {{{2}, true}}; });
    auto const checked = with(plain, [](auto& t) { t.checks = {"n > 0 AND a <> ''''"}; });
    auto const pair_key = [](TestTable& t) {
        t.key = {1, 2};
        t.key_is_given = false;
    };
    auto const pair = with(table({column("a", text), column("n", integer)}), pair_key);
    auto const text_key = [](TestTable& t) {
        t.key = {1};
        t.key_is_given = false;
    };
    return {
        {"index", {plain}, two, {indexed}, "create_index create_index", all, kept},
        {"index_gone", {indexed}, two, {plain}, "drop_index drop_index", all, kept},
        {"index_unique", {indexed}, two, {unique}, "drop_index drop_index create_index", all, kept},
        {"check", {plain}, two, {checked}, "rebuild_table", all, kept},
        {"check_gone", {checked}, two, {plain}, "rebuild_table", all, kept},
        {"check_other",
         {checked},
         two,
         {with(checked, [](auto& t) { t.checks = {"n < 7"}; })},
         "rebuild_table",
         all,
         kept},
        {"rebuilt_with_indexes",
         {indexed},
         two,
         {with(indexed, [](auto& t) { t.checks = {"n < 7"}; })},
         "rebuild_table",
         all,
         kept},
        {"key_of_two", {plain}, two, {pair}, "change_column change_column rebuild_table", all, kept},
        {"key_of_one",
         {pair},
         {"INSERT INTO t VALUES (1, 'x', 5)"},
         {table({column("a", text), column("n", integer)})},
         "rebuild_table",
         all,
         "1x5"},
        {"key_of_text", {plain}, two, {with(plain, text_key)}, "change_column rebuild_table", all, kept},
        {"key_exchanged",
         {pair},
         {"INSERT INTO t VALUES (1, 'x', 5)"},
         {with(pair,
               [](auto& t) {
                   t.key = {2, 1};
               })},
         "rebuild_table",
         all,
         "1x5"},
        {"rename_table",
         {plain},
         two,
         {with(plain, [](auto& t) { t.name = "u", t.renamed_from = "t"; })},
         "rename_table",
         "SELECT id || a || n FROM u",
         kept},
        {"rename_all",
         {with(indexed, [](auto& t) { t.checks = {"n < 7"}; })},
         two,
         {with(indexed,
               [](auto& t) {
                   t.name = "u", t.renamed_from = "t", t.checks = {"m < 8"};
                   t.columns[2] = renamed(column("m", text), "n");
               })},
         "rename_table rename_column drop_index drop_index change_column rebuild_table create_index "
         "create_index",
         "SELECT id || a || m FROM u",
         kept},
    };
}

std::vector<Change> reference_changes() {
    TestTable const owner = with(table({column("a", text)}), [](auto& t) { t.name = "owners"; });
    TestTable const free = table({nullable("owner", integer)});
    auto const referring = [&](OnDelete on_delete) {
        return with(free, [&](auto& t) { t.references = {{1, in_slot<0>, on_delete}}; });
    };
    std::vector<std::string_view> const two = {"INSERT INTO owners VALUES (7, 'x')",
                                               "INSERT INTO t VALUES (1, 7)",
                                               "INSERT INTO t VALUES (2, NULL)"};
    std::string_view const all = "SELECT id || quote(owner) FROM t ORDER BY id";
    std::string_view const kept = "17\n2NULL";
    std::string_view const rebuilt = "change_column rebuild_table";
    TestTable const self = with(table({nullable("up", integer)}), [](auto& t) {
        t.references = {{1, in_slot<0>}};
    });
    TestTable const first = with(table({nullable("b", integer)}), [](auto& t) {
        t.name = "first", t.references = {{1, in_slot<1>, OnDelete::cascade}};
    });
    TestTable const second = with(table({nullable("a", integer)}), [](auto& t) {
        t.name = "second", t.references = {{1, in_slot<0>, OnDelete::set_null}};
    });
    auto const strict_key = [](auto& t) { t.checks = {"id > 0"}; };
    return {
        {"reference", {owner, free}, two, {owner, referring(OnDelete::cascade)}, rebuilt, all, kept},
        {"reference_gone", {owner, referring(OnDelete::cascade)}, two, {owner, free}, rebuilt, all, kept},
        {"reference_other",
         {owner, referring(OnDelete::no_action)},
         two,
         {owner, referring(OnDelete::restrict)},
         rebuilt,
         all,
         kept},
        {"reference_added_with_column",
         {owner, table({})},
         {"INSERT INTO t VALUES (1)"},
         {owner, referring(OnDelete::set_null)},
         "add_column",
         all,
         "1NULL"},
        {"reference_column_dropped",
         {owner, referring(OnDelete::no_action)},
         {"INSERT INTO t VALUES (1, NULL)"},
         {owner, table({})},
         "drop_column rebuild_table",
         "SELECT 'x' FROM t",
         "x"},
        {"target_rebuilt",
         {owner, referring(OnDelete::cascade)},
         two,
         {with(owner, strict_key), referring(OnDelete::cascade)},
         "rebuild_table",
         all,
         kept},
        {"target_renamed",
         {owner, referring(OnDelete::cascade)},
         two,
         {with(owner, [](auto& t) { t.name = "people", t.renamed_from = "owners"; }),
          referring(OnDelete::cascade)},
         "rename_table",
         all,
         kept},
        {"target_key_renamed",
         {owner, referring(OnDelete::cascade)},
         two,
         {with(owner, [](auto& t) { t.columns[0] = renamed(column("number", integer), "id"); }),
          referring(OnDelete::cascade)},
         "rename_column",
         all,
         kept},
        {"set_default",
         {owner, free},
         two,
         {owner, with(referring(OnDelete::set_default),
                      [](auto& t) { t.columns[1] = column("owner", integer, std::int64_t{7}); })},
         rebuilt,
         all,
         "17\n27"},
        {"to_itself", {}, {}, {self}, "create_table", "SELECT 'x' FROM t", ""},
        {"to_itself_rebuilt",
         {self},
         {"INSERT INTO t VALUES (1, NULL)", "INSERT INTO t VALUES (2, 1)"},
         {with(self, strict_key)},
         "rebuild_table",
         "SELECT id || quote(up) FROM t",
         "1NULL\n21"},
        {"circle", {}, {}, {first, second}, "create_table create_table", "SELECT 'x' FROM first", ""},
        {"circle_rebuilt",
         {first, second},
         {"INSERT INTO first VALUES (1, NULL)", "INSERT INTO second VALUES (2, 1)", "UPDATE first SET b = 2"},
         {with(first, strict_key), with(second, strict_key)},
         "rebuild_table rebuild_table",
         "SELECT first.id || b || second.id || a FROM first, second",
         "1221"},
    };
}

std::vector<Change> name_changes() {
    auto const odd = [](std::string_view name) {
        return with(table({column("select", text), nullable("Größe \"ä\"", integer), column("x'y", boolean)}),
                    [name](auto& t) {
                        t.name = name, t.indexes = {{{1}, true}, {{2, 3}, false}};
                        t.checks = {"\"select\" <> 'it''s'"};
                    });
    };
    std::vector<std::string_view> const one = {"INSERT INTO \"order\" VALUES (1, 'a', 2, 1)"};
    auto const other = with(odd("group ü"), [](auto& t) {
        t.renamed_from = "order";
        t.columns[2] = renamed(column("from\ttable", text), "größe \"ä\"");
        t.columns[3] = renamed(column("check", boolean, false), "X'Y");
    });
    return {
        {"odd_names",
         {},
         {},
         {odd("order")},
         "create_table create_index create_index",
         "SELECT 'x' FROM \"order\"",
         ""},
        {"odd_names_kept", {odd("order")}, one, {odd("order")}, "", "SELECT \"select\" FROM \"order\"", "a"},
        {"odd_names_rebuilt",
         {odd("order")},
         one,
         {with(odd("order"), [](auto& t) { t.checks = {"\"Größe \"\"ä\"\"\" > 1"}; })},
         "rebuild_table",
         "SELECT \"select\" || \"x'y\" FROM \"order\"",
         "a1"},
        {"odd_names_renamed",
         {odd("order")},
         one,
         {with(other, [](auto& t) { t.columns[2].renamed_from = "Größe \"ä\""; })},
         "rename_table rename_column rename_column drop_index drop_index change_column change_column "
         "rebuild_table create_index create_index",
         "SELECT \"select\" || \"from\ttable\" || \"check\" FROM \"group ü\"",
         "a21"},
    };
}

std::vector<Change> all_changes() {
    std::vector<Change> all;
    for (auto const& some :
         {column_changes(), type_changes(), table_changes(), reference_changes(), name_changes()})
        all.insert(all.end(), some.begin(), some.end());
    return all;
}

class MigrationMatrixTest : public testing::TestWithParam<Change> {
protected:
    std::shared_ptr<Database> db = *Database::open_temporary();
    std::vector<TestTable> before = GetParam().before;
    std::vector<TestTable> after = GetParam().after;

    void prepare() {
        auto const made = apply_models(*db, infos(before));
        ASSERT_TRUE(made) << made.error().message;
        for (std::string_view const sql : GetParam().inserts) test::run(*db, sql);
    }
    void expect_arrived() {
        auto const tables = infos(after);
        EXPECT_EQ(rows(*db, GetParam().query), GetParam().rows);
        auto const again = plan_migration(*db, tables);
        ASSERT_TRUE(again) << again.error().message;
        EXPECT_TRUE(again->empty()) << again->script();
        auto const applied_again = apply_models(*db, tables);
        ASSERT_TRUE(applied_again) << applied_again.error().message;
        EXPECT_TRUE(applied_again->empty());

        auto const fresh = *Database::open_temporary();
        std::string const script = create_script(tables);
        auto const migrated = fresh->migrate({script});
        ASSERT_TRUE(migrated) << migrated.error().message << script;
        EXPECT_EQ(shape(*db), shape(*fresh));
        EXPECT_TRUE(plan_migration(*fresh, tables)->empty());
    }
};

TEST_P(MigrationMatrixTest, IsDoneOnceAndKeepsTheRows) {
    prepare();
    std::string const shape_before = shape(*db);
    auto const tables = infos(after);
    auto const planned = plan_migration(*db, tables);
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_FALSE(planned->loses_data()) << planned->script();
    EXPECT_EQ(shape(*db), shape_before) << "a plan changes nothing";

    auto const applied = apply_models(*db, tables);
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(kinds(*applied), GetParam().kinds) << applied->script();
    EXPECT_EQ(applied->script(), planned->script());
    expect_arrived();
}

TEST_P(MigrationMatrixTest, IsDoneByItsScriptToo) {
    prepare();
    auto const planned = plan_migration(*db, infos(after));
    ASSERT_TRUE(planned) << planned.error().message;
    std::string const script = planned->script();
    EXPECT_EQ(script.empty(), planned->empty());
    auto const migrated = db->migrate({script});
    ASSERT_TRUE(migrated) << migrated.error().message << script;
    expect_arrived();
}

INSTANTIATE_TEST_SUITE_P(Changes, MigrationMatrixTest, testing::ValuesIn(all_changes()),
                         [](auto const& change) { return std::string(change.param.name); });

}  // namespace
}  // namespace quern

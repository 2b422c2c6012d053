// SPDX-License-Identifier: Apache-2.0
#pragma once

// Models made at run time, for tests that need many that differ in one thing, and what a file has, as text.

#include <quern/migration.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "library/migration_sql.h"

namespace quern::test {

struct TestReference {
    std::uint16_t column = 0;
    TableInfo const& (*target)() = nullptr;
    OnDelete on_delete = OnDelete::no_action;
};

// A model. Its address must not change once it is used.
class TestTable {
public:
    std::string_view name = "t";
    std::string_view renamed_from;
    std::vector<ColumnInfo> columns;
    std::vector<std::uint16_t> key{0};
    bool key_is_given = true;
    std::vector<std::pair<std::vector<std::uint16_t>, bool>> indexes;  // columns, unique
    std::vector<TestReference> references;
    std::vector<std::string_view> checks;

    [[nodiscard]] TableInfo const& info() {
        index_infos_.clear();
        for (auto const& [numbers, unique] : indexes) index_infos_.push_back({numbers, unique});
        reference_infos_.clear();
        for (TestReference const& one : references)
            reference_infos_.push_back({one.column, one.target, one.on_delete});
        info_ = {.name = name,
                 .renamed_from = renamed_from,
                 .columns = columns,
                 .key = key,
                 .key_is_given = key_is_given,
                 .indexes = index_infos_,
                 .references = reference_infos_,
                 .checks = checks};
        return info_;
    }

private:
    std::vector<IndexInfo> index_infos_;
    std::vector<ReferenceInfo> reference_infos_;
    TableInfo info_;
};

// What references in tests point at: the model that was put there last.
template <int Slot>
inline constinit TableInfo const* slot = nullptr;
template <int Slot>
TableInfo const& in_slot() {
    return *slot<Slot>;
}

[[nodiscard]] inline std::vector<TableInfo const*> infos(std::vector<TestTable>& tables) {
    std::vector<TableInfo const*> all;
    for (TestTable& table : tables) all.push_back(&table.info());
    if (!all.empty()) slot<0> = all[0];
    if (all.size() > 1) slot<1> = all[1];
    return all;
}

inline ColumnInfo const id_column{
    .name = "id", .type = ColumnType::integer, .default_value = {}, .choices = {}, .renamed_from = {}};
[[nodiscard]] inline ColumnInfo column(std::string_view name, ColumnType type, ColumnDefault value = {}) {
    return {.name = name, .type = type, .default_value = value, .choices = {}, .renamed_from = {}};
}
[[nodiscard]] inline ColumnInfo nullable(std::string_view name, ColumnType type, ColumnDefault value = {}) {
    ColumnInfo info = column(name, type, value);
    info.nullable = true;
    return info;
}
[[nodiscard]] inline ColumnInfo renamed(ColumnInfo info, std::string_view from) {
    info.renamed_from = from;
    return info;
}
[[nodiscard]] inline ColumnInfo one_of(ColumnInfo info, std::span<std::string_view const> choices) {
    info.choices = choices;
    return info;
}

// By a script of its own, behind those that the file has seen.
inline void run_script(Database& database, std::string_view sql) {
    auto const seen =
        database.query_one<"SELECT user_version FROM pragma_user_version", std::int64_t>().value().value();
    std::vector<std::string_view> scripts(static_cast<std::size_t>(seen));
    scripts.push_back(sql);
    auto const ran = database.migrate(scripts);
    ASSERT_TRUE(ran) << sql << ": " << ran.error().message;
}
inline void run(Database& database, std::string_view sql) {
    if (sql.starts_with("CREATE TRIGGER")) return run_script(database, sql);
    auto const text = SqlText::parse(sql);
    ASSERT_TRUE(text) << sql << ": " << text.error().message;
    auto const ran = database.execute(*text);
    ASSERT_TRUE(ran) << sql << ": " << ran.error().message;
}
inline void run(Database& database, std::initializer_list<std::string_view> statements) {
    for (std::string_view const sql : statements) run(database, sql);
}

// The first column of all rows, a line each.
[[nodiscard]] inline std::string rows(Database& database, std::string_view sql) {
    auto const text = SqlText::parse(sql);
    EXPECT_TRUE(text) << sql;
    std::string all;
    auto const read = database.query_each<std::string_view>(
        *text, [&all](std::string_view row) { all += (all.empty() ? "" : "\n") + std::string(row); });
    EXPECT_TRUE(read) << sql << ": " << (read ? "" : read.error().message);
    return all;
}

// A table's text and those of its indexes and triggers, in a form that tells no order of columns.
[[nodiscard]] inline std::string shape(Database& database) {
    std::vector<std::string> parts;
    auto const read = database.query_each<"SELECT coalesce(sql, name) FROM sqlite_schema", std::string_view>(
        [&](std::string_view sql) {
            auto const words = detail::sql_words(sql);
            ASSERT_TRUE(words) << sql;
            std::vector<std::string> items(1);
            int depth = 0;
            for (detail::SqlWord const& word : *words) {
                if (word.is(')') && --depth == 0) items.emplace_back();
                bool const between = depth == 1 && word.is(',');
                if (between) items.emplace_back();
                if (!between) items.back() += word.text + ' ';
                if (word.is('(') && ++depth == 1) items.emplace_back();
            }
            std::ranges::sort(items);
            std::string part;
            for (std::string const& item : items) part += item + '\n';
            parts.push_back(part);
        });
    EXPECT_TRUE(read);
    std::ranges::sort(parts);
    std::string all;
    for (std::string const& part : parts) all += part;
    return all;
}

[[nodiscard]] inline std::string kinds(MigrationPlan const& plan) {
    constexpr std::string_view names[] = {"rename_table",  "rename_column", "drop_index",
                                          "create_table",  "add_column",    "drop_column",
                                          "change_column", "rebuild_table", "create_index"};
    std::string all;
    for (MigrationStep const& step : plan.steps()) {
        if (!all.empty()) all += ' ';
        all += names[static_cast<std::size_t>(step.kind)];
    }
    return all;
}

}  // namespace quern::test

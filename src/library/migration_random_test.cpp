// SPDX-License-Identifier: Apache-2.0
// From one random model to another, over random rows: either an error that left everything as it was, or
// tables as the models make them in an empty file.
#include <quern/migration.h>

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "library/migration_test_tables.h"

namespace quern {
namespace {

using test::infos;
using test::rows;
using test::shape;
using test::TestTable;

constexpr std::array<std::string_view, 5> names = {"a", "order", "c \"c\"", "Ä", "e"};
constexpr std::array<std::string_view, 3> choices = {"0", "1", "x"};

// Mostly one that the column takes.
std::array<std::string_view, 4> values_for(ColumnType type) {
    switch (type) {
    case ColumnType::integer: return {"0", "1", "7", "NULL"};
    case ColumnType::boolean: return {"0", "1", "2", "NULL"};
    case ColumnType::real: return {"0.0", "2.5", "1", "NULL"};
    case ColumnType::text: return {"'0'", "'1'", "'x'", "NULL"};
    case ColumnType::blob: break;
    }
    return {"x''", "x'30'", "x'ff'", "NULL"};
}

class RandomModels {
public:
    explicit RandomModels(unsigned seed) : random_(seed) {}

    bool one_in(unsigned times) { return below(times) == 0; }
    std::size_t below(std::size_t end) {
        return std::uniform_int_distribution<std::size_t>(0, end - 1)(random_);
    }

    TestTable table() {
        TestTable made;
        made.name = one_in(4) ? "u" : "t";
        if (one_in(2)) made.renamed_from = made.name == "t" ? "u" : "t";
        made.columns.push_back(test::id_column);
        for (std::string_view const name : names) {
            if (!one_in(3)) made.columns.push_back(column(name));
        }
        if (one_in(5)) use_other_key(made);
        for (std::size_t count = below(3); count > 0 && made.columns.size() > 1; --count) {
            auto const first = static_cast<std::uint16_t>(below(made.columns.size()));
            std::pair<std::vector<std::uint16_t>, bool> const index{{first}, one_in(4)};
            if (std::ranges::find(made.indexes, index) == made.indexes.end()) made.indexes.push_back(index);
        }
        if (one_in(4)) made.checks = {one_in(2) ? "id > 0" : "id < 4"};
        return made;
    }

    std::string insert(TestTable const& into) {
        std::string columns;
        std::string row;
        for (ColumnInfo const& column : into.columns) {
            columns += (columns.empty() ? "" : ", ") + detail::quoted_name(column.name);
            auto const values = values_for(column.type);
            row += row.empty() ? std::to_string(below(9)) : ", " + std::string(values[below(values.size())]);
        }
        return "INSERT OR IGNORE INTO " + std::string(into.name) + " (" + columns + ") VALUES (" + row + ")";
    }

private:
    ColumnInfo column(std::string_view name) {
        using enum ColumnType;
        constexpr std::array types = {integer, boolean, real, text, text, blob};
        ColumnInfo made = test::column(name, types[below(types.size())]);
        made.nullable = !one_in(3);
        if (made.type == text && one_in(2)) made.choices = std::span(choices).first(1 + below(3));
        if (one_in(2)) made.default_value = default_of(made);
        if (one_in(4)) made.renamed_from = names[below(names.size())];
        return made;
    }
    ColumnDefault default_of(ColumnInfo const& column) {
        switch (column.type) {
        case ColumnType::integer: return static_cast<std::int64_t>(below(3));
        case ColumnType::boolean: return one_in(2);
        case ColumnType::real: return static_cast<double>(below(3)) / 2;
        case ColumnType::text: return choices[0];
        case ColumnType::blob: break;
        }
        return std::monostate();
    }
    void use_other_key(TestTable& made) {
        if (made.columns.size() < 2) return;
        made.key_is_given = false;
        made.columns[1].nullable = false;
        made.key = one_in(2) ? std::vector<std::uint16_t>{1} : std::vector<std::uint16_t>{0, 1};
    }

    std::mt19937 random_;
};

std::string count_rows(Database& database) {
    std::string all;
    for (std::string_view const name : {"t", "u"}) {
        std::string const there =
            rows(database, "SELECT name FROM sqlite_schema WHERE name = '" + std::string(name) + "'");
        if (!there.empty()) all += rows(database, "SELECT count(*) || ' ' FROM " + std::string(name));
    }
    return all;
}

TEST(MigrationRandomTest, AnyModelLeadsToAnyOther) {
    constexpr unsigned rounds = 200;
    unsigned arrived = 0;
    unsigned lossy = 0;
    for (unsigned round = 0; round < rounds; ++round) {
        SCOPED_TRACE(round);
        RandomModels random(round);
        auto const db = *Database::open_temporary();
        std::vector<TestTable> before = {random.table()};
        auto const made = apply_models(*db, infos(before));
        ASSERT_TRUE(made) << made.error().message;
        for (std::size_t count = random.below(8); count > 0; --count) {
            auto const text = SqlText::parse(random.insert(before[0]));
            (void)db->execute(*text);  // a row of other types is refused
        }
        std::string const shape_before = shape(*db);
        std::string const count_before = count_rows(*db);

        std::vector<TestTable> after = {random.table()};
        bool const allow_loss = random.one_in(2);
        auto const planned = plan_migration(*db, infos(after));
        ASSERT_EQ(shape(*db), shape_before);
        auto const applied = apply_models(*db, infos(after), {.allow_loss = allow_loss});
        if (!applied) {
            ASSERT_TRUE(applied.error().code == ErrorCode::validation ||
                        applied.error().code == ErrorCode::conflict)
                << applied.error().message;
            ASSERT_TRUE(!planned || (planned->loses_data() && !allow_loss)) << applied.error().message;
            ASSERT_EQ(shape(*db), shape_before);
            ASSERT_EQ(count_rows(*db), count_before);
            continue;
        }
        ++arrived;
        lossy += applied->loses_data() ? 1 : 0;
        ASSERT_EQ(applied->script(), planned->script());
        ASSERT_TRUE(apply_models(*db, infos(after))->empty());
        if (after[0].name == before[0].name) {
            ASSERT_EQ(count_rows(*db), count_before);
        }
        if (!rows(*db, "SELECT name FROM sqlite_schema WHERE name = 't'").empty() &&
            !rows(*db, "SELECT name FROM sqlite_schema WHERE name = 'u'").empty())
            continue;  // no rename between the two
        auto const fresh = *Database::open_temporary();
        ASSERT_TRUE(fresh->migrate({create_script(infos(after))}));
        ASSERT_EQ(shape(*db), shape(*fresh)) << applied->script();
    }
    EXPECT_GT(arrived, rounds / 4);
    EXPECT_GT(lossy, rounds / 20);
}

}  // namespace
}  // namespace quern

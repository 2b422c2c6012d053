// SPDX-License-Identifier: Apache-2.0
#include "library/query_fixture_test.h"

namespace quern::test {

namespace {

TEST_F(LibraryTest, InsertsAndGets) {
    auto const id = books.insert(*db, {.author = 2, .title = "The Lathe of Heaven", .year = 1971});
    ASSERT_TRUE(id) << id.error().message;
    EXPECT_EQ(*id, 32);
    auto const found = books.get(*db, *id);
    ASSERT_TRUE(found && *found);
    EXPECT_EQ(**found, (Book{.id = 32, .author = 2, .title = "The Lathe of Heaven", .year = 1971}));
    EXPECT_FALSE(books.get(*db, 99)->has_value());
    EXPECT_EQ(books.insert(*db, {.id = 77, .author = 2, .title = "x"}), 77);

    using Key = std::tuple<std::string, std::int64_t>;
    EXPECT_EQ(lendings.insert(*db, {"Ann", 10, 14}), Key("Ann", 10));
    EXPECT_EQ(lendings.get(*db, {"Ann", 10})->value().days, 14);
    EXPECT_FALSE(lendings.get(*db, {"Ann", 11})->has_value());
}

TEST_F(LibraryTest, SaysWhatIsInTheWay) {
    auto const twice = books.insert(*db, {.author = 1, .title = "Kindred"});
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().code, ErrorCode::conflict);
    EXPECT_EQ(twice.error().fields.at(0).field, "books.author");
    auto const astray = books.insert(*db, {.author = 99, .title = "x"});
    ASSERT_FALSE(astray);
    EXPECT_EQ(astray.error().code, ErrorCode::validation);
}

TEST_F(LibraryTest, UpdatesAndRemovesRows) {
    Book book = books.get(*db, 10)->value();
    book.year = 1980;
    book.sequel_of = 11;
    EXPECT_EQ(books.update(*db, book), true);
    EXPECT_EQ(**books.get(*db, 10), book);
    EXPECT_EQ(books.update(*db, {.id = 1234, .author = 1, .title = ""}), false);
    EXPECT_EQ(books.remove(*db, 10), true);
    EXPECT_EQ(books.remove(*db, 10), false);
    ASSERT_TRUE(lendings.insert(*db, {"Ann", 11, 1}));
    EXPECT_EQ(lendings.update(*db, {"Ann", 11, 2}), true);
    EXPECT_EQ(lendings.get(*db, {"Ann", 11})->value().days, 2);
    EXPECT_EQ(lendings.remove(*db, {"Ann", 11}), true);
}

TEST_F(LibraryTest, InsertsManyOrNone) {
    std::vector<Author> rows(1000);
    for (std::size_t index = 0; index < rows.size(); ++index)
        rows[index].name = "author " + std::to_string(index);
    EXPECT_EQ(authors.insert_many(*db, rows), 1000);
    EXPECT_EQ(authors.count(*db), 1004);
    EXPECT_EQ(authors.where(field<&Author::name> == "author 999").count(*db), 1);

    for (Author& row : rows) row.name += " again";
    rows[700].name = "Stanislaw Lem";
    auto const refused = authors.insert_many(*db, rows);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::conflict);
    EXPECT_EQ(authors.count(*db), 1004);

    // Within a transaction, too, which goes on.
    auto const kept = db->transaction([&](Transaction& transaction) -> Result<std::int64_t> {
        QUERN_TRY(auto const id, authors.insert(transaction, {.name = "kept"}));
        EXPECT_FALSE(authors.insert_many(transaction, rows));
        return id;
    });
    EXPECT_TRUE(kept);
    EXPECT_EQ(authors.count(*db), 1005);
    EXPECT_EQ(authors.insert_many(*db, std::vector<Author>{}), 0);
}

TEST_F(LibraryTest, ProvidesForConflicts) {
    auto const by_title = books.on_conflict<&Book::author, &Book::title>();
    Book const again{.author = 1, .title = "Kindred", .year = 2000, .price = 1.0};
    EXPECT_EQ(by_title.ignore().insert(*db, again), false);
    EXPECT_EQ(books.get(*db, 10)->value().year, 1979);
    EXPECT_EQ(by_title.update<&Book::year>().insert(*db, again), true);
    EXPECT_EQ(books.get(*db, 10)->value().year, 2000);
    EXPECT_EQ(books.get(*db, 10)->value().price, 9.5);
    EXPECT_EQ(by_title.update_all().insert(*db, again), true);
    EXPECT_EQ(books.get(*db, 10)->value().price, 1.0);
    EXPECT_EQ(books.count(*db), 7);

    std::vector<Author> const rows{{1, "Octavia E. Butler", "US"}, {9, "New", std::nullopt}};
    EXPECT_EQ(authors.on_conflict<&Author::id>().ignore().insert_many(*db, rows), 1);
    EXPECT_EQ(authors.on_conflict<&Author::id>().update_all().insert_many(*db, rows), 2);
    EXPECT_EQ(authors.get(*db, 1)->value().name, "Octavia E. Butler");
    // Another constraint than the one that is provided for still refuses.
    auto const other = authors.on_conflict<&Author::id>().update_all().insert(*db, {2, "New", "XX"});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().code, ErrorCode::conflict);
    auto const by_key = lendings.on_conflict<&Lending::book, &Lending::reader>();
    EXPECT_EQ(by_key.update_all().insert(*db, {"Ann", 10, 3}), true);
}

TEST_F(LibraryTest, StatementsAreReused) {
    EXPECT_TRUE(books.get(*db, 10));
    EXPECT_EQ(books.where(field<&Book::year> == 1961).count(*db), 1);
    auto const prepared = db->statistics().prepared;
    for (int year = 1960; year < 1970; ++year) {
        EXPECT_TRUE(books.where(field<&Book::year> == year).count(*db));
        EXPECT_TRUE(books.get(*db, year));
    }
    EXPECT_EQ(db->statistics().prepared, prepared);
}

}  // namespace

}  // namespace quern::test

// SPDX-License-Identifier: Apache-2.0
// Migrations made from structs: their texts, and how they live with scripts, other processes and many rows.
#include <quern/migration.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/test_directory.h"
#include "library/migration_test_tables.h"

namespace quern {
namespace {

using test::kinds;
using test::rows;

enum class Genre { novel, poetry };
QUERN_DESCRIBE_ENUM(Genre, novel, poetry)

struct Author {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::string> email;

    static constexpr auto model =
        quern::model<"authors">(quern::key<&Author::id>, quern::unique<&Author::email>);
};
QUERN_DESCRIBE(Author, id, name, email)

struct Book {
    std::int64_t id = 0;
    std::int64_t author = 0;
    std::string title;
    int year = 0;
    bool available = true;
    std::optional<double> price;
    Genre genre = Genre::novel;

    static constexpr auto model = quern::model<"books">(
        quern::key<&Book::id>, quern::references<&Book::author, Author>(quern::OnDelete::cascade),
        quern::indexed<&Book::author, &Book::year>, quern::default_to<&Book::available>(true),
        quern::default_to<&Book::genre>(Genre::novel), quern::check<"year > 0">);
};
QUERN_DESCRIBE(Book, id, author, title, year, available, price, genre)

struct Lending {
    std::int64_t book = 0;
    std::string reader;
    std::vector<std::byte> signature;

    static constexpr auto model = quern::model<"lendings">(quern::key<&Lending::book, &Lending::reader>,
                                                           quern::references<&Lending::book, Book>());
};
QUERN_DESCRIBE(Lending, book, reader, signature)

// The second version of Book.
struct Work {
    std::int64_t id = 0;
    std::int64_t author = 0;
    std::string title;
    std::string published;
    bool available = true;
    Genre genre = Genre::novel;
    int pages = 0;

    static constexpr auto model = quern::model<"works">(
        quern::key<&Work::id>, quern::references<&Work::author, Author>(quern::OnDelete::cascade),
        quern::indexed<&Work::author, &Work::published>, quern::default_to<&Work::available>(true),
        quern::default_to<&Work::genre>(Genre::novel), quern::default_to<&Work::pages>(0),
        quern::table_renamed_from<"books">, quern::column_renamed_from<&Work::published, "year">);
};
QUERN_DESCRIBE(Work, id, author, title, published, available, genre, pages)

constexpr std::string_view library_script = R"(CREATE TABLE "authors" (
  "id" INTEGER PRIMARY KEY,
  "name" TEXT NOT NULL,
  "email" TEXT
) STRICT;
CREATE UNIQUE INDEX "unique_authors__email" ON "authors" ("email");
CREATE TABLE "books" (
  "id" INTEGER PRIMARY KEY,
  "author" INTEGER NOT NULL REFERENCES "authors" ("id") ON DELETE CASCADE,
  "title" TEXT NOT NULL,
  "year" INTEGER NOT NULL,
  "available" INTEGER NOT NULL DEFAULT 1 CHECK ("available" IN (0, 1)),
  "price" REAL,
  "genre" TEXT NOT NULL DEFAULT 'novel' CHECK ("genre" IN ('novel', 'poetry')),
  CHECK (year > 0)
) STRICT;
CREATE INDEX "index_books__author__year" ON "books" ("author", "year");
CREATE TABLE "lendings" (
  "book" INTEGER NOT NULL REFERENCES "books" ("id"),
  "reader" TEXT NOT NULL,
  "signature" BLOB NOT NULL,
  PRIMARY KEY ("book", "reader")
) STRICT;
)";

TEST(MigrationTest, TheScriptMakesTablesBehindThoseThatTheyReferTo) {
    EXPECT_EQ((create_script<Lending, Book, Author>()), library_script);
    EXPECT_EQ((create_script<Author, Book, Lending>()), library_script);
}

TEST(MigrationTest, AnEmptyFileGetsTheTables) {
    auto const db = *Database::open_temporary();
    auto const planned = plan_migration<Author, Book, Lending>(*db);
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_EQ(kinds(*planned), "create_table create_table create_table create_index create_index");
    EXPECT_EQ(rows(*db, "SELECT name FROM sqlite_schema"), "");
    auto const applied = apply_models<Author, Book, Lending>(*db);
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_TRUE(std::ranges::equal(applied->steps(), planned->steps()));
    EXPECT_TRUE((apply_models<Author, Book, Lending>(*db)->empty()));

    test::run(*db,
              {"INSERT INTO authors (name, email) VALUES ('ann', 'ann@example.com')",
               "INSERT INTO books (author, title, year) VALUES (1, 'One', 2001)", "DELETE FROM authors"});
    EXPECT_EQ(rows(*db, "SELECT title FROM books"), "") << "the reference cascades";
}

TEST(MigrationTest, ANewVersionOfAStructTakesTheRowsAlong) {
    auto const db = *Database::open_temporary();
    ASSERT_TRUE((apply_models<Author, Book>(*db)));
    test::run(*db, {"INSERT INTO authors (name, email) VALUES ('ann', 'ann@example.com')",
                    "INSERT INTO books (author, title, year) VALUES (1, 'One', 2001), (1, 'Two', 2002)"});
    auto const planned = plan_migration<Author, Work>(*db);
    ASSERT_TRUE(planned) << planned.error().message;
    EXPECT_EQ(planned->script(), R"(-- Rename the table "books" to "works".
ALTER TABLE "books" RENAME TO "works";
-- Rename the column works.year to "published".
ALTER TABLE "works" RENAME COLUMN "year" TO "published";
-- Drop the index "index_books__author__year".
DROP INDEX "index_books__author__year";
-- Change the column works.published: its type from INTEGER to TEXT.
-- Add to the table "works" the column "pages" INTEGER NOT NULL DEFAULT 0.
-- Drop the column works.price, which holds nothing.
-- Rebuild the table "works": the condition published > 0 goes.
CREATE TABLE "quern_new_works" (
  "id" INTEGER PRIMARY KEY,
  "author" INTEGER NOT NULL REFERENCES "authors" ("id") ON DELETE CASCADE,
  "title" TEXT NOT NULL,
  "published" TEXT NOT NULL,
  "available" INTEGER NOT NULL DEFAULT 1 CHECK ("available" IN (0, 1)),
  "genre" TEXT NOT NULL DEFAULT 'novel' CHECK ("genre" IN ('novel', 'poetry')),
  "pages" INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO "quern_new_works" ("id", "author", "title", "published", "available", "genre")
  SELECT "id", "author", "title", "published", "available", "genre" FROM "works";
DROP TABLE "works";
PRAGMA legacy_alter_table = ON;
ALTER TABLE "quern_new_works" RENAME TO "works";
PRAGMA legacy_alter_table = OFF;
-- Create the index "index_works__author__published".
CREATE INDEX "index_works__author__published" ON "works" ("author", "published");
)");
    auto const applied = apply_models<Author, Work>(*db);
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(rows(*db, "SELECT id || title || quote(published) || pages FROM works"),
              "1One'2001'0\n2Two'2002'0");
}

TEST(MigrationTest, ScriptsAndModelsLiveInOneFile) {
    auto const db = *Database::open_temporary();
    std::vector<std::string_view> const scripts = {"CREATE TABLE notes (text)",
                                                   "INSERT INTO notes VALUES ('kept')"};
    auto const version = [&db] { return rows(*db, "SELECT user_version || '' FROM pragma_user_version"); };
    ASSERT_TRUE(db->migrate(scripts));
    EXPECT_EQ(version(), "2");
    ASSERT_TRUE((apply_models<Author, Book>(*db)));
    ASSERT_TRUE((apply_models<Author, Work>(*db)));
    EXPECT_EQ(version(), "2");
    ASSERT_TRUE(db->migrate(scripts));
    EXPECT_EQ(rows(*db, "SELECT text FROM notes"), "kept");
}

TEST(MigrationTest, OfTwoThatStartTogetherOneMakesTheTables) {
    test::TemporaryDirectory const directory(test::TemporaryDirectory::Place::memory);
    constexpr std::size_t starts = 8;
    std::vector<std::shared_ptr<Database>> opened;
    for (std::size_t index = 0; index < starts; ++index)
        opened.push_back(
            *Database::open(directory.path() / "data.db", {.busy_wait = std::chrono::milliseconds(20'000)}));
    std::vector<std::string> done(starts);
    {
        std::vector<std::jthread> threads;
        for (std::size_t index = 0; index < starts; ++index) {
            threads.emplace_back([&, index] {
                auto const applied = apply_models<Author, Book>(*opened[index]);
                done[index] = applied ? kinds(*applied) : applied.error().message;
            });
        }
    }
    std::ranges::sort(done);
    EXPECT_EQ(done.back(), "create_table create_table create_index create_index");
    done.pop_back();
    EXPECT_EQ(done, std::vector<std::string>(starts - 1));
}

TEST(MigrationTest, ATransactionThatIsOpenRefuses) {
    auto const db = *Database::open_temporary();
    auto const inside = db->transaction([&](Transaction&) -> Result<void> {
        QUERN_CHECK(apply_models<Author>(*db));
        return {};
    });
    EXPECT_EQ(inside.error().code, ErrorCode::internal);
    EXPECT_EQ(rows(*db, "SELECT name FROM sqlite_schema"), "");
}

TEST(MigrationTest, ManyRowsAreCopied) {
    auto const db = *Database::open_temporary();
    ASSERT_TRUE((apply_models<Author, Book>(*db)));
    test::run(*db, {"INSERT INTO authors (name, email) VALUES ('ann', 'ann@example.com')",
                    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
                    "INSERT INTO books (author, title, year) SELECT 1, 'Title ' || i, i FROM n"});
    auto const applied = apply_models<Author, Work>(*db);
    ASSERT_TRUE(applied) << applied.error().message;
    EXPECT_EQ(rows(*db,
                   "SELECT count(*) || '|' || sum(id) || '|' || sum(published) || '|' || max(title) "
                   "FROM works"),
              "10000|50005000|50005000|Title 9999");
}

// Foreign keys are enforced again behind a migration, and texts that rename are read as usual.
TEST(MigrationTest, TheConnectionIsAsBefore) {
    auto const db = *Database::open_temporary();
    ASSERT_TRUE((apply_models<Author, Book>(*db)));
    ASSERT_TRUE((apply_models<Author, Work>(*db)));
    auto const orphan = db->execute<"INSERT INTO works (author, title, published) VALUES (7, '', '')">();
    ASSERT_FALSE(orphan);
    EXPECT_EQ(orphan.error().code, ErrorCode::validation);
    EXPECT_FALSE(db->migrate({"PRAGMA legacy_alter_table = ON; nonsense"}));
    test::run(*db, {"CREATE VIEW titles AS SELECT title FROM works", "ALTER TABLE works RENAME TO texts"});
    EXPECT_EQ(rows(*db, "SELECT title FROM titles"), "") << "the rename reached the view";
}

}  // namespace
}  // namespace quern

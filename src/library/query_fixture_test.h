// SPDX-License-Identifier: Apache-2.0
#pragma once

// Authors and their books, for the tests of query sets and tables.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <quern/sqlite.h>
#include <quern/table.h>

namespace quern::test {

struct Author {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::string> country = std::nullopt;
    static constexpr auto model =
        quern::model<"authors">(quern::key<&Author::id>, quern::unique<&Author::name>);
    bool operator==(Author const&) const = default;
};
QUERN_DESCRIBE(Author, id, name, country)

enum class Binding : std::uint8_t { paper, cloth };
QUERN_DESCRIBE_ENUM(Binding, paper, cloth)

struct Book {
    std::int64_t id = 0;
    std::int64_t author = 0;
    std::optional<std::int64_t> sequel_of = std::nullopt;
    std::string title;
    int year = 0;
    double price = 0;
    bool available = true;
    Binding binding = Binding::paper;
    static constexpr auto model = quern::model<"books">(
        quern::key<&Book::id>, quern::references<&Book::author, Author>(quern::OnDelete::cascade),
        quern::references<&Book::sequel_of, Book>(quern::OnDelete::set_null),
        quern::unique<&Book::author, &Book::title>, quern::indexed<&Book::year>);
    bool operator==(Book const&) const = default;
};
QUERN_DESCRIBE(Book, id, author, sequel_of, title, year, price, available, binding)

struct Lending {
    std::string reader;
    std::int64_t book = 0;
    int days = 0;
    static constexpr auto model =
        quern::model<"lendings">(quern::key<&Lending::reader, &Lending::book>,
                                 quern::references<&Lending::book, Book>(quern::OnDelete::cascade),
                                 quern::column_name<&Lending::days, "number of \"days\"">);
    bool operator==(Lending const&) const = default;
};
QUERN_DESCRIBE(Lending, reader, book, days)

inline constexpr Table<Author> authors;
inline constexpr Table<Book> books;
inline constexpr Table<Lending> lendings;

class LibraryTest : public ::testing::Test {
protected:
    LibraryTest() {
        db = *Database::open_temporary();
        EXPECT_TRUE(db->migrate(
            {R"(CREATE TABLE authors (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE,
                    country TEXT) STRICT)",
             R"(CREATE TABLE books (id INTEGER PRIMARY KEY,
                    author INTEGER NOT NULL REFERENCES authors ON DELETE CASCADE,
                    sequel_of INTEGER REFERENCES books ON DELETE SET NULL, title TEXT NOT NULL,
                    year INTEGER NOT NULL, price REAL NOT NULL, available INTEGER NOT NULL,
                    binding TEXT NOT NULL, UNIQUE (author, title)) STRICT)",
             R"(CREATE TABLE lendings (reader TEXT NOT NULL, book INTEGER NOT NULL REFERENCES books
                    ON DELETE CASCADE, "number of ""days""" INTEGER NOT NULL, PRIMARY KEY (reader, book))
                    STRICT)"}));
        EXPECT_EQ(authors.insert_many(*db, std::vector<Author>{{1, "Octavia Butler", "US"},
                                                               {2, "Ursula Le Guin", "US"},
                                                               {3, "Stanislaw Lem", "PL"},
                                                               {4, "Anonymous", std::nullopt}}),
                  4);
        EXPECT_EQ(
            books.insert_many(
                *db,
                std::vector<Book>{
                    {10, 1, std::nullopt, "Kindred", 1979, 9.5, true, Binding::paper},
                    {11, 1, std::nullopt, "Parable of the Sower", 1993, 12.0, true, Binding::cloth},
                    {12, 1, 11, "Parable of the Talents", 1998, 12.5, false, Binding::cloth},
                    {20, 2, std::nullopt, "The Dispossessed", 1974, 8.0, true, Binding::paper},
                    {21, 2, std::nullopt, "The Left Hand of Darkness", 1969, 7.0, false, Binding::paper},
                    {30, 3, std::nullopt, "Solaris", 1961, 6.25, true, Binding::paper},
                    {31, 3, std::nullopt, "The Cyberiad", 1965, 6.25, false, Binding::cloth},
                }),
            7);
    }

    // The titles of a set of books, in its order.
    template <class Set>
    std::vector<std::string> titles(Set const& set) {
        auto found = set.select(field<&Book::title>).all(*db);
        EXPECT_TRUE(found) << found.error().message;
        return found ? *found : std::vector<std::string>{};
    }
    using Titles = std::vector<std::string>;

    std::shared_ptr<Database> db;
};

}  // namespace quern::test

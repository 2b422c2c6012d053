// SPDX-License-Identifier: Apache-2.0
#pragma once

// The models that the cases orm_*.cpp ask wrongly; orm_compiles.cpp asks rightly.

#include <quern/table.h>

enum class Binding : std::uint8_t { paper, cloth };
QUERN_DESCRIBE_ENUM(Binding, paper, cloth)

struct Author {
    std::int64_t id = 0;
    std::string name;
    std::optional<std::string> country;
    int hidden = 0;  // not described
    static constexpr auto model = quern::model<"authors">(quern::key<&Author::id>);
};
QUERN_DESCRIBE(Author, id, name, country)

struct Book {
    std::int64_t id = 0;
    std::int64_t author = 0;
    std::string title;
    int year = 0;
    double price = 0;
    bool available = true;
    Binding binding = Binding::paper;
    static constexpr auto model =
        quern::model<"books">(quern::key<&Book::id>, quern::references<&Book::author, Author>(),
                              quern::unique<&Book::author, &Book::title>);
};
QUERN_DESCRIBE(Book, id, author, title, year, price, available, binding)

struct Summary {
    std::string title;
    int year = 0;
};
QUERN_DESCRIBE(Summary, title, year)

using quern::field;
inline constexpr quern::Table<Author> authors;
inline constexpr quern::Table<Book> books;

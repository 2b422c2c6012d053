// SPDX-License-Identifier: Apache-2.0
//
// Authors and their books, by models and query sets instead of SQL: books [FILE [HOST:PORT]]

#include <quern/app.h>
#include <quern/dump.h>
#include <quern/json.h>
#include <quern/migration.h>
#include <quern/query.h>
#include <quern/sqlite.h>
#include <quern/sqlite_task.h>
#include <quern/table.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace {

using quern::field;

// [model]
struct Author {
    std::int64_t id = 0;
    std::string name;

    static constexpr auto model =
        quern::model<"authors">(quern::key<&Author::id>, quern::unique<&Author::name>);
};
QUERN_DESCRIBE(Author, id, name)

struct Book {
    std::int64_t id = 0;
    std::int64_t author = 0;
    std::string title;
    int year = 0;

    static constexpr auto model = quern::model<"books">(
        quern::key<&Book::id>, quern::references<&Book::author, Author>(quern::OnDelete::cascade),
        quern::unique<&Book::author, &Book::title>, quern::indexed<&Book::year>, quern::check<"year > 0">);
};
QUERN_DESCRIBE(Book, id, author, title, year)

constexpr quern::Table<Author> authors;
constexpr quern::Table<Book> books;
// [model]

// What clients send and get.
struct NewBook {
    std::string author;
    std::string title;
    int year = 0;
    static constexpr auto rules = quern::rules(quern::on<&NewBook::author>(quern::length(1, 100)),
                                               quern::on<&NewBook::title>(quern::length(1, 200)),
                                               quern::on<&NewBook::year>(quern::at_least(1)));
};
QUERN_DESCRIBE(NewBook, author, title, year)

struct Entry {
    std::int64_t id = 0;
    std::string title;
    int year = 0;
    std::string author;
};
QUERN_DESCRIBE(Entry, id, title, year, author)

struct Shelf {
    std::string author;
    std::int64_t books = 0;
    std::optional<int> latest;
};
QUERN_DESCRIBE(Shelf, author, books, latest)

struct Wanted {
    std::optional<std::string> author;
    std::optional<std::string> title;
    std::optional<int> since;
};
QUERN_DESCRIBE(Wanted, author, title, since)

using Data = quern::State<quern::Database>;

// [list]
// GET /books?author=…&title=…&since=…: each parameter that is there makes the condition narrower.
quern::Result<std::vector<Entry>> list_books(Data data, quern::Query<Wanted> wanted) {
    quern::Condition<Book> condition;
    if (wanted->author) condition = condition && field<&Book::author, &Author::name> == *wanted->author;
    if (wanted->title) condition = condition && field<&Book::title>.contains(*wanted->title);
    if (wanted->since) condition = condition && field<&Book::year> >= *wanted->since;
    return books.where(condition)
        .order_by(field<&Book::year>.descending(), field<&Book::title>)
        .limit(50)
        .select_as<Entry>(field<&Book::id>, field<&Book::title>, field<&Book::year>,
                          field<&Book::author, &Author::name>)
        .all(*data);
}
// [list]

// [group]
quern::Result<std::vector<Shelf>> list_shelves(Data data) {
    return books.group_by(field<&Book::author, &Author::name>)
        .order_by(quern::count().descending(), field<&Book::author, &Author::name>)
        .select_as<Shelf>(field<&Book::author, &Author::name>, quern::count(), quern::max(field<&Book::year>))
        .all(*data);
}
// [group]

// [write]
// The author is made if it is new; both rows or none.
quern::Result<std::int64_t> add_book(quern::Transaction& transaction, NewBook const& book) {
    QUERN_TRY(auto known, authors.where(field<&Author::name> == book.author).first(transaction));
    std::int64_t author = known ? known->id : 0;
    if (!known) {
        QUERN_TRY(author, authors.insert(transaction, {.id = 0, .name = book.author}));
    }
    return books.insert(transaction, {.id = 0, .author = author, .title = book.title, .year = book.year});
}

quern::Task<quern::Result<quern::Created<Entry>>> create_book(Data data, quern::Json<NewBook> book) {
    auto const work = [&book](quern::Transaction& transaction) { return add_book(transaction, *book); };
    auto const id = co_await quern::in_transaction(*data, work);
    if (!id) co_return quern::fail(id.error());
    co_return quern::Created<Entry>{{*id, book->title, book->year, book->author}};
}

quern::Task<quern::Result<void>> delete_author(std::int64_t id, Data data) {
    auto const work = [id](quern::Transaction& transaction) { return authors.remove(transaction, id); };
    auto const gone = co_await quern::in_transaction(*data, work);
    if (!gone) co_return quern::fail(gone.error());
    if (!*gone) co_return quern::fail(quern::ErrorCode::not_found);
    co_return quern::Result<void>();
}
// [write]

int report(quern::Error const& error) {
    std::fprintf(stderr, "books: %s\n", error.message.c_str());
    return EXIT_FAILURE;
}

}  // namespace

// [main]
int main(int count, char** arguments) {
    auto const database = quern::Database::open(count > 1 ? arguments[1] : "books.db");
    if (!database) return report(database.error());
    auto const brought = quern::apply_models<Author, Book>(**database);
    if (!brought) return report(brought.error());
    for (quern::MigrationStep const& step : brought->steps()) std::printf("%s\n", step.text.c_str());

    quern::App app;
    app.state(*database);
    app.get<"/books">(&list_books);
    app.post<"/books">(&create_book);
    app.get<"/shelves">(&list_shelves);
    app.del<"/authors/{id}">(&delete_author);
    if (auto described = app.openapi({.title = "Books", .version = "1"}); !described)
        return report(described.error());

    auto const ended = app.listen(count > 2 ? arguments[2] : "127.0.0.1:8080");
    return ended ? EXIT_SUCCESS : report(ended.error());
}
// [main]

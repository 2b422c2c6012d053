// SPDX-License-Identifier: Apache-2.0
// The control: what the cases beside this one vary, right.
#include "orm_models.h"

void use(quern::Database& db) {
    using quern::outer;
    (void)books.where(field<&Book::author, &Author::name> == "x" && field<&Book::year>.in({1, 2})).all(db);
    (void)authors.where(exists(books.where(field<&Book::author> == outer<&Author::id>))).count(db);
    (void)books.group_by(field<&Book::year>).having(quern::count() > 1).select(field<&Book::year>).all(db);
    (void)books.select_as<Summary>(field<&Book::title>, field<&Book::year>).all(db);
    (void)books.query().with<&Book::author>().first(db);
    (void)books.query().update(db, field<&Book::year>.set(field<&Book::year> + 1));
    (void)authors.query().update(db, field<&Author::country>.set(nullptr));
    (void)books.on_conflict<&Book::title, &Book::author>().update<&Book::year>().insert(db, Book());
    (void)books.where(field<&Book::author>.in(authors.select(field<&Author::id>))).remove(db);
}

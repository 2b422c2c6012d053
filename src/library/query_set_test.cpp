// SPDX-License-Identifier: Apache-2.0

// What query sets find. What their statements look like is in query_sql_test.cpp.

#include "library/query_fixture_test.h"

namespace quern::test {

namespace {

TEST_F(LibraryTest, GivesWholeRows) {
    auto const found = books.where(field<&Book::id> == 12).all(*db);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(*found,
              (std::vector<Book>{{12, 1, 11, "Parable of the Talents", 1998, 12.5, false, Binding::cloth}}));
    EXPECT_EQ(books.count(*db), 7);
    EXPECT_EQ(books.all(*db)->size(), 7U);
}

TEST_F(LibraryTest, ComparesAndConnects) {
    auto const by_id = books.order_by(field<&Book::id>);
    EXPECT_EQ(titles(by_id.where(field<&Book::year> < 1969)), (Titles{"Solaris", "The Cyberiad"}));
    EXPECT_EQ(titles(by_id.where(field<&Book::year> >= 1993 && field<&Book::available>)),
              (Titles{"Parable of the Sower"}));
    EXPECT_EQ(titles(by_id.where(field<&Book::year> == 1961 || field<&Book::year> == 1965 ||
                                 field<&Book::title> == "Kindred")),
              (Titles{"Kindred", "Solaris", "The Cyberiad"}));
    EXPECT_EQ(titles(by_id.where(!(field<&Book::price> > 7.0))),
              (Titles{"The Left Hand of Darkness", "Solaris", "The Cyberiad"}));
    EXPECT_EQ(titles(by_id.where(!field<&Book::available> && field<&Book::year> != 1965)),
              (Titles{"Parable of the Talents", "The Left Hand of Darkness"}));
    EXPECT_EQ(titles(by_id.where(field<&Book::year>.between(1969, 1979))),
              (Titles{"Kindred", "The Dispossessed", "The Left Hand of Darkness"}));
    EXPECT_EQ(titles(by_id.where(field<&Book::binding> == Binding::cloth && 1990 < field<&Book::year>)),
              (Titles{"Parable of the Sower", "Parable of the Talents"}));
}

TEST_F(LibraryTest, TreatsNullAsNothing) {
    auto const ids = [this](auto const& condition) {
        return *authors.where(condition).order_by(field<&Author::id>).select(field<&Author::id>).all(*db);
    };
    using Ids = std::vector<std::int64_t>;
    auto const country = field<&Author::country>;
    EXPECT_EQ(ids(country == "US"), (Ids{1, 2}));
    EXPECT_EQ(ids(country != "US"), (Ids{3, 4}));
    EXPECT_EQ(ids(!(country == "US")), (Ids{3, 4}));
    EXPECT_EQ(ids(!(country != "US")), (Ids{1, 2}));
    EXPECT_EQ(ids(country == std::nullopt), (Ids{4}));
    EXPECT_EQ(ids(country != nullptr), (Ids{1, 2, 3}));
    EXPECT_EQ(ids(country == std::optional<std::string>()), (Ids{4}));
    EXPECT_EQ(ids(country == std::optional<std::string>("PL")), (Ids{3}));
    EXPECT_EQ(ids(country == country), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(ids(country < "Q"), (Ids{3}));
    EXPECT_EQ(ids(!(country < "Q")), (Ids{1, 2, 4}));
    EXPECT_EQ(ids(country.in({"US", "DE"})), (Ids{1, 2}));
    EXPECT_EQ(ids(!country.in({"US", "DE"})), (Ids{3, 4}));
    EXPECT_EQ(ids(!country.contains("U")), (Ids{3, 4}));
    EXPECT_EQ(ids(country.is_null()), (Ids{4}));
    EXPECT_EQ(ids(!country.between("A", "Q")), (Ids{1, 2, 4}));
}

TEST_F(LibraryTest, NotInASetWithNullsIsTheComplement) {
    auto const countries = authors.where(field<&Author::id> >= 3).select(field<&Author::country>);
    EXPECT_EQ(authors.where(field<&Author::country>.in(countries)).count(*db), 1);
    EXPECT_EQ(authors.where(!field<&Author::country>.in(countries)).count(*db), 3);
}

TEST_F(LibraryTest, SearchesTexts) {
    auto const by_id = books.order_by(field<&Book::id>);
    EXPECT_EQ(titles(by_id.where(field<&Book::title>.contains("of the"))),
              (Titles{"Parable of the Sower", "Parable of the Talents"}));
    EXPECT_EQ(titles(by_id.where(field<&Book::title>.contains("OF THE"))), Titles{});
    EXPECT_EQ(titles(by_id.where(field<&Book::title>.starts_with("The D"))), (Titles{"The Dispossessed"}));
    EXPECT_EQ(titles(by_id.where(field<&Book::title>.starts_with("the D"))), Titles{});
    EXPECT_EQ(by_id.where(field<&Book::title>.starts_with("")).count(*db), 7);
    EXPECT_EQ(titles(by_id.where(field<&Book::title>.ends_with("ris"))), (Titles{"Solaris"}));
    EXPECT_EQ(by_id.where(field<&Book::title>.ends_with("")).count(*db), 7);
    EXPECT_EQ(by_id.where(field<&Book::title>.ends_with("a title longer than all the others")).count(*db), 0);
    EXPECT_EQ(titles(by_id.where(field<&Book::title>.like("%cyb_riad"))), (Titles{"The Cyberiad"}));
    // What means something in patterns is plain text for the others.
    EXPECT_EQ(by_id.where(field<&Book::title>.contains("%")).count(*db), 0);
    EXPECT_EQ(by_id.where(field<&Book::title>.like("\\%%")).count(*db), 0);
    EXPECT_EQ(by_id.where(field<&Book::title>.starts_with("The_")).count(*db), 0);
}

TEST_F(LibraryTest, StartsWithHoldsForAnyUtf8) {
    for (std::string const name : {"é", "ébène", "é\U0010FFFF\U0010FFFF", "ê", "\U0010FFFF"})
        ASSERT_TRUE(authors.insert(*db, {.name = name}));
    EXPECT_EQ(authors.where(field<&Author::name>.starts_with("é")).count(*db), 3);
    EXPECT_EQ(authors.where(field<&Author::name>.starts_with("\U0010FFFF")).count(*db), 1);
}

TEST_F(LibraryTest, FindsTheValuesOfALiteral) {
    // A value never becomes text of the statement.
    auto const rude = "x' OR '1'='1";
    EXPECT_EQ(books.where(field<&Book::title> == rude).count(*db), 0);
    ASSERT_TRUE(authors.insert(*db, {.name = rude}));
    EXPECT_EQ(authors.where(field<&Author::name> == std::string(rude)).count(*db), 1);
}

TEST_F(LibraryTest, LooksInLists) {
    std::vector<int> const years{1961, 1979, 2001};
    EXPECT_EQ(titles(books.where(field<&Book::year>.in(years)).order_by(field<&Book::id>)),
              (Titles{"Kindred", "Solaris"}));
    EXPECT_EQ(books.where(field<&Book::year>.in(std::vector<int>{})).count(*db), 0);
    EXPECT_EQ(books.where(!field<&Book::year>.in(std::vector<int>{})).count(*db), 7);
    std::vector<std::int64_t> many(1000);
    for (std::size_t index = 0; index < many.size(); ++index) many[index] = static_cast<std::int64_t>(index);
    EXPECT_EQ(books.where(field<&Book::id>.in(many)).count(*db), 7);
}

TEST_F(LibraryTest, FollowsReferences) {
    EXPECT_EQ(titles(books.where(field<&Book::author, &Author::name>.starts_with("Stan"))
                         .order_by(field<&Book::year>)),
              (Titles{"Solaris", "The Cyberiad"}));
    // Through one that may be null: the rest of the row stays, and its column is null.
    auto const names = books.where(field<&Book::sequel_of, &Book::author, &Author::name> == "Octavia Butler");
    EXPECT_EQ(titles(names), (Titles{"Parable of the Talents"}));
    EXPECT_EQ(books.where(field<&Book::sequel_of, &Book::title> != "Parable of the Sower").count(*db), 6);
    EXPECT_EQ(
        titles(books.order_by(field<&Book::author, &Author::name>, field<&Book::year>.descending()).limit(3)),
        (Titles{"Parable of the Talents", "Parable of the Sower", "Kindred"}));
    auto const pairs = lendings.where(field<&Lending::book, &Book::author, &Author::id> == 1).all(*db);
    ASSERT_TRUE(pairs) << pairs.error().message;
    EXPECT_TRUE(pairs->empty());
}

TEST_F(LibraryTest, GivesRelatedRows) {
    auto const found = books.where(field<&Book::author> == 1)
                           .order_by(field<&Book::id>)
                           .with<&Book::author>()
                           .with<&Book::sequel_of>()
                           .all(*db);
    ASSERT_TRUE(found) << found.error().message;
    ASSERT_EQ(found->size(), 3U);
    auto const& [book, author, earlier] = (*found)[2];
    EXPECT_EQ(book.title, "Parable of the Talents");
    EXPECT_EQ(author, (Author{1, "Octavia Butler", "US"}));
    ASSERT_TRUE(earlier);
    EXPECT_EQ(earlier->title, "Parable of the Sower");
    EXPECT_FALSE(std::get<2>((*found)[0]));
    auto const chain = books.where(field<&Book::id> == 12).with<&Book::sequel_of, &Book::author>().first(*db);
    ASSERT_TRUE(chain && *chain && std::get<1>(**chain));
    EXPECT_EQ(std::get<1>(**chain)->name, "Octavia Butler");
}

TEST_F(LibraryTest, OrdersLimitsAndSkips) {
    auto const by_year = books.order_by(field<&Book::year>);
    EXPECT_EQ(titles(by_year.limit(2)), (Titles{"Solaris", "The Cyberiad"}));
    EXPECT_EQ(titles(by_year.offset(5)), (Titles{"Parable of the Sower", "Parable of the Talents"}));
    EXPECT_EQ(titles(by_year.limit(1).offset(1)), (Titles{"The Cyberiad"}));
    EXPECT_EQ(titles(by_year.order_by(field<&Book::price>.descending(), field<&Book::title>).limit(1)),
              (Titles{"Parable of the Talents"}));
    EXPECT_EQ(by_year.limit(3).count(*db), 3);
    EXPECT_EQ(by_year.limit(3).offset(6).count(*db), 1);
    EXPECT_EQ(by_year.limit(0).exists(*db), false);
    EXPECT_EQ(by_year.first(*db)->value().title, "Solaris");
    EXPECT_EQ(by_year.offset(1).first(*db)->value().title, "The Cyberiad");
    EXPECT_FALSE(by_year.where(field<&Book::year> > 3000).first(*db)->has_value());
    EXPECT_EQ(by_year.in_random_order().all(*db)->size(), 7U);

    using Ids = std::vector<std::int64_t>;
    auto const ids = [this](auto const& key) {
        return *authors.order_by(key, field<&Author::id>).select(field<&Author::id>).all(*db);
    };
    EXPECT_EQ(ids(field<&Author::country>), (Ids{4, 3, 1, 2}));
    EXPECT_EQ(ids(field<&Author::country>.descending()), (Ids{1, 2, 3, 4}));
    EXPECT_EQ(ids(field<&Author::country>.ascending().nulls_last()), (Ids{3, 1, 2, 4}));
    EXPECT_EQ(ids(field<&Author::country>.descending().nulls_first()), (Ids{4, 1, 2, 3}));
}

TEST_F(LibraryTest, SelectsExpressions) {
    auto const found = books.where(field<&Book::id> == 10)
                           .select(field<&Book::title> + " (" + field<&Book::author, &Author::name> + ")",
                                   field<&Book::year> + 1, field<&Book::price> * 2, field<&Book::year> % 100,
                                   field<&Book::sequel_of>, field<&Book::sequel_of> == 11,
                                   when(field<&Book::year> < 1970, "old").otherwise("new"))
                           .first(*db);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(**found, (std::tuple<std::string, std::int64_t, double, std::int64_t,
                                   std::optional<std::int64_t>, bool, std::string>(
                           "Kindred (Octavia Butler)", 1980, 19.0, 79, std::nullopt, false, "new")));
    EXPECT_EQ(*books.order_by(field<&Book::id>).select(field<&Book::available>).limit(3).all(*db),
              (std::vector{true, true, false}));
    EXPECT_EQ(*books.select(field<&Book::binding>).distinct().order_by(field<&Book::binding>).all(*db),
              (std::vector{Binding::cloth, Binding::paper}));
}

TEST_F(LibraryTest, CallsFunctions) {
    auto const row =
        books.where(field<&Book::id> == 30)
            .select(lower(field<&Book::title>), upper(field<&Book::title>), length(field<&Book::title>),
                    abs(field<&Book::year> - 2000), round(field<&Book::price>),
                    coalesce(field<&Book::sequel_of>, 7), quern::replace(field<&Book::title>, "Sol", "Pol"),
                    substring(field<&Book::title>, 2, 3), trim(field<&Book::title> + "  "),
                    call<"hex", std::string>(field<&Book::title>))
            .first(*db);
    ASSERT_TRUE(row) << row.error().message;
    EXPECT_EQ(**row,
              (std::tuple<std::string, std::string, std::int64_t, std::int64_t, double, std::int64_t,
                          std::string, std::string, std::string, std::string>(
                  "solaris", "SOLARIS", 7, 39, 6.0, 7, "Polaris", "ola", "Solaris", "536F6C61726973")));
}

struct Shelf {
    std::string author;
    std::int64_t books = 0;
    std::optional<double> dearest;
    bool operator==(Shelf const&) const = default;
};
QUERN_DESCRIBE(Shelf, author, books, dearest)

TEST_F(LibraryTest, Groups) {
    auto const shelves = books.group_by(field<&Book::author, &Author::name>)
                             .having(quern::count() > 2)
                             .select_as<Shelf>(field<&Book::author, &Author::name>, quern::count(),
                                               quern::max(field<&Book::price>))
                             .all(*db);
    ASSERT_TRUE(shelves) << shelves.error().message;
    EXPECT_EQ(*shelves, (std::vector<Shelf>{{"Octavia Butler", 3, 12.5}}));

    auto const all =
        books
            .select(quern::count(), quern::count().where(field<&Book::available>),
                    quern::sum(field<&Book::year>), quern::avg(field<&Book::price>),
                    quern::min(field<&Book::title>), quern::count(field<&Book::binding>).distinct(),
                    quern::count(field<&Book::sequel_of>))
            .first(*db);
    ASSERT_TRUE(all) << all.error().message;
    EXPECT_EQ(std::get<0>(**all), 7);
    EXPECT_EQ(std::get<1>(**all), 4);
    EXPECT_EQ(std::get<2>(**all), 13839);
    EXPECT_DOUBLE_EQ(*std::get<3>(**all), 61.5 / 7);
    EXPECT_EQ(std::get<4>(**all), "Kindred");
    EXPECT_EQ(std::get<5>(**all), 2);
    EXPECT_EQ(std::get<6>(**all), 1);

    // Nothing to sum.
    auto const none = books.where(field<&Book::id> < 0).select(quern::sum(field<&Book::year>)).first(*db);
    ASSERT_TRUE(none && *none);
    EXPECT_EQ(**none, std::optional<std::int64_t>());

    auto const decades = books.group_by(field<&Book::year> / 10)
                             .select(field<&Book::year> / 10, quern::count())
                             .order_by(quern::count().descending(), field<&Book::year> / 10)
                             .all(*db);
    ASSERT_TRUE(decades) << decades.error().message;
    EXPECT_EQ((*decades)[0], (std::tuple<std::int64_t, std::int64_t>(196, 3)));
    EXPECT_EQ(decades->size(), 3U);
    EXPECT_EQ(books.group_by(field<&Book::author>).select(field<&Book::author>).count(*db), 3);
    EXPECT_EQ(books.where(field<&Book::author> == 3)
                  .select(quern::join_text(field<&Book::title>, "; "))
                  .first(*db)
                  ->value(),
              "Solaris; The Cyberiad");
}

TEST_F(LibraryTest, RefusesWhatContradictsItself) {
    auto const code = [](auto const& result) {
        return result ? std::string("fine") : result.error().message;
    };
    EXPECT_EQ(code(books.group_by(field<&Book::author>).select(field<&Book::title>, quern::count()).all(*db)),
              "The column books.title is neither in group_by() nor in an aggregate.");
    EXPECT_EQ(code(books.select(field<&Book::title>, quern::count()).all(*db)),
              "The column books.title is neither in group_by() nor in an aggregate.");
    EXPECT_EQ(code(books.group_by(field<&Book::author>).all(*db)),
              "Groups have no rows of their own: say what to select().");
    EXPECT_EQ(code(books.select(field<&Book::author>).distinct().order_by(field<&Book::year>).all(*db)),
              "distinct() gives rows that are sorted by what they do not hold: select() it as well.");
    EXPECT_EQ(code(books.query().limit(-1).all(*db)), "limit() and offset() take no negative number.");
    EXPECT_EQ(code(books.group_by(field<&Book::author>).remove(*db)),
              "A set of groups, or with distinct(), is neither updated nor removed.");
    // The same shape with other values is judged anew.
    auto const by = [&](int divisor, int shown) {
        return books.group_by(field<&Book::year> / divisor).select(field<&Book::year> / shown).all(*db);
    };
    EXPECT_TRUE(by(10, 10));
    EXPECT_FALSE(by(10, 100));
    EXPECT_TRUE(by(100, 100));
}

TEST_F(LibraryTest, AsksOfOtherSets) {
    auto const theirs = books.where(field<&Book::author> == outer<&Author::id>);
    auto const names = [this](auto const& set) {
        return *set.order_by(field<&Author::id>).select(field<&Author::name>).all(*db);
    };
    EXPECT_EQ(names(authors.where(exists(theirs.where(field<&Book::year> > 1990)))),
              (Titles{"Octavia Butler"}));
    EXPECT_EQ(names(authors.where(!exists(theirs))), (Titles{"Anonymous"}));
    EXPECT_EQ(names(authors.where(field<&Author::id>.in(books.where(field<&Book::available>)
                                                            .group_by(field<&Book::author>)
                                                            .having(quern::count() > 1)
                                                            .select(field<&Book::author>)))),
              (Titles{"Octavia Butler"}));
    auto const counted =
        authors.order_by(field<&Author::id>)
            .select(field<&Author::name>, value_of(theirs.select(quern::count())),
                    value_of(theirs.order_by(field<&Book::year>).select(field<&Book::title>)))
            .all(*db);
    ASSERT_TRUE(counted) << counted.error().message;
    EXPECT_EQ((*counted)[0],
              (std::tuple<std::string, std::optional<std::int64_t>, std::optional<std::string>>(
                  "Octavia Butler", 3, "Kindred")));
    EXPECT_EQ(std::get<2>((*counted)[3]), std::nullopt);
    // An outer field that follows a reference joins in the query around.
    auto const same_author = books.where(field<&Book::author, &Author::name> ==
                                         outer<&Book::sequel_of, &Book::author, &Author::name>);
    EXPECT_EQ(titles(books.where(exists(same_author))), (Titles{"Parable of the Talents"}));
}

TEST_F(LibraryTest, LooksThroughWindows) {
    auto const found =
        books.order_by(field<&Book::id>)
            .select(field<&Book::title>,
                    rank().over(
                        window.partition_by(field<&Book::author>).order_by(field<&Book::price>.descending())),
                    lag(field<&Book::title>)
                        .over(window.partition_by(field<&Book::author>).order_by(field<&Book::year>)),
                    quern::sum(field<&Book::price>).over(window.order_by(field<&Book::id>).rows_before(1)),
                    last_value(field<&Book::id>).over(window.order_by(field<&Book::id>).whole_partition()),
                    quern::count().over(window), row_number().over(window.order_by(field<&Book::id>)),
                    ntile(2).over(window.order_by(field<&Book::id>)))
            .all(*db);
    ASSERT_TRUE(found) << found.error().message;
    using Row = std::tuple<std::string, std::int64_t, std::optional<std::string>, std::optional<double>,
                           std::int64_t, std::int64_t, std::int64_t, std::int64_t>;
    EXPECT_EQ((*found)[0], (Row("Kindred", 3, std::nullopt, 9.5, 31, 7, 1, 1)));
    EXPECT_EQ((*found)[1], (Row("Parable of the Sower", 2, "Kindred", 21.5, 31, 7, 2, 1)));
    EXPECT_EQ((*found)[6], (Row("The Cyberiad", 1, "Solaris", 12.5, 31, 7, 7, 2)));
}

TEST_F(LibraryTest, PutsConditionsTogetherWhileRunning) {
    Condition<Book> any(false);
    for (int const year : {1961, 1979}) any = any || field<&Book::year> == year;
    EXPECT_EQ(titles(books.where(any).order_by(field<&Book::id>)), (Titles{"Kindred", "Solaris"}));
    EXPECT_EQ(books.where(!any).count(*db), 5);
    EXPECT_EQ(books.where(Condition<Book>()).count(*db), 7);
    EXPECT_EQ(books.where(Condition<Book>(false)).count(*db), 0);
}

TEST_F(LibraryTest, SetsStayAsTheyAre) {
    auto const all = books.query();
    auto const old = all.where(field<&Book::year> < 1970);
    auto const cheap = old.where(field<&Book::price> < 6.5);
    EXPECT_EQ(all.count(*db), 7);
    EXPECT_EQ(old.count(*db), 3);
    EXPECT_EQ(cheap.count(*db), 2);
    EXPECT_EQ(old.plan(), all.where(field<&Book::year> < 1970).plan());
    EXPECT_TRUE(old.plan().has_shape_of(all.where(field<&Book::year> < 1980).plan()));
    EXPECT_NE(old.plan(), all.where(field<&Book::year> < 1980).plan());
}

TEST_F(LibraryTest, UpdatesAndRemovesSets) {
    EXPECT_EQ(
        books.where(field<&Book::year> < 1970)
            .update(*db, field<&Book::available>.set(true), field<&Book::price>.set(field<&Book::price> * 2),
                    field<&Book::sequel_of>.set(nullptr)),
        3);
    EXPECT_EQ(books.where(field<&Book::id> == 31).first(*db)->value().price, 12.5);
    EXPECT_EQ(books.where(field<&Book::available>).count(*db), 6);
    // By a related row, and by an order with a limit.
    EXPECT_EQ(books.where(field<&Book::author, &Author::name> == "Octavia Butler")
                  .update(*db, field<&Book::binding>.set(Binding::cloth)),
              3);
    EXPECT_EQ(books.order_by(field<&Book::year>).limit(2).remove(*db), 2);
    EXPECT_EQ(books.count(*db), 5);
    EXPECT_EQ(authors.where(!exists(books.where(field<&Book::author> == outer<&Author::id>))).remove(*db), 2);
    EXPECT_EQ(books.where(field<&Book::id> == -1).update(*db, field<&Book::year>.set(1)), 0);
    auto const refused = books.query().update(*db, field<&Book::author>.set(99));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::validation);
    EXPECT_EQ(books.query().remove(*db), 5);
}

TEST_F(LibraryTest, ReadsItsOwnWritesInATransaction) {
    auto const done = db->transaction([&](Transaction& transaction) -> Result<std::int64_t> {
        QUERN_TRY(auto const id, authors.insert(transaction, {.name = "Iain Banks"}));
        QUERN_TRY(auto const found, authors.get(transaction, id));
        EXPECT_EQ(found.value().name, "Iain Banks");
        EXPECT_EQ(authors.where(field<&Author::name> == "Iain Banks").count(*db), 0);
        return authors.where(field<&Author::name> == "Iain Banks").count(transaction);
    });
    EXPECT_EQ(done, 1);
}

TEST_F(LibraryTest, RefusesWhatSqliteCannotDo) {
    auto const ability = [](auto const& result) {
        EXPECT_FALSE(result);
        if (result) return std::string();
        EXPECT_EQ(result.error().code, ErrorCode::unsupported);
        return result.error().fields.at(0).field;
    };
    auto const prepared = db->statistics().prepared;
    EXPECT_EQ(ability(books.query().distinct_on(field<&Book::author>).all(*db)), "distinct_on");
    EXPECT_EQ(ability(books.query().for_update().all(*db)), "row_locks");
    EXPECT_EQ(ability(books.where(field<&Book::title>.matches("^P")).count(*db)), "regex");
    EXPECT_EQ(ability(books.select(quern::stddev(field<&Book::price>)).first(*db)), "deviation");
    EXPECT_EQ(ability(books.select(quern::join_text(field<&Book::title>, ",").distinct()).first(*db)),
              "distinct_join");
    EXPECT_EQ(ability(books.where(field<&Book::id>.in(std::vector<int>(40'000))).all(*db)), "parameters");
    EXPECT_EQ(ability(books.where(field<&Book::id>.in(std::vector<int>(40'000))).remove(*db)), "parameters");
    EXPECT_EQ(db->statistics().prepared, prepared) << "nothing was sent";
}

}  // namespace

}  // namespace quern::test

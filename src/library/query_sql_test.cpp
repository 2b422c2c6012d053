// SPDX-License-Identifier: Apache-2.0

// The texts that query sets make, in every dialect, and the order of their values. A text may be broken into
// lines: a line's end and the blanks behind it stand for one blank.

#include "library/query_fixture_test.h"

namespace quern::test {

namespace {

using detail::PlanUse;

struct TextCase {
    std::string_view name;
    QueryPlan plan;
    PlanUse use = PlanUse::rows;
    std::string_view sqlite;
    std::string_view postgres;  // empty: the same
    std::string_view values;    // of SQLite; then, where they are others, of PostgreSQL
};

std::string folded(std::string_view text) {
    std::string out;
    bool blank = false;
    for (char const c : text) {
        if (c == '\n') blank = true;
        if (blank && (c == ' ' || c == '\n')) continue;
        if (std::exchange(blank, false)) out += ' ';
        out += c;
    }
    return out;
}

std::string shown(std::span<SqlParameter const> values) {
    std::string text;
    for (SqlParameter const& value : values) {
        QueryPlan one;
        one.push_value(value);
        std::string const printed = one.print();  // (value x)
        text += (text.empty() ? "" : ", ") + printed.substr(7, printed.size() - 8);
    }
    return text;
}

// Changes are of plans that update() would have made.
template <class Set, class... A>
QueryPlan assigned(Set const& set, A const&... assignment) {
    QueryPlan plan = set.plan();
    auto const add = [&plan](auto const& one) {
        plan.push({.op = PlanOp::assign, .count = 1, .number = one.column});
        one.value.write(plan);
    };
    (add(assignment), ...);
    return plan;
}

void check(std::vector<TextCase> const& cases) {
    for (TextCase const& one : cases) {
        SCOPED_TRACE(one.name);
        std::string values;
        for (Dialect const dialect : {Dialect::sqlite, Dialect::postgres}) {
            auto const text = detail::query_text(one.plan, one.use, dialect);
            std::string_view const wanted =
                dialect == Dialect::sqlite || one.postgres.empty() ? one.sqlite : one.postgres;
            if (!text) {
                EXPECT_EQ(text.error().message, wanted);
                continue;
            }
            EXPECT_EQ(text->sql, folded(wanted));
            std::string const given = shown(text->values);
            if (dialect == Dialect::sqlite || values.empty())
                values = given;
            else if (values != given)
                values += " / " + given;
        }
        EXPECT_EQ(values, one.values);
    }
}

constexpr auto id = field<&Book::id>;
constexpr auto title = field<&Book::title>;
constexpr auto year = field<&Book::year>;
constexpr auto price = field<&Book::price>;
constexpr auto sequel = field<&Book::sequel_of>;
constexpr auto available = field<&Book::available>;
constexpr auto author_name = field<&Book::author, &Author::name>;
constexpr auto earlier = field<&Book::sequel_of, &Book::title>;
constexpr auto country = field<&Author::country>;

// The ids of books for which it holds.
template <class C>
QueryPlan ids(C const& condition) {
    return books.where(condition).select(id).plan();
}
// An expression of books.
template <class... E>
QueryPlan of(E const&... expression) {
    return books.select(expression...).plan();
}

TEST(QueryText, OfConditions) {
    auto const no = std::optional<std::int64_t>();
    check({
        {"whole rows", books.query().plan(), PlanUse::rows,
         R"(SELECT "id", "author", "sequel_of", "title", "year", "price", "available", "binding" FROM
           "books")",
         "", ""},
        {"equal", ids(year == 1979), PlanUse::rows, R"(SELECT "id" FROM "books" WHERE "year" = ?)",
         R"(SELECT "id" FROM "books" WHERE "year" = $1::bigint)", "1979"},
        {"equal to text", ids("Kindred" == title), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ? = "title")", R"(SELECT "id" FROM "books" WHERE $1 = "title")",
         "'Kindred'"},
        {"not equal", ids(year != 1979), PlanUse::rows, R"(SELECT "id" FROM "books" WHERE "year" <> ?)",
         R"(SELECT "id" FROM "books" WHERE "year" <> $1::bigint)", "1979"},
        {"same", ids(sequel == no), PlanUse::rows, R"(SELECT "id" FROM "books" WHERE "sequel_of" IS ?)",
         R"(SELECT "id" FROM "books" WHERE "sequel_of" IS NOT DISTINCT FROM $1)", "null"},
        {"not same", ids(sequel != 7), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE "sequel_of" IS NOT ?)",
         R"(SELECT "id" FROM "books" WHERE "sequel_of" IS DISTINCT FROM $1::bigint)", "7"},
        {"columns", ids(sequel == id), PlanUse::rows, R"(SELECT "id" FROM "books" WHERE "sequel_of" = "id")",
         "", ""},
        {"null", ids(sequel == nullptr && std::nullopt != sequel), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" IS NULL) AND ("sequel_of" IS NOT NULL))", "", ""},
        {"order", ids(year < 1 && year <= 2.5 && year > 3 && 4 >= year), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("year" < ?) AND ("year" <= ?) AND ("year" > ?) AND (? >=
           "year"))",
         R"(SELECT "id" FROM "books" WHERE ("year" < $1::bigint) AND ("year" <= $2::double precision)
           AND ("year" > $3::bigint) AND ($4::bigint >= "year"))",
         "1, 2.5, 3, 4"},
        {"not", ids(!(year < 1)), PlanUse::rows, R"(SELECT "id" FROM "books" WHERE NOT ("year" < ?))",
         R"(SELECT "id" FROM "books" WHERE NOT ("year" < $1::bigint))", "1"},
        {"not of unknown", ids(!(sequel < 1)), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" < ?) IS NOT TRUE)",
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" < $1::bigint) IS NOT TRUE)", "1"},
        {"boolean", ids(!available || available == true), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE (NOT "available") OR ("available" = ?))",
         R"(SELECT "id" FROM "books" WHERE (NOT "available") OR ("available" = $1::boolean))", "true"},
        {"enumeration", ids(field<&Book::binding> == Binding::cloth), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE "binding" = ?)",
         R"(SELECT "id" FROM "books" WHERE "binding" = $1)", "'cloth'"},
        {"between", ids(year.between(1960, id + 1)), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE "year" BETWEEN ? AND ("id" + ?))",
         R"(SELECT "id" FROM "books" WHERE "year" BETWEEN $1::bigint AND ("id" + $2::bigint))", "1960, 1"},
        {"in", ids(year.in({1961, 1979}) && !title.in({"a", "b"})), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("year" IN (?, ?)) AND (NOT ("title" IN (?, ?))))",
         R"(SELECT "id" FROM "books" WHERE ("year" IN ($1::bigint, $2::bigint)) AND (NOT ("title" IN
           ($3, $4))))",
         "1961, 1979, 'a', 'b'"},
        {"in nothing", ids(year.in(std::vector<int>())), PlanUse::rows, R"(SELECT "id" FROM "books" WHERE 0)",
         R"(SELECT "id" FROM "books" WHERE FALSE)", ""},
        {"not among what may be null", ids(!sequel.in({1})), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" IN (?)) IS NOT TRUE)",
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" IN ($1::bigint)) IS NOT TRUE)", "1"},
        {"is null", ids(sequel.is_null() || (sequel + 1).is_not_null()), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" IS NULL) OR (("sequel_of" + ?) IS NOT NULL))",
         R"(SELECT "id" FROM "books" WHERE ("sequel_of" IS NULL) OR (("sequel_of" + $1::bigint) IS NOT
           NULL))",
         "1"},
        {"contains", ids(title.contains("it's")), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE instr("title", ?) > 0)",
         R"(SELECT "id" FROM "books" WHERE strpos("title", $1) > 0)", "'it's'"},
        {"starts with", ids(title.starts_with("The ") && !title.starts_with("A")), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("title" >= ? AND "title" < ? || CAST(x'ff' AS TEXT)) AND
           (NOT ("title" >= ? AND "title" < ? || CAST(x'ff' AS TEXT))))",
         R"(SELECT "id" FROM "books" WHERE (starts_with("title", $1)) AND (NOT (starts_with("title",
           $2))))",
         "'The ', 'The ', 'A', 'A' / 'The ', 'A'"},
        {"ends with", ids(!title.ends_with("ris")), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE NOT (substr(CAST('.' || "title" AS BLOB), octet_length("title") -
           octet_length(?) + 2) = CAST(? AS BLOB) AND octet_length(?) <= octet_length("title")))",
         R"(SELECT "id" FROM "books" WHERE NOT (right("title", length($1)) = $2))",
         "'ris', 'ris', 'ris' / 'ris', 'ris'"},
        {"like", ids(title.like("%\\_%")), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE "title" LIKE ? ESCAPE '\')",
         R"(SELECT "id" FROM "books" WHERE "title" LIKE $1 ESCAPE '\')", "'%\\_%'"},
        {"matches", ids(title.matches("^The")), PlanUse::rows, R"(SQLite cannot do this: regex.)",
         R"(SELECT "id" FROM "books" WHERE "title" ~ $1)", "'^The'"},
        {"rows of words",
         ids((year == 1 && year == 2) && (year == 3 && (year == 4 || (year == 5 || year == 6)))),
         PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ("year" = ?) AND ("year" = ?) AND ("year" = ?) AND (("year" =
           ?) OR ("year" = ?) OR ("year" = ?)))",
         R"(SELECT "id" FROM "books" WHERE ("year" = $1::bigint) AND ("year" = $2::bigint) AND ("year" =
           $3::bigint) AND (("year" = $4::bigint) OR ("year" = $5::bigint) OR ("year" = $6::bigint)))",
         "1, 2, 3, 4, 5, 6"},
        {"several wheres",
         books.where(year > 1 || year < 2).where(available).where(price > 3).select(id).plan(), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE (("year" > ?) OR ("year" < ?)) AND "available" AND ("price" >
           ?))",
         R"(SELECT "id" FROM "books" WHERE (("year" > $1::bigint) OR ("year" < $2::bigint)) AND
           "available" AND ("price" > $3::bigint))",
         "1, 2, 3"},
        {"always", ids(Condition<Book>() && !Condition<Book>(false)), PlanUse::rows,
         R"(SELECT "id" FROM "books" WHERE ? AND (? IS NOT TRUE))",
         R"(SELECT "id" FROM "books" WHERE $1::boolean AND ($2::boolean IS NOT TRUE))", "true, false"},
    });
}

TEST(QueryText, OfExpressions) {
    check({
        {"arithmetic", of(year + 1, year - 2, price * 1.5, year / 10, year % 100, 1 - year), PlanUse::rows,
         R"(SELECT "year" + ?, "year" - ?, "price" * ?, "year" / ?, "year" % ?, ? - "year" FROM "books")",
         R"(SELECT "year" + $1::bigint, "year" - $2::bigint, "price" * $3::double precision, "year" /
           $4::bigint, "year" % $5::bigint, $6::bigint - "year" FROM "books")",
         "1, 2, 1.5, 10, 100, 1"},
        {"nested", of((year + 1) * (id - 2), year - (id - 1)), PlanUse::rows,
         R"(SELECT ("year" + ?) * ("id" - ?), "year" - ("id" - ?) FROM "books")",
         R"(SELECT ("year" + $1::bigint) * ("id" - $2::bigint), "year" - ("id" - $3::bigint) FROM
           "books")",
         "1, 2, 1"},
        {"texts", of(title + " (" + author_name + ")"), PlanUse::rows,
         R"(SELECT ((t0."title" || ?) || t1."name") || ? FROM "books" AS t0 JOIN "authors" AS t1 ON
           t1."id" = t0."author")",
         R"(SELECT ((t0."title" || $1) || t1."name") || $2 FROM "books" AS t0 JOIN "authors" AS t1 ON
           t1."id" = t0."author")",
         "' (', ')'"},
        {"condition", of(year > 1970, sequel == 11, sequel.is_null(), sequel < 3), PlanUse::rows,
         R"(SELECT "year" > ?, ("sequel_of" = ?) IS TRUE, "sequel_of" IS NULL, ("sequel_of" < ?) IS TRUE
           FROM "books")",
         R"(SELECT "year" > $1::bigint, ("sequel_of" = $2::bigint) IS TRUE, "sequel_of" IS NULL,
           ("sequel_of" < $3::bigint) IS TRUE FROM "books")",
         "1970, 11, 3"},
        {"when",
         of(when(year < 1970, "old").when(sequel.is_null(), title).otherwise("new"),
            when(available, 1).otherwise(2.5)),
         PlanUse::rows,
         R"(SELECT CASE WHEN ("year" < ?) THEN ? WHEN ("sequel_of" IS NULL) THEN "title" ELSE ? END,
           CASE WHEN "available" THEN ? ELSE ? END FROM "books")",
         R"(SELECT CASE WHEN ("year" < $1::bigint) THEN $2 WHEN ("sequel_of" IS NULL) THEN "title" ELSE
           $3 END, CASE WHEN "available" THEN $4::bigint ELSE $5::double precision END FROM "books")",
         "1970, 'old', 'new', 1, 2.5"},
        {"functions of texts",
         of(lower(title), upper(title), length(title), trim(title), quern::replace(title, "a", "b"),
            substring(title, 2, year - 1900)),
         PlanUse::rows,
         R"(SELECT lower("title"), upper("title"), length("title"), trim("title"), replace("title", ?,
           ?), substr("title", ?, "year" - ?) FROM "books")",
         R"(SELECT lower("title"), upper("title"), length("title"), trim("title"), replace("title", $1,
           $2), substr("title", $3::integer, CAST("year" - $4::bigint AS integer)) FROM "books")",
         "'a', 'b', 2, 1900"},
        {"functions of numbers", of(abs(year - 2000), round(price), coalesce(sequel, id, 7)), PlanUse::rows,
         R"(SELECT abs("year" - ?), round("price"), coalesce("sequel_of", "id", ?) FROM "books")",
         R"(SELECT abs("year" - $1::bigint), round("price"), coalesce("sequel_of", "id", $2::bigint)
           FROM "books")",
         "2000, 7"},
        {"a function by its name",
         of(call<"ascii", std::int64_t>(title), call<"concat", std::string>(title, 7)), PlanUse::rows,
         R"(SELECT ascii("title"), concat("title", ?) FROM "books")",
         R"(SELECT ascii("title"), concat("title", $1::bigint) FROM "books")", "7"},
    });
}

TEST(QueryText, OfJoins) {
    check({
        {"inner", books.where(author_name == "Lem").select(title).plan(), PlanUse::rows,
         R"(SELECT t0."title" FROM "books" AS t0 JOIN "authors" AS t1 ON t1."id" = t0."author" WHERE
           t1."name" = ?)",
         R"(SELECT t0."title" FROM "books" AS t0 JOIN "authors" AS t1 ON t1."id" = t0."author" WHERE
           t1."name" = $1)",
         "'Lem'"},
        {"outer", books.where(earlier == "Kindred").select(title, earlier).plan(), PlanUse::rows,
         R"(SELECT t0."title", t1."title" FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" =
           t0."sequel_of" WHERE t1."title" = ?)",
         R"(SELECT t0."title", t1."title" FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" =
           t0."sequel_of" WHERE t1."title" = $1)",
         "'Kindred'"},
        {"shared by paths",
         books.where(author_name.contains("e"))
             .select(author_name, field<&Book::author, &Author::country>,
                     field<&Book::sequel_of, &Book::author, &Author::name>, earlier)
             .plan(),
         PlanUse::rows,
         R"(SELECT t1."name", t1."country", t3."name", t2."title" FROM "books" AS t0 JOIN "authors" AS
           t1 ON t1."id" = t0."author" LEFT JOIN "books" AS t2 ON t2."id" = t0."sequel_of" LEFT JOIN
           "authors" AS t3 ON t3."id" = t2."author" WHERE instr(t1."name", ?) > 0)",
         R"(SELECT t1."name", t1."country", t3."name", t2."title" FROM "books" AS t0 JOIN "authors" AS
           t1 ON t1."id" = t0."author" LEFT JOIN "books" AS t2 ON t2."id" = t0."sequel_of" LEFT JOIN
           "authors" AS t3 ON t3."id" = t2."author" WHERE strpos(t1."name", $1) > 0)",
         "'e'"},
        {"an outer one stays outer",
         lendings.select(field<&Lending::book, &Book::sequel_of, &Book::author, &Author::name>).plan(),
         PlanUse::rows,
         R"(SELECT t3."name" FROM "lendings" AS t0 JOIN "books" AS t1 ON t1."id" = t0."book" LEFT JOIN
           "books" AS t2 ON t2."id" = t1."sequel_of" LEFT JOIN "authors" AS t3 ON t3."id" = t2."author")",
         "", ""},
        {"with", authors.query().plan(), PlanUse::rows, R"(SELECT "id", "name", "country" FROM "authors")",
         "", ""},
        {"related rows",
         lendings.where(field<&Lending::days> > 7).with<&Lending::book, &Book::author>().plan(),
         PlanUse::rows,
         R"(SELECT t0."reader", t0."book", t0."number of ""days""", t2."id", t2."name", t2."country"
           FROM "lendings" AS t0 JOIN "books" AS t1 ON t1."id" = t0."book" JOIN "authors" AS t2 ON
           t2."id" = t1."author" WHERE t0."number of ""days""" > ?)",
         R"(SELECT t0."reader", t0."book", t0."number of ""days""", t2."id", t2."name", t2."country"
           FROM "lendings" AS t0 JOIN "books" AS t1 ON t1."id" = t0."book" JOIN "authors" AS t2 ON
           t2."id" = t1."author" WHERE t0."number of ""days""" > $1::bigint)",
         "7"},
        {"ordered by another table",
         lendings.order_by(field<&Lending::book, &Book::title>).select(field<&Lending::reader>).plan(),
         PlanUse::rows,
         R"(SELECT t0."reader" FROM "lendings" AS t0 JOIN "books" AS t1 ON t1."id" = t0."book" ORDER BY
           t1."title")",
         "", ""},
    });
}

TEST(QueryText, OfOrdersAndBounds) {
    check({
        {"order", books.order_by(year, price.descending(), sequel).select(id).plan(), PlanUse::rows,
         R"(SELECT "id" FROM "books" ORDER BY "year", "price" DESC, "sequel_of")",
         R"(SELECT "id" FROM "books" ORDER BY "year", "price" DESC, "sequel_of" NULLS FIRST)", ""},
        {"nulls",
         books
             .order_by(sequel.ascending().nulls_first(), sequel.ascending().nulls_last(), sequel.descending(),
                       sequel.descending().nulls_first(), sequel.descending().nulls_last())
             .select(id)
             .plan(),
         PlanUse::rows,
         R"(SELECT "id" FROM "books" ORDER BY "sequel_of", "sequel_of" NULLS LAST, "sequel_of" DESC,
           "sequel_of" DESC NULLS FIRST, "sequel_of" DESC)",
         R"(SELECT "id" FROM "books" ORDER BY "sequel_of" NULLS FIRST, "sequel_of", "sequel_of" DESC
           NULLS LAST, "sequel_of" DESC, "sequel_of" DESC NULLS LAST)",
         ""},
        {"nulls of a joined one", books.order_by(earlier, year + 1, year.descending()).select(id).plan(),
         PlanUse::rows,
         R"(SELECT t0."id" FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" = t0."sequel_of" ORDER
           BY t1."title", (t0."year" + ?), t0."year" DESC)",
         R"(SELECT t0."id" FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" = t0."sequel_of" ORDER
           BY t1."title" NULLS FIRST, (t0."year" + $1::bigint) NULLS FIRST, t0."year" DESC)",
         "1"},
        {"random", books.query().in_random_order().limit(1).select(id).plan(), PlanUse::rows,
         R"(SELECT "id" FROM "books" ORDER BY random() LIMIT ?)",
         R"(SELECT "id" FROM "books" ORDER BY random() LIMIT $1::bigint)", "1"},
        {"limit", books.query().limit(10).offset(20).select(id).plan(), PlanUse::rows,
         R"(SELECT "id" FROM "books" LIMIT ? OFFSET ?)",
         R"(SELECT "id" FROM "books" LIMIT $1::bigint OFFSET $2::bigint)", "10, 20"},
        {"offset", books.query().offset(20).select(id).plan(), PlanUse::rows,
         R"(SELECT "id" FROM "books" LIMIT -1 OFFSET ?)", R"(SELECT "id" FROM "books" OFFSET $1::bigint)",
         "20"},
        {"first", books.where(year > 1).order_by(year).select(id).plan(), PlanUse::first,
         R"(SELECT "id" FROM "books" WHERE "year" > ? ORDER BY "year" LIMIT 1)",
         R"(SELECT "id" FROM "books" WHERE "year" > $1::bigint ORDER BY "year" LIMIT 1)", "1"},
        {"first of some", books.query().limit(5).offset(1).select(id).plan(), PlanUse::first,
         R"(SELECT "id" FROM "books" LIMIT min(?, 1) OFFSET ?)",
         R"(SELECT "id" FROM "books" LIMIT least($1::bigint, 1) OFFSET $2::bigint)", "5, 1"},
        {"first but some", books.query().offset(1).select(id).plan(), PlanUse::first,
         R"(SELECT "id" FROM "books" LIMIT 1 OFFSET ?)",
         R"(SELECT "id" FROM "books" LIMIT 1 OFFSET $1::bigint)", "1"},
        {"count", books.where(year > 1).order_by(year).plan(), PlanUse::count,
         R"(SELECT count(*) FROM "books" WHERE "year" > ?)",
         R"(SELECT count(*) FROM "books" WHERE "year" > $1::bigint)", "1"},
        {"count of some", books.order_by(year).limit(3).select(id).plan(), PlanUse::count,
         R"(SELECT count(*) FROM (SELECT "id" FROM "books" ORDER BY "year" LIMIT ?) AS counted)",
         R"(SELECT count(*) FROM (SELECT "id" FROM "books" ORDER BY "year" LIMIT $1::bigint) AS counted)",
         "3"},
        {"count of groups", books.group_by(year).select(year).plan(), PlanUse::count,
         R"(SELECT count(*) FROM (SELECT "year" FROM "books" GROUP BY "year") AS counted)", "", ""},
        {"count by another table", books.where(earlier == "x").plan(), PlanUse::count,
         R"(SELECT count(*) FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" = t0."sequel_of" WHERE
           t1."title" = ?)",
         R"(SELECT count(*) FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" = t0."sequel_of" WHERE
           t1."title" = $1)",
         "'x'"},
        {"exists", books.where(year > 1).select(id).plan(), PlanUse::exists,
         R"(SELECT EXISTS(SELECT "id" FROM "books" WHERE "year" > ?))",
         R"(SELECT EXISTS(SELECT "id" FROM "books" WHERE "year" > $1::bigint))", "1"},
        {"distinct", books.select(year, title).distinct().order_by(title).plan(), PlanUse::rows,
         R"(SELECT DISTINCT "year", "title" FROM "books" ORDER BY "title")", "", ""},
        {"distinct expressions", books.select(year / 10).distinct().order_by(year / 10).plan(), PlanUse::rows,
         R"(SELECT DISTINCT "year" / ? FROM "books" ORDER BY ("year" / ?))",
         R"(SELECT DISTINCT "year" / $1::bigint FROM "books" ORDER BY ("year" / $1::bigint) NULLS FIRST)",
         "10, 10 / 10"},
        {"distinct rows", authors.query().distinct().order_by(lower(field<&Author::name>)).plan(),
         PlanUse::rows, R"(SELECT "id", "name", "country" FROM "authors" ORDER BY lower("name"))",
         R"(SELECT "id", "name", "country" FROM "authors" ORDER BY lower("name") NULLS FIRST)", ""},
        {"distinct on", books.query().distinct_on(year / 10).order_by(year / 10, price).select(id).plan(),
         PlanUse::rows, R"(SQLite cannot do this: distinct_on.)",
         R"(SELECT DISTINCT ON ("year" / $1::bigint) "id" FROM "books" ORDER BY ("year" / $1::bigint)
           NULLS FIRST, "price")",
         "10"},
        {"locked", books.where(year > 1).for_update().select(id).plan(), PlanUse::rows,
         R"(SQLite cannot do this: row_locks.)",
         R"(SELECT "id" FROM "books" WHERE "year" > $1::bigint FOR UPDATE)", "1"},
        {"locked beside others", books.where(earlier == "x").for_update().select(id).plan(), PlanUse::rows,
         R"(SQLite cannot do this: row_locks.)",
         R"(SELECT t0."id" FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" = t0."sequel_of" WHERE
           t1."title" = $1 FOR UPDATE OF t0)",
         "'x'"},
    });
}

TEST(QueryText, OfGroupsAndWindows) {
    auto const by_author = window.partition_by(field<&Book::author>);
    check({
        {"groups",
         books.where(year > 1)
             .group_by(author_name)
             .having(quern::count() > 2)
             .order_by(quern::count().descending())
             .select(author_name, quern::count(), quern::max(price))
             .plan(),
         PlanUse::rows,
         R"(SELECT t1."name", count(*), max(t0."price") FROM "books" AS t0 JOIN "authors" AS t1 ON
           t1."id" = t0."author" WHERE t0."year" > ? GROUP BY t1."name" HAVING count(*) > ? ORDER BY
           count(*) DESC)",
         R"(SELECT t1."name", count(*), max(t0."price") FROM "books" AS t0 JOIN "authors" AS t1 ON
           t1."id" = t0."author" WHERE t0."year" > $1::bigint GROUP BY t1."name" HAVING count(*) >
           $2::bigint ORDER BY count(*) DESC)",
         "1, 2"},
        {"groups by expressions",
         books.where(year > 10)
             .group_by(year / 10)
             .having(year / 10 > 5)
             .order_by(year / 10)
             .select(year / 10, quern::count())
             .plan(),
         PlanUse::rows,
         R"(SELECT "year" / ?, count(*) FROM "books" WHERE "year" > ? GROUP BY "year" / ? HAVING ("year"
           / ?) > ? ORDER BY ("year" / ?))",
         R"(SELECT "year" / $1::bigint, count(*) FROM "books" WHERE "year" > $2::bigint GROUP BY "year"
           / $1::bigint HAVING ("year" / $1::bigint) > $3::bigint ORDER BY ("year" / $1::bigint) NULLS
           FIRST)",
         "10, 10, 10, 10, 5, 10 / 10, 10, 5"},
        {"aggregates",
         of(quern::count(title), quern::count(year).distinct(),
            quern::sum(price).where(available && year > 1), quern::avg(year), quern::min(title),
            quern::join_text(title, ", ")),
         PlanUse::rows,
         R"(SELECT count("title"), count(DISTINCT "year"), sum("price") FILTER (WHERE "available" AND
           ("year" > ?)), avg("year"), min("title"), group_concat("title", ?) FROM "books")",
         R"(SELECT count("title"), count(DISTINCT "year"), sum("price") FILTER (WHERE "available" AND
           ("year" > $1::bigint)), avg("year"), min("title"), string_agg("title", $2) FROM "books")",
         "1, ', '"},
        {"spread", of(quern::stddev(price), quern::variance(year)), PlanUse::rows,
         R"(SQLite cannot do this: deviation.)",
         R"(SELECT stddev_samp("price"), var_samp("year") FROM "books")", ""},
        {"distinct texts", of(quern::join_text(title, ", ").distinct()), PlanUse::rows,
         R"(SQLite cannot do this: distinct_join.)",
         R"(SELECT string_agg(DISTINCT "title", $1) FROM "books")", "', '"},
        {"having alone", books.query().having(quern::count() > 1).select(quern::count()).plan(),
         PlanUse::rows, R"(SELECT count(*) FROM "books" HAVING count(*) > ?)",
         R"(SELECT count(*) FROM "books" HAVING count(*) > $1::bigint)", "1"},
        {"windows",
         of(row_number().over(window), rank().over(window.order_by(year)),
            dense_rank().over(by_author.order_by(year.descending(), id)),
            quern::count().where(available).over(by_author)),
         PlanUse::rows,
         R"(SELECT row_number() OVER (), rank() OVER (ORDER BY "year"), dense_rank() OVER (PARTITION BY
           "author" ORDER BY "year" DESC, "id"), count(*) FILTER (WHERE "available") OVER (PARTITION BY
           "author") FROM "books")",
         "", ""},
        {"window functions",
         of(ntile(4).over(window.order_by(id)), lag(title).over(window.order_by(id)),
            lead(year, 2).over(window.order_by(id)), first_value(title).over(by_author.order_by(sequel))),
         PlanUse::rows,
         R"(SELECT ntile(?) OVER (ORDER BY "id"), lag("title", ?) OVER (ORDER BY "id"), lead("year", ?)
           OVER (ORDER BY "id"), first_value("title") OVER (PARTITION BY "author" ORDER BY "sequel_of")
           FROM "books")",
         R"(SELECT ntile($1::integer) OVER (ORDER BY "id"), lag("title", $2::integer) OVER (ORDER BY
           "id"), lead("year", $3::integer) OVER (ORDER BY "id"), first_value("title") OVER (PARTITION
           BY "author" ORDER BY "sequel_of" NULLS FIRST) FROM "books")",
         "4, 1, 2"},
        {"frames",
         of(quern::sum(price).over(by_author.order_by(id).rows_before(2)),
            last_value(id).over(window.order_by(id).whole_partition()),
            quern::avg(price).over(window.whole_partition())),
         PlanUse::rows,
         R"(SELECT sum("price") OVER (PARTITION BY "author" ORDER BY "id" ROWS BETWEEN 2 PRECEDING AND
           CURRENT ROW), last_value("id") OVER (ORDER BY "id" ROWS BETWEEN UNBOUNDED PRECEDING AND
           UNBOUNDED FOLLOWING), avg("price") OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED
           FOLLOWING) FROM "books")",
         "", ""},
        {"a window over groups",
         books.group_by(year).select(year, rank().over(window.order_by(quern::count().descending()))).plan(),
         PlanUse::rows, R"(SELECT "year", rank() OVER (ORDER BY count(*) DESC) FROM "books" GROUP BY "year")",
         "", ""},
    });
}

TEST(QueryText, OfSubqueries) {
    auto const theirs = books.where(field<&Book::author> == outer<&Author::id>);
    check({
        {"exists",
         authors.where(exists(theirs.where(year > 1990)) && field<&Author::name> != "x")
             .select(field<&Author::id>)
             .plan(),
         PlanUse::rows,
         R"(SELECT t0."id" FROM "authors" AS t0 WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 WHERE (t1."author" = t0."id") AND (t1."year" > ?)) AND (t0."name" <> ?))",
         R"(SELECT t0."id" FROM "authors" AS t0 WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 WHERE (t1."author" = t0."id") AND (t1."year" > $1::bigint)) AND (t0."name" <> $2))",
         "1990, 'x'"},
        {"in",
         authors
             .where(!field<&Author::id>.in(books.where(year > 1)
                                               .group_by(field<&Book::author>)
                                               .having(quern::count() > 2)
                                               .select(field<&Book::author>)))
             .select(field<&Author::name>)
             .plan(),
         PlanUse::rows,
         R"(SELECT t0."name" FROM "authors" AS t0 WHERE (t0."id" IN (SELECT t1."author" FROM "books" AS
           t1 WHERE t1."year" > ? GROUP BY t1."author" HAVING count(*) > ?)) IS NOT TRUE)",
         R"(SELECT t0."name" FROM "authors" AS t0 WHERE (t0."id" IN (SELECT t1."author" FROM "books" AS
           t1 WHERE t1."year" > $1::bigint GROUP BY t1."author" HAVING count(*) > $2::bigint)) IS NOT
           TRUE)",
         "1, 2"},
        {"value of",
         authors
             .select(field<&Author::name>, value_of(theirs.select(quern::count())),
                     value_of(theirs.order_by(year).limit(3).select(title)))
             .plan(),
         PlanUse::rows,
         R"(SELECT t0."name", (SELECT count(*) FROM "books" AS t1 WHERE t1."author" = t0."id" LIMIT 1),
           (SELECT t2."title" FROM "books" AS t2 WHERE t2."author" = t0."id" ORDER BY t2."year" LIMIT
           min(?, 1)) FROM "authors" AS t0)",
         R"(SELECT t0."name", (SELECT count(*) FROM "books" AS t1 WHERE t1."author" = t0."id" LIMIT 1),
           (SELECT t2."title" FROM "books" AS t2 WHERE t2."author" = t0."id" ORDER BY t2."year" LIMIT
           least($1::bigint, 1)) FROM "authors" AS t0)",
         "3"},
        {"outer fields that join",
         books
             .where(exists(authors.where(field<&Author::name> ==
                                         outer<&Book::sequel_of, &Book::author, &Author::name>)))
             .select(id)
             .plan(),
         PlanUse::rows,
         R"(SELECT t0."id" FROM "books" AS t0 LEFT JOIN "books" AS t1 ON t1."id" = t0."sequel_of" LEFT
           JOIN "authors" AS t2 ON t2."id" = t1."author" WHERE EXISTS (SELECT t3."id", t3."name",
           t3."country" FROM "authors" AS t3 WHERE t3."name" = t2."name"))",
         "", ""},
        {"two deep",
         authors
             .where(exists(theirs.where(exists(lendings.where(field<&Lending::book> == outer<&Book::id>)))))
             .select(country)
             .plan(),
         PlanUse::rows,
         R"(SELECT t0."country" FROM "authors" AS t0 WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 WHERE (t1."author" = t0."id") AND EXISTS (SELECT t2."reader", t2."book", t2."number of
           ""days""" FROM "lendings" AS t2 WHERE t2."book" = t1."id")))",
         "", ""},
        {"ordered by an outer field",
         authors.where(exists(books.order_by(outer<&Author::id>, year).limit(1))).select(country).plan(),
         PlanUse::rows,
         R"(SELECT t0."country" FROM "authors" AS t0 WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 ORDER BY t0."id", t1."year" LIMIT ?))",
         R"(SELECT t0."country" FROM "authors" AS t0 WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 ORDER BY t0."id" NULLS FIRST, t1."year" LIMIT $1::bigint))",
         "1"},
    });
}

TEST(QueryText, OfChanges) {
    auto const cheap = books.where(price < 5);
    check({
        {"update", assigned(cheap, available.set(false), year.set(year + 1), sequel.set(nullptr)),
         PlanUse::update,
         R"(UPDATE "books" SET "available" = ?, "year" = "year" + ?, "sequel_of" = ? WHERE "price" < ?)",
         R"(UPDATE "books" SET "available" = $1::boolean, "year" = "year" + $2::bigint, "sequel_of" = $3
           WHERE "price" < $4::bigint)",
         "false, 1, null, 5"},
        {"update all", assigned(books.query(), title.set(lower(title)), price.set(2)), PlanUse::update,
         R"(UPDATE "books" SET "title" = lower("title"), "price" = ?)",
         R"(UPDATE "books" SET "title" = lower("title"), "price" = $1::bigint)", "2"},
        {"update by another table",
         assigned(books.where(author_name == "Lem").where(year > 2), price.set(price * 2)), PlanUse::update,
         R"(UPDATE "books" AS t0 SET "price" = t0."price" * ? WHERE ("id") IN (SELECT t2."id" FROM
           "books" AS t2 JOIN "authors" AS t3 ON t3."id" = t2."author" WHERE (t3."name" = ?) AND
           (t2."year" > ?)))",
         R"(UPDATE "books" AS t0 SET "price" = t0."price" * $1::bigint WHERE ("id") IN (SELECT t2."id"
           FROM "books" AS t2 JOIN "authors" AS t3 ON t3."id" = t2."author" WHERE (t3."name" = $2) AND
           (t2."year" > $3::bigint)))",
         "2, 'Lem', 2"},
        {"update the first", assigned(cheap.order_by(year).limit(2), title.set("x")), PlanUse::update,
         R"(UPDATE "books" SET "title" = ? WHERE ("id") IN (SELECT t1."id" FROM "books" AS t1 WHERE
           t1."price" < ? ORDER BY t1."year" LIMIT ?))",
         R"(UPDATE "books" SET "title" = $1 WHERE ("id") IN (SELECT t1."id" FROM "books" AS t1 WHERE
           t1."price" < $2::bigint ORDER BY t1."year" LIMIT $3::bigint))",
         "'x', 5, 2"},
        {"update by a subquery",
         assigned(authors.where(exists(books.where(field<&Book::author> == outer<&Author::id>))),
                  field<&Author::name>.set("x")),
         PlanUse::update,
         R"(UPDATE "authors" AS t0 SET "name" = ? WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 WHERE t1."author" = t0."id"))",
         R"(UPDATE "authors" AS t0 SET "name" = $1 WHERE EXISTS (SELECT t1."id", t1."author",
           t1."sequel_of", t1."title", t1."year", t1."price", t1."available", t1."binding" FROM "books"
           AS t1 WHERE t1."author" = t0."id"))",
         "'x'"},
        {"set twice", assigned(cheap, year.set(1), year.set(2)), PlanUse::update, R"(A column is set twice.)",
         "", ""},
        {"remove", cheap.plan(), PlanUse::remove, R"(DELETE FROM "books" WHERE "price" < ?)",
         R"(DELETE FROM "books" WHERE "price" < $1::bigint)", "5"},
        {"remove all", books.query().plan(), PlanUse::remove, R"(DELETE FROM "books")", "", ""},
        {"remove by two keys",
         lendings.order_by(field<&Lending::days>.descending()).limit(3).offset(1).plan(), PlanUse::remove,
         R"(DELETE FROM "lendings" WHERE ("reader", "book") IN (SELECT t1."reader", t1."book" FROM
           "lendings" AS t1 ORDER BY t1."number of ""days""" DESC LIMIT ? OFFSET ?))",
         R"(DELETE FROM "lendings" WHERE ("reader", "book") IN (SELECT t1."reader", t1."book" FROM
           "lendings" AS t1 ORDER BY t1."number of ""days""" DESC LIMIT $1::bigint OFFSET $2::bigint))",
         "3, 1"},
        {"remove by another table",
         lendings.where(field<&Lending::book, &Book::sequel_of, &Book::title> == "x").plan(), PlanUse::remove,
         R"(DELETE FROM "lendings" AS t0 WHERE ("reader", "book") IN (SELECT t3."reader", t3."book" FROM
           "lendings" AS t3 JOIN "books" AS t4 ON t4."id" = t3."book" LEFT JOIN "books" AS t5 ON
           t5."id" = t4."sequel_of" WHERE t5."title" = ?))",
         R"(DELETE FROM "lendings" AS t0 WHERE ("reader", "book") IN (SELECT t3."reader", t3."book" FROM
           "lendings" AS t3 JOIN "books" AS t4 ON t4."id" = t3."book" LEFT JOIN "books" AS t5 ON
           t5."id" = t4."sequel_of" WHERE t5."title" = $1))",
         "'x'"},
    });
}

TEST(QueryText, OfNames) {
    check({
        {"a quote in a column", lendings.where(field<&Lending::days> > 7).plan(), PlanUse::rows,
         R"(SELECT "reader", "book", "number of ""days""" FROM "lendings" WHERE "number of ""days""" > ?)",
         R"(SELECT "reader", "book", "number of ""days""" FROM "lendings" WHERE "number of ""days""" >
           $1::bigint)",
         "7"},
        {"a quote beside a table",
         lendings.order_by(field<&Lending::days>, field<&Lending::book, &Book::year>)
             .select(field<&Lending::days> * 2)
             .plan(),
         PlanUse::rows,
         R"(SELECT t0."number of ""days""" * ? FROM "lendings" AS t0 JOIN "books" AS t1 ON t1."id" =
           t0."book" ORDER BY t0."number of ""days""", t1."year")",
         R"(SELECT t0."number of ""days""" * $1::bigint FROM "lendings" AS t0 JOIN "books" AS t1 ON
           t1."id" = t0."book" ORDER BY t0."number of ""days""", t1."year")",
         "2"},
        {"a quote in a change",
         assigned(lendings.query(), field<&Lending::days>.set(field<&Lending::days> + 1)), PlanUse::update,
         R"(UPDATE "lendings" SET "number of ""days""" = "number of ""days""" + ?)",
         R"(UPDATE "lendings" SET "number of ""days""" = "number of ""days""" + $1::bigint)", "1"},
    });
}

TEST(QueryPlan, Prints) {
    EXPECT_EQ(books.query().plan().print(), "(from books)");
    EXPECT_EQ(
        books.where(!available || author_name == "x").order_by(year.descending()).limit(3).plan().print(),
        R"((from books)
(where (any_of (not (column books.available)) (equal (column books.author.name) (value 'x'))))
(order (key /1 (column books.year)))
(limit 3))");
    EXPECT_EQ(authors.where(exists(books.where(field<&Book::author> == outer<&Author::id>)))
                  .select(quern::count(), lower(country))
                  .plan()
                  .print(),
              R"((from authors)
(where (exists (query (from books) (where (equal (column books.author) (outer authors.id))))))
(output (aggregate count) (function lower (column authors.country))))");
    EXPECT_EQ(assigned(books.where(sequel.in({1, 2})).with<&Book::author>(), price.set(1.5)).print(),
              R"((from books)
(where (in_list (column books.sequel_of) (value 1) (value 2)))
(related (row books.author))
(assign #5 (value 1.5)))");
}

}  // namespace

}  // namespace quern::test

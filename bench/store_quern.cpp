// SPDX-License-Identifier: Apache-2.0

// The store through the library, as a program has it that serves nothing: a model, its table, a query set,
// one typed text. In memory it is Database::open_temporary(), a file where the system keeps files in memory,
// with a WAL as every Database has; callers that write at once share commits.

#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include <quern/table.h>

#include "store.h"

namespace {

using namespace bench::store;
using quern::field;

struct Bucket {
    std::int64_t id = 0;
    std::string name;
    static constexpr auto model =
        quern::model<"buckets">(quern::key<&Bucket::id>, quern::unique<&Bucket::name>);
};
QUERN_DESCRIBE(Bucket, id, name)

struct Row {
    std::int64_t id = 0;
    std::int64_t bucket_id = 0;
    std::string name;
    std::int64_t amount = 0;
    std::string note;
    static constexpr auto model =
        quern::model<"items">(quern::key<&Row::id>, quern::references<&Row::bucket_id, Bucket>(),
                              quern::unique<&Row::bucket_id, &Row::name>);
};
QUERN_DESCRIBE(Row, id, bucket_id, name, amount, note)

constexpr quern::Table<Bucket> bucket_table;
constexpr quern::Table<Row> items;

// What the Result holds; without it the program ends with the error.
template <class T>
T must(quern::Result<T> result) {
    if (!result) bench::give_up(result.error().message.c_str());
    if constexpr (!std::is_void_v<T>) return *std::move(result);
}

class Store {
public:
    using Item = Row;

    explicit Store(Arguments const& arguments)
        : db_(must(arguments.durable ? quern::Database::open(arguments.file(), {.cache_bytes = cache_bytes})
                                     : quern::Database::open_temporary({.cache_bytes = cache_bytes}))) {
        must(db_->migrate({schema}));
        std::vector<Bucket> rows;
        for (std::int64_t id = 1; id <= buckets; ++id) rows.push_back({id, "bucket " + std::to_string(id)});
        must(bucket_table.insert_many(*db_, rows));
    }

    void insert(std::span<Item const> rows, Laps& laps) {
        must(db_->transaction([&](quern::Transaction& transaction) -> quern::Result<void> {
            for (Item const& row : rows) {
                QUERN_CHECK(items.insert(transaction, row));
                laps.lap();
            }
            return {};
        }));
    }

    Item read(std::int64_t id) {
        auto found = must(items.get(*db_, id));
        bench::require(found.has_value(), "there is no such item");
        return *std::move(found);
    }

    std::vector<Item> page(std::int64_t bucket) {
        return must(items.where(field<&Row::bucket_id> == bucket)
                        .order_by(field<&Row::name>)
                        .limit(rows_of_page)
                        .all(*db_));
    }

    void add_one(std::int64_t id) {
        auto const changes = must(db_->execute<"UPDATE items SET amount = amount + 1 WHERE id = {id}">(id));
        bench::require(changes.rows == 1, "there is no such item");
    }

    Totals totals() {
        auto const amount = must(items.select(quern::sum(field<&Row::amount>)).first(*db_));
        return {must(bucket_table.count(*db_)), must(items.count(*db_)), amount.value().value_or(0)};
    }

    // Of the connection that writes.
    Settings settings() {
        auto const found = must(db_->transaction([](quern::Transaction& transaction) {
            return transaction.query_one<
                "SELECT sqlite_version(), (SELECT * FROM pragma_journal_mode), "
                "(SELECT * FROM pragma_synchronous)",
                std::tuple<std::string, std::string, std::int64_t>>();
        }));
        bench::require(found.has_value(), "there are no settings");
        return std::make_from_tuple<Settings>(*found);
    }

private:
    std::shared_ptr<quern::Database> db_;
};

}  // namespace

int main(int argc, char** argv) { return run<Store>(argc, argv); }

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The database that `quern bench` works on: accounts, and three collections of posts that are alike.

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "app/bench_rows.h"
#include "crypto/random.h"
#include "os/clock.h"
#include "schema/collection.h"
#include "store/store.h"

namespace quern::app {

// Each measure that changes how many rows there are has a collection of its own, so that the speed of one
// does not decide how many rows the next one meets.
enum class PostTable : std::uint8_t {
    kept,     // read, listed and updated; as many rows as were asked for
    made,     // created by the measures
    removed,  // filled like `kept`, and deleted from
};
inline constexpr std::size_t post_tables = 3;

inline constexpr std::string_view accounts_name = "accounts";
[[nodiscard]] std::string_view name_of(PostTable table);

struct StageOptions {
    std::filesystem::path directory;
    bool relaxed = false;
    std::size_t rows = 0;
    std::move_only_function<void(Error const&)> on_fatal;
};

class BenchStage {
public:
    // Opens a new database in the directory and makes collections and accounts; posts come later.
    // Errors: as library::open_database.
    [[nodiscard]] static Result<std::unique_ptr<BenchStage>> open(StageOptions options,
                                                                  os::Clock const& clock);

    [[nodiscard]] store::Store& store() const { return *store_; }
    [[nodiscard]] std::shared_ptr<Schema const> schema() const { return store_->schema(); }
    [[nodiscard]] Collection const& collection(PostTable table) const;
    [[nodiscard]] os::Clock const& clock() const { return clock_; }
    [[nodiscard]] crypto::Random& random() { return random_; }
    [[nodiscard]] std::size_t rows() const { return rows_; }

    [[nodiscard]] std::vector<std::string> const& account_ids() const { return account_ids_; }
    // The id of each row number that was written and acknowledged; for the thread that measures.
    [[nodiscard]] std::vector<std::string>& ids(PostTable table) { return ids_.at(index(table)); }
    // What `views` of each row of PostTable::kept holds.
    [[nodiscard]] std::vector<std::int64_t>& views() { return views_; }

    // Rows in the collection, as a reader counts them now.
    [[nodiscard]] Result<std::size_t> count(PostTable table);

private:
    BenchStage(StageOptions const& options, os::Clock const& clock) : clock_(clock), rows_(options.rows) {}
    static std::size_t index(PostTable table) { return static_cast<std::size_t>(table); }
    [[nodiscard]] Result<void> make_collection(std::string_view definition);
    [[nodiscard]] Result<void> make_accounts();

    os::Clock const& clock_;
    crypto::SystemRandom random_;
    std::size_t rows_;
    std::vector<std::string> account_ids_;
    std::array<std::vector<std::string>, post_tables> ids_;
    std::vector<std::int64_t> views_;
    std::unique_ptr<store::Store> store_;  // last: its thread ends first
};

}  // namespace quern::app

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The oracle and another engine, both holding the same random database.

#include <string>
#include <string_view>
#include <vector>

#include "engine/conformance/chance.h"
#include "engine/conformance/generate_rows.h"
#include "engine/conformance/stage.h"

namespace quern::engine::conformance {

// Threads: one at a time.
class Pair {
public:
    explicit Pair(std::string_view engine) : oracle_("ram"), other_(engine) {}

    [[nodiscard]] Stage& oracle() { return oracle_; }
    [[nodiscard]] Stage& other() { return other_; }
    // Ids that were inserted; after writes that fail or are rolled back they may not be there.
    [[nodiscard]] Ids const& ids() const { return ids_; }

    // Random collections and rows, the same in both. Returns the first difference.
    [[nodiscard]] std::string fill(Chance& chance);
    // Makes the tables so in both; a difference in the outcome, or the tables after it.
    [[nodiscard]] std::string alter(std::vector<Collection> const& collections);
    // One random write to both; a difference in the outcome.
    [[nodiscard]] std::string write(Chance& chance, bool faults);
    // A difference in the rows of any table.
    [[nodiscard]] std::string compare_tables();

    // What was done to both so far, in the words of case.h, for messages.
    [[nodiscard]] std::string const& story() const { return story_; }

private:
    [[nodiscard]] std::string insert(Chance& chance, Collection const& collection, bool faults);
    [[nodiscard]] std::string update(Chance& chance, Collection const& collection, bool faults);
    [[nodiscard]] std::string remove(Chance& chance, Collection const& collection);
    [[nodiscard]] std::string point(Chance& chance);
    // What an insert came to, when the row's id is another one that is free.
    [[nodiscard]] std::string without_its_id(Collection const& collection, std::string const& fields);
    // Notes a line of the story and compares what came of it.
    [[nodiscard]] std::string agree(std::string const& line, std::string const& expected,
                                    std::string const& found);

    Stage oracle_;
    Stage other_;
    Ids ids_;
    std::string story_;
    int open_savepoints_ = 0;
};

}  // namespace quern::engine::conformance

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which value of a source row goes into which field, settled once before the first row.

#include <cstddef>
#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include <quern/buffer.h>
#include <quern/error.h>
#include "app/import.h"
#include "app/import_source.h"
#include "app/import_value.h"
#include "json/reader.h"
#include "schema/collection.h"

namespace quern::app {

// A field whose values are replaced by the ids of the records they stand for.
struct LookupNeed {
    std::size_t entry = 0;  // for ImportPlan::set_lookup
    std::string field;
    std::string target_id;   // id of the collection that the field points at
    std::string collection;  // as given by --map
    std::string unique_field;
};

// Threads: one at a time.
class ImportPlan {
public:
    // `collection` is the answer to GET /api/collections/NAME.
    // Errors: parameter_invalid — an option names a field that is not there or cannot do it;
    //         body_invalid — the answer describes no collection that can be written to.
    [[nodiscard]] static Result<ImportPlan> make(json::Node collection, ImportOptions const& options);

    [[nodiscard]] std::vector<LookupNeed> const& lookups() const { return lookups_; }
    void set_lookup(std::size_t entry, Lookup lookup) { entries_[entry].lookup = std::move(lookup); }

    // A sentence for each name of the row that goes nowhere.
    [[nodiscard]] std::vector<Refusal> unknown_names(RowSource const& row) const;

    // Appends the row as the JSON body of a create request.
    // Errors: every reason why it cannot be sent, each with its field; what was appended is then of no use.
    [[nodiscard]] std::expected<void, std::vector<Refusal>> write_row(RowSource const& row,
                                                                      Buffer& output) const;

private:
    struct Entry {
        Field field;
        std::string path;
        Lookup lookup;  // empty = the value itself
    };
    // A field that no import can fill, and why.
    struct Excluded {
        std::string name;
        Refusal why;
    };

    [[nodiscard]] Result<void> add_fields(json::Node fields);
    [[nodiscard]] Result<void> apply_renames(ImportOptions const& options);
    [[nodiscard]] Result<void> apply_maps(ImportOptions const& options);
    void collect_known_names(ImportOptions const& options);
    [[nodiscard]] Entry* find(std::string_view field);

    std::vector<Entry> entries_;
    std::vector<Excluded> excluded_;
    std::vector<LookupNeed> lookups_;
    std::vector<std::string> known_names_;  // sorted
    bool ignore_unknown_ = false;
};

}  // namespace quern::app

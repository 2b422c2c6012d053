// SPDX-License-Identifier: Apache-2.0
#pragma once

// Opens the database of a data directory, for every command alike.

#include <filesystem>
#include <memory>

#include <quern/error.h>
#include "crypto/random.h"
#include "os/clock.h"
#include "store/store.h"

namespace quern::library {

inline constexpr char const* database_file = "data.db";

struct DatabaseOptions {
    std::filesystem::path directory;
    bool exclusive = true;
    bool relaxed = false;
    store::StoreOptions store;
};

// Opens `directory`/data.db and makes both when they are missing. A new database gets the collection
// `_superusers`.
// Errors: overloaded — another process has the file; the message says what to do. Else as Store::open.
[[nodiscard]] Result<std::unique_ptr<store::Store>> open_database(DatabaseOptions options,
                                                                  os::Clock const& clock,
                                                                  crypto::Random& random);

}  // namespace quern::library

// SPDX-License-Identifier: Apache-2.0
#pragma once

// How a program of ours is told what a rival is told: by the environment.

#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include <quern/sqlite.h>

#include "program.h"

namespace bench {

inline std::string environment(char const* name, char const* otherwise) {
    char const* const value = std::getenv(name);
    return value == nullptr ? otherwise : value;
}

inline std::string address() { return "127.0.0.1:" + environment("PORT", "8099"); }
inline std::string database_path() { return environment("DATABASE", "rows.db"); }

// SYNCHRONOUS full|normal, BATCH the most writes of one commit (1: no group commit), EXCLUSIVE 1 keeps the
// file's locks in this process. The journal is always a WAL.
inline std::shared_ptr<quern::Database> open_database() {
    if (environment("JOURNAL", "wal") != "wal") give_up("quern::Database has no other journal than the WAL");
    quern::DatabaseOptions options;
    if (environment("SYNCHRONOUS", "full") == "normal") options.durability = quern::Durability::relaxed;
    options.batch_max = static_cast<std::size_t>(std::atoi(environment("BATCH", "256").c_str()));
    options.exclusive = environment("EXCLUSIVE", "0") == "1";
    auto database = quern::Database::open(database_path(), options);
    if (!database) give_up(database.error().message.c_str());
    return *database;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
#pragma once

// `quern import COLLECTION FILE`: the rows of a file become records, through the API of a running server.
//
// One request a record, many in flight. Rules, checks and events are those of every other write. A row that
// does not fit is reported with its line and left out, never bent; the run goes on, and the exit code tells.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace quern::app {

// Requests in flight.
inline constexpr std::size_t import_concurrency_default = 64;
inline constexpr std::size_t import_concurrency_max = 256;

struct ImportOptions {
    std::string collection;
    std::filesystem::path file;
    std::string url = "http://127.0.0.1:8090";
    // Who writes: a superuser's address and password, or a token.
    std::string email;
    std::string password;
    std::string token;
    // "field=collection.uniquefield": the source has the unique field's value where the field wants the id.
    std::vector<std::string> maps;
    // "field=path.in.source": the source calls it otherwise, or has it further down.
    std::vector<std::string> renames;
    // Members or columns of the source that no field takes: these, or all of them. Others are an error.
    std::vector<std::string> ignored;
    bool ignore_unknown = false;
    std::string format = "auto";  // auto, json, ndjson, csv
    std::string separator = ",";  // of CSV
    std::size_t concurrency = import_concurrency_default;
    bool dry_run = false;  // check and report, send nothing
};

// Runs the import and reports: progress and bad rows on standard error, the summary on standard output.
// Returns the process's exit code: 0 when every row was imported, 1 when some were not, 2 when nothing could
// begin or the run had to end early.
[[nodiscard]] int run_import(ImportOptions const& options);

// Declares the subcommand. Lifetime: `options` is filled when the command line is parsed.
CLI::App* add_import(CLI::App& app, ImportOptions& options);

}  // namespace quern::app

// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include <cstdio>
#include <functional>
#include <string>

#include "app/bench.h"
#include "app/import.h"
#include "app/load.h"
#include "app/serve.h"
#include "app/superuser.h"
#include "app/version.h"

namespace {

using Run = std::function<int()>;

void add_serve(CLI::App& app, quern::app::ServeOptions& options, Run& run) {
    CLI::App* serve = app.add_subcommand("serve", "Serve the collections of a data directory over HTTP");
    serve->add_option("--dir", options.directory, "Directory of data.db; made when missing")
        ->capture_default_str();
    serve->add_option("--http", options.address, "HOST:PORT to listen on")->capture_default_str();
    serve->add_option("--loops", options.loops, "Event loops (0 = one a processor)")->capture_default_str();
    serve->add_flag("--pin", options.pin_loops, "Bind each loop to a processor of its own");
    auto* shared =
        serve->add_flag("--shared,!--exclusive", options.shared,
                        "Let other programs open data.db while the server runs (the default); --exclusive "
                        "keeps it to this process and is a little faster");
    (void)shared;
    serve->add_flag("--relaxed", options.relaxed,
                    "Do not wait for the disk: power loss may take the last writes");
    serve
        ->add_option("--batch-max", options.batch_max, "Most writes that share a commit; 1: each has its own")
        ->check(CLI::Range(std::size_t{1}, quern::app::batch_max_limit))
        ->capture_default_str();
    serve->add_flag("--access-log", options.access_log, "Log every request");
    serve->add_option("--log-format", options.log_json, "text or json")
        ->transform(CLI::CheckedTransformer(std::map<std::string, bool>{{"text", false}, {"json", true}}))
        ->option_text("text|json");
    serve->callback([&options, &run] { run = [&options] { return quern::app::run_serve(options); }; });
}

void add_superuser(CLI::App& app, quern::app::SuperuserOptions& options, Run& run) {
    CLI::App* superuser = app.add_subcommand("superuser", "Accounts that may do everything");
    superuser->require_subcommand(1);
    superuser->add_option("--dir", options.directory, "Directory of data.db")->capture_default_str();
    superuser->fallthrough();

    CLI::App* upsert = superuser->add_subcommand("upsert", "Create an account, or give it a new password");
    upsert->add_option("email", options.email, "Email address")->required();
    upsert->add_option("password", options.password, "Password, 8 characters or more")->required();
    upsert->callback(
        [&options, &run] { run = [&options] { return quern::app::run_superuser_upsert(options); }; });

    CLI::App* remove = superuser->add_subcommand("delete", "Delete an account");
    remove->add_option("email", options.email, "Email address")->required();
    remove->callback(
        [&options, &run] { run = [&options] { return quern::app::run_superuser_delete(options); }; });

    CLI::App* list = superuser->add_subcommand("list", "List the accounts");
    list->callback(
        [&options, &run] { run = [&options] { return quern::app::run_superuser_list(options); }; });

    for (CLI::App* command : {upsert, remove, list}) command->fallthrough();
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App app("Quern: a backend in one binary and one file.");
    app.set_version_flag("--version", quern::app::version);
    app.require_subcommand(1);

    Run run;
    quern::app::ServeOptions serve_options;
    quern::app::SuperuserOptions superuser_options;
    quern::app::ImportOptions import_options;
    add_serve(app, serve_options, run);
    add_superuser(app, superuser_options, run);
    quern::app::add_import(app, import_options)->callback([&] {
        run = [&] { return quern::app::run_import(import_options); };
    });

    quern::app::LoadOptions load_options;
    quern::app::add_load(app, load_options)->callback([&] {
        run = [&] { return quern::app::run_load(load_options); };
    });

    quern::app::BenchOptions bench_options;
    quern::app::add_bench(app, bench_options)->callback([&] {
        run = [&] { return quern::app::run_bench(bench_options); };
    });

    CLI11_PARSE(app, argc, argv);
    return run();
}

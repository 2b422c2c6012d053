// SPDX-License-Identifier: Apache-2.0
#include "app/superuser.h"

#include <cstdio>
#include <vector>

#include "auth/auth_collection.h"
#include "crypto/password.h"
#include "library/database.h"
#include "library/superusers.h"
#include "os/file.h"
#include "store/removal.h"

namespace quern::app {

namespace {

struct Accounts {
    os::SystemClock clock;
    crypto::SystemRandom random;
    std::unique_ptr<store::Store> store;

    Result<void> open(SuperuserOptions const& options) {
        QUERN_TRY(store,
                  library::open_database({.directory = options.directory, .exclusive = false, .store = {}},
                                         clock, random));
        return {};
    }
    [[nodiscard]] std::shared_ptr<Schema const> schema() const { return store->schema(); }
};

Result<bool> run_upsert(SuperuserOptions const& options) {
    Accounts accounts;
    QUERN_CHECK(accounts.open(options));
    crypto::Argon2id hasher;
    return library::upsert_superuser(*accounts.store, accounts.random, hasher, options.email,
                                     options.password);
}

// Looking and deleting do not make a database where there is none.
Result<void> check_database(SuperuserOptions const& options) {
    if (os::File::open(options.directory / library::database_file, os::OpenMode::read)) return {};
    return fail(ErrorCode::not_found, "There is no database in " + options.directory.string() + ".");
}

Result<bool> run_delete(SuperuserOptions const& options) {
    QUERN_CHECK(check_database(options));
    Accounts accounts;
    QUERN_CHECK(accounts.open(options));
    bool removed = false;
    QUERN_CHECK(accounts.store->write_now(
        [&](store::WriteContext& context) -> Result<void> {
            Collection const& collection = *context.schema->find(auth::superusers_id);
            QUERN_TRY(auto const found,
                      library::find_superusers(context.transaction, context.schema, options.email));
            if (found.empty()) return {};
            QUERN_TRY(removed, store::remove_record(context, collection, found[0].first));
            return {};
        },
        false));
    return removed;
}

int report(Error const& error) {
    std::fprintf(stderr, "quern: %s\n", error.message.c_str());
    for (FieldError const& field : error.fields) {
        std::fprintf(stderr, "  %s: %s\n", field.field.c_str(), field.message.c_str());
    }
    return 1;
}

}  // namespace

int run_superuser_upsert(SuperuserOptions const& options) {
    auto const created = run_upsert(options);
    if (!created) return report(created.error());
    std::printf("%s superuser %s.\n", *created ? "Created" : "Updated", options.email.c_str());
    return 0;
}

int run_superuser_delete(SuperuserOptions const& options) {
    auto const removed = run_delete(options);
    if (!removed) return report(removed.error());
    if (!*removed) {
        std::fprintf(stderr, "quern: There is no superuser %s.\n", options.email.c_str());
        return 1;
    }
    std::printf("Deleted superuser %s.\n", options.email.c_str());
    return 0;
}

int run_superuser_list(SuperuserOptions const& options) {
    if (auto const there = check_database(options); !there) return report(there.error());
    Accounts accounts;
    if (auto const opened = accounts.open(options); !opened) return report(opened.error());
    auto reader = accounts.store->open_reader();
    if (!reader) return report(reader.error());
    auto const found = library::find_superusers(**reader, accounts.schema(), {});
    if (!found) return report(found.error());
    for (auto const& [id, email] : *found) std::printf("%s  %s\n", id.c_str(), email.c_str());
    return 0;
}

}  // namespace quern::app

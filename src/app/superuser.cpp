// SPDX-License-Identifier: Apache-2.0
#include "app/superuser.h"

#include <cstdio>
#include <vector>

#include "app/database.h"
#include "auth/auth_collection.h"
#include "auth/credentials.h"
#include "auth/principal.h"
#include "base/assert.h"
#include "crypto/password.h"
#include "plan/plan.h"
#include "schema/date.h"
#include "schema/row_sink.h"
#include "store/removal.h"

namespace quern::app {

namespace {

constexpr std::size_t id_chars = 15;

struct Accounts {
    os::SystemClock clock;
    crypto::SystemRandom random;
    std::unique_ptr<store::Store> store;

    Result<void> open(SuperuserOptions const& options) {
        QUERN_TRY(store, open_database({.directory = options.directory, .exclusive = false, .store = {}},
                                       clock, random));
        return {};
    }
    [[nodiscard]] std::shared_ptr<Schema const> schema() const { return store->schema(); }
};

// The accounts' ids and emails; of one email, or all.
Result<std::vector<std::pair<std::string, std::string>>> find(engine::Reader& reader,
                                                              std::shared_ptr<Schema const> const& schema,
                                                              std::string_view email) {
    Collection const& collection = *schema->find(auth::superusers_id);
    std::size_t const email_field = *collection.find("email");
    plan::Plan plan;
    plan.schema = schema;
    plan.sources.push_back({&collection, plan::no_source, plan::Hop::root, 0, {}});
    plan.output = {plan::column(0, 0), plan::column(0, email_field)};
    plan.sort.push_back({plan::SortKey::Kind::operand, plan::column(0, Collection::rowid_field), false});
    if (!email.empty()) {
        plan.where = plan::compare(plan::column(0, email_field), plan::Comparison::equal, plan::parameter(0));
        plan.parameter_count = 1;
    }
    auto const sealed = plan::seal(std::move(plan));
    Value const values[] = {Value::of(email)};
    std::vector<std::pair<std::string, std::string>> found;
    RowFunction sink([&](std::span<Value const> row) {
        found.emplace_back(row[0].text, row[1].text);
        return true;
    });
    QUERN_CHECK(reader.select({*sealed, std::span(values).first(sealed->parameter_count)}, sink));
    return found;
}

engine::Assignment assign(Collection const& collection, std::string_view field, Value value) {
    auto const index = collection.find(field);
    QUERN_ASSERT(index.has_value(), "the system fields of an auth collection are there");
    return {static_cast<std::uint16_t>(*index), value, {}};
}

Result<bool> upsert(store::WriteContext& context, std::string_view email, std::string_view hash,
                    crypto::Random& random) {
    Collection const& collection = *context.schema->find(auth::superusers_id);
    QUERN_TRY(auto const found, find(context.transaction, context.schema, email));
    std::string const now = format_date(context.now_ms);
    // A new token key ends every sign-in that was made with the old password.
    std::string const token_key = crypto::random_text(random, crypto::alphabet_secret, crypto::secret_chars);
    std::string const id =
        found.empty() ? crypto::random_text(random, crypto::alphabet_id, id_chars) : found[0].first;
    std::vector<engine::Assignment> row = {
        assign(collection, "password", Value::of(hash)),
        assign(collection, "tokenKey", Value::of(token_key)),
        assign(collection, "updated", Value::of(now)),
        {static_cast<std::uint16_t>(Collection::version_field), Value::of(context.next_version()), {}}};
    if (!found.empty()) {
        QUERN_TRY(bool const updated, context.transaction.update(collection, id, row));
        return !updated;
    }
    row.push_back(assign(collection, "id", Value::of(id)));
    row.push_back(assign(collection, "email", Value::of(email)));
    row.push_back(assign(collection, "verified", Value::of(true)));
    row.push_back(assign(collection, "created", Value::of(now)));
    QUERN_CHECK(context.transaction.insert(collection, row));
    return true;
}

Result<bool> run_upsert(SuperuserOptions const& options) {
    QUERN_CHECK(auth::check_credential_input(options.email, options.password));
    if (options.email.find('@') == std::string::npos) {
        return fail(ErrorCode::validation, "\"" + options.email + "\" is no email address.");
    }
    constexpr std::size_t password_chars_min = 8;
    if (options.password.size() < password_chars_min) {
        return fail(ErrorCode::validation, "The password must have at least 8 characters.");
    }
    Accounts accounts;
    QUERN_CHECK(accounts.open(options));
    crypto::Argon2id hasher;
    QUERN_TRY(std::string const hash, hasher.hash(options.password));
    bool created = false;
    QUERN_CHECK(accounts.store->write_now(
        [&](store::WriteContext& context) -> Result<void> {
            QUERN_TRY(created, upsert(context, options.email, hash, accounts.random));
            return {};
        },
        false));
    return created;
}

Result<bool> run_delete(SuperuserOptions const& options) {
    Accounts accounts;
    QUERN_CHECK(accounts.open(options));
    bool removed = false;
    QUERN_CHECK(accounts.store->write_now(
        [&](store::WriteContext& context) -> Result<void> {
            Collection const& collection = *context.schema->find(auth::superusers_id);
            QUERN_TRY(auto const found, find(context.transaction, context.schema, options.email));
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
    Accounts accounts;
    if (auto const opened = accounts.open(options); !opened) return report(opened.error());
    auto reader = accounts.store->open_reader();
    if (!reader) return report(reader.error());
    auto const found = find(**reader, accounts.schema(), {});
    if (!found) return report(found.error());
    for (auto const& [id, email] : *found) std::printf("%s  %s\n", id.c_str(), email.c_str());
    return 0;
}

}  // namespace quern::app

// SPDX-License-Identifier: Apache-2.0
#include "library/superusers.h"

#include <quern/assert.h>
#include "auth/auth_collection.h"
#include "auth/credentials.h"
#include "plan/plan.h"
#include "schema/date.h"
#include "schema/row_sink.h"

namespace quern::library {

Result<std::vector<std::pair<std::string, std::string>>> find_superusers(
    engine::Reader& reader, std::shared_ptr<Schema const> const& schema, std::string_view email) {
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

namespace {

constexpr std::size_t id_chars = 15;
constexpr std::size_t password_chars_min = 8;

engine::Assignment assign(Collection const& collection, std::string_view field, Value value) {
    auto const index = collection.find(field);
    QUERN_ASSERT(index.has_value(), "the system fields of an auth collection are there");
    return {static_cast<std::uint16_t>(*index), value, {}};
}

Result<bool> upsert(store::WriteContext& context, std::string_view email, std::string_view hash,
                    crypto::Random& random) {
    Collection const& collection = *context.schema->find(auth::superusers_id);
    QUERN_TRY(auto const found, find_superusers(context.transaction, context.schema, email));
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

}  // namespace

Result<bool> upsert_superuser(store::Store& store, crypto::Random& random, crypto::PasswordHasher& hasher,
                              std::string_view email, std::string_view password) {
    QUERN_CHECK(auth::check_credential_input(email, password));
    if (email.find('@') == std::string_view::npos)
        return fail(ErrorCode::validation, "\"" + std::string(email) + "\" is no email address.");
    if (password.size() < password_chars_min)
        return fail(ErrorCode::validation, "The password must have at least 8 characters.");
    QUERN_TRY(std::string const hash, hasher.hash(password));
    bool created = false;
    QUERN_CHECK(store.write_now(
        [&](store::WriteContext& context) -> Result<void> {
            QUERN_TRY(created, upsert(context, email, hash, random));
            return {};
        },
        false));
    return created;
}

}  // namespace quern::library

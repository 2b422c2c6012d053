// SPDX-License-Identifier: Apache-2.0
// POST /api/collections/{collection}/records, PATCH and DELETE …/records/{id}
#include <algorithm>

#include <quern/json_writer.h>
#include "api/answer.h"
#include "api/endpoints.h"
#include "api/etag.h"
#include "api/parameters.h"
#include "api/write_call.h"
#include "query/selection.h"
#include "rules/decision.h"
#include "store/removal.h"

namespace quern::api {

namespace {

std::uint16_t constexpr version_field = Collection::version_field;

std::span<engine::Assignment const> assign(std::span<FieldValue const> values, std::int64_t version,
                                           Arena& arena) {
    auto const row = arena.array<engine::Assignment>(values.size() + 1);
    for (std::size_t index = 0; index < values.size(); ++index) {
        row[index] = {values[index].field, values[index].value, values[index].items};
    }
    row[values.size()] = {version_field, Value::of(version), {}};
    return row;
}

// Whether the rule admits the record as it is stored now.
Result<bool> is_admitted(Call& call, query::Access access, std::string_view id) {
    if (access.kind() == query::Access::Kind::all) return true;
    query::CheckQuestion const question{
        .collection = *call.collection, .access = access, .id = id, .filter = {}};
    QUERN_TRY(auto const asked, call.planner().check(call.lane.schema, question, call.values, call.arena()));
    if (asked.is_never()) return false;
    bool found = false;
    RowFunction sink([&](std::span<Value const>) {
        found = true;
        return false;
    });
    QUERN_CHECK(call.reader.select(asked.bound(), sink));
    return found;
}

// What a refused write may tell: that a value is taken, or that a record is missing, is news of rows which a
// caller who may list nothing has no right to.
Error told_to(Call const& call, Error error) {
    bool const of_rows = error.code == ErrorCode::conflict || error.code == ErrorCode::validation;
    bool const may_list = !rules::decide(*call.collection, query::Action::list, call.principal()).is_locked();
    if (!of_rows || may_list) return error;
    return Error(ErrorCode::bad_request, "Failed to write the record.");
}

// An installation without superusers could be mended from the command line only.
Result<void> keep_last_superuser(Call& call) {
    if (call.collection->id != auth::superusers_id) return {};
    query::CountQuestion const question{
        .collection = *call.collection, .access = query::Access::all(), .filter = {}};
    QUERN_TRY(auto const asked, call.planner().count(call.lane.schema, question, call.values, call.arena()));
    QUERN_TRY(std::int64_t const count, call.reader.count(asked.bound()));
    if (count > 1) return {};
    return fail(ErrorCode::bad_request, "The last superuser cannot be deleted.");
}

// The written record as its writer may see it, without related records; where the view rule hides it, no more
// than its name. Tells whether related records belong to the answer.
Result<bool> answer_with_written(Call& call, std::string_view id) {
    rules::Decision const decision = rules::decide(*call.collection, query::Action::view, call.principal());
    if (!decision.is_locked()) {
        QUERN_TRY(PlainRecord const written, answer_with_plain_record(call, decision.access(), id));
        if (written.found) return written.has_related;
    }
    json::Writer writer(call.response().body);
    writer.begin_object();
    writer.member("collectionId", call.collection->id);
    writer.member("collectionName", call.collection->name);
    writer.member("id", id);
    writer.end_object();
    return false;
}

// What `fields` and `expand` may get wrong is told before anything is written.
Result<void> check_parameters(Call const& call) {
    QUERN_TRY(auto const parameters, read_record_parameters(call.parameters, *call.collection));
    if (!parameters.fields.empty()) QUERN_CHECK(query::parse_fields(parameters.fields));
    if (parameters.expand.empty()) return {};
    QUERN_CHECK(
        query::parse_expand(parameters.expand, *call.lane.schema, *call.collection, call.is_superuser()));
    return {};
}

Result<void> check_if_match(Call const& call, std::int64_t version) {
    auto const wanted = call.request().header("if-match");
    if (!wanted || matches_version(*wanted, version)) return {};
    return fail(ErrorCode::precondition_failed);
}

// What create and update share: a body of field values, and the written record as the answer.
class RecordInputCall : public WriteCall {
public:
    using WriteCall::WriteCall;

    bool has_password() const final {
        return std::ranges::any_of(inputs_, [](FieldInput const& input) { return input.must_hash; });
    }

    Result<void> hash_password(crypto::PasswordHasher& hasher) final {
        for (FieldInput& input : inputs_) {
            if (!input.must_hash) continue;
            QUERN_TRY(std::string const hash, hasher.hash(input.value.text));
            input.value = Value::of(exchange_.arena.copy(hash));
            input.must_hash = false;
        }
        return {};
    }

    bool is_shown_later() const final { return !later_.id.empty(); }

    // A write that is committed has succeeded, whatever becomes of the related records: where they are too
    // many, take too long, or the record is gone again or hidden by now, the answer is the record as it was
    // written.
    Result<void> show(Call& call) final {
        exchange_.response.clear();
        Result<bool> const shown = unfold(call);
        if (shown && *shown) return {};
        exchange_.response.clear();
        exchange_.response.body.append(later_.body);
        exchange_.response.extra_headers.append(later_.headers);
        if (!shown) return fail(shown.error());
        return {};
    }

protected:
    Result<void> read_inputs(Call& call, bool creating) {
        QUERN_CHECK(check_parameters(call));
        QUERN_TRY(body_, read_body());
        call.json_body = body_;
        QUERN_TRY(inputs_, call.lane.input_of(*call.collection)
                               .read(*body_, {.superuser = call.is_superuser(), .creating = creating},
                                     exchange_.arena));
        call.inputs = inputs_;
        schema_ = call.lane.schema;
        return {};
    }

    // Inside the transaction: what was read on the loop still holds, unless the schema has changed since.
    Result<void> take_inputs(Call& call) {
        if (schema_ != call.lane.schema) {
            if (!prepare_again(call))
                return fail(ErrorCode::overloaded, "The schema changed in the meantime.");
        }
        call.json_body = body_;
        call.inputs = inputs_;
        later_ = {};
        return {};
    }

    // The last step of apply().
    Result<void> answer(Call& call, std::string_view id) {
        QUERN_TRY(bool const has_related, answer_with_written(call, id));
        if (!has_related) return {};
        later_ = {.id = call.arena().copy(id),
                  .body = call.arena().copy(exchange_.response.body.view()),
                  .headers = call.arena().copy(exchange_.response.extra_headers.view()),
                  .parameters = call.parameters,
                  .principal = call.principal(),
                  .changes = call.changes};
        return {};
    }

    [[nodiscard]] WriteMoment moment(store::WriteContext const& context) const {
        return {context.now_ms, RandomSource(tools_.random)};
    }

private:
    // A password cannot be hashed here; such a write is sent back.
    bool prepare_again(Call& call) { return prepare(call).has_value() && !has_password(); }

    // The record with what hangs below it, for the caller and the request of the write. False: it is not to
    // be seen, or the schema has changed, so that the request's values may mean something else.
    Result<bool> unfold(Call& call) {
        if (schema_ != call.lane.schema) return false;
        QUERN_CHECK(find_collection(call));
        call.parameters = later_.parameters;
        call.values.principal = later_.principal;
        call.json_body = body_;
        call.inputs = inputs_;
        call.changes = later_.changes;
        rules::Decision const decision =
            rules::decide(*call.collection, query::Action::view, call.principal());
        if (decision.is_locked()) return false;
        return answer_with_record(call, decision.access(), later_.id);
    }

    // What show() needs of the run inside the transaction; all of it in the exchange's arena.
    struct Later {
        std::string_view id;    // empty: the answer is complete
        std::string_view body;  // the answer without related records
        std::string_view headers;
        std::span<http::QueryParameter const> parameters;
        Principal principal;
        std::optional<std::span<FieldValue const>> changes;
    };

    std::optional<json::Node> body_;
    std::span<FieldInput> inputs_;
    Later later_;
    std::shared_ptr<Schema const> schema_;
};

class RecordCreate final : public RecordInputCall {
public:
    using RecordInputCall::RecordInputCall;

    Result<void> prepare(Call& call) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(rules::authorise(*call.collection, query::Action::create, call.principal()));
        return read_inputs(call, true);
    }

protected:
    Result<void> apply(Call& call, store::WriteContext& context) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(take_inputs(call));
        QUERN_TRY(auto const access,
                  rules::authorise(*call.collection, query::Action::create, call.principal()));
        QUERN_TRY(
            auto const values,
            call.lane.input_of(*call.collection).for_insert(call.inputs, moment(context), call.arena()));
        auto const inserted = context.transaction.insert(
            *call.collection, assign(values, context.next_version(), call.arena()));
        if (!inserted) return fail(told_to(call, inserted.error()));
        // A rule speaks of the row as it would be, so it is asked with the row in place; a no takes it away
        // again.
        std::string_view const id = values[0].value.text;
        QUERN_TRY(bool const admitted, is_admitted(call, access, id));
        if (!admitted) return fail(ErrorCode::bad_request, "Failed to create record.");
        QUERN_CHECK(tell_hooks(call, context, RecordChange::create, id));
        return answer(call, id);
    }
};

class RecordUpdate final : public RecordInputCall {
public:
    using RecordInputCall::RecordInputCall;

    Result<void> prepare(Call& call) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(rules::authorise(*call.collection, query::Action::update, call.principal()));
        return read_inputs(call, false);
    }

protected:
    Result<void> apply(Call& call, store::WriteContext& context) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(take_inputs(call));
        QUERN_TRY(auto const access,
                  rules::authorise(*call.collection, query::Action::update, call.principal()));
        QUERN_TRY(auto const row, read_row(call, *call.collection, route_.record, access));
        if (row.empty()) return fail(ErrorCode::not_found);
        QUERN_CHECK(check_if_match(call, row.back().integer));
        QUERN_TRY(auto const changes,
                  call.lane.input_of(*call.collection)
                      .for_update(call.inputs, row.first(row.size() - 1), moment(context), call.arena()));
        if (!changes.empty()) {
            auto const updated = context.transaction.update(
                *call.collection, route_.record, assign(changes, context.next_version(), call.arena()));
            if (!updated) return fail(told_to(call, updated.error()));
            if (!*updated) return fail(ErrorCode::not_found);
            // The rule must hold for the row as it was and as it is now.
            call.changes = changes;
            QUERN_TRY(bool const admitted, is_admitted(call, access, route_.record));
            if (!admitted) return fail(ErrorCode::bad_request, "Failed to update record.");
            QUERN_CHECK(tell_hooks(call, context, RecordChange::update, route_.record));
        }
        return answer(call, route_.record);
    }
};

class RecordDelete final : public WriteCall {
public:
    using WriteCall::WriteCall;

    Result<void> prepare(Call& call) override {
        QUERN_CHECK(find_collection(call));
        QUERN_CHECK(rules::authorise(*call.collection, query::Action::remove, call.principal()));
        return {};
    }

protected:
    Result<void> apply(Call& call, store::WriteContext& context) override {
        QUERN_CHECK(find_collection(call));
        QUERN_TRY(auto const access,
                  rules::authorise(*call.collection, query::Action::remove, call.principal()));
        QUERN_TRY(auto const row, read_row(call, *call.collection, route_.record, access));
        if (row.empty()) return fail(ErrorCode::not_found);
        QUERN_CHECK(check_if_match(call, row.back().integer));
        QUERN_CHECK(keep_last_superuser(call));
        QUERN_CHECK(tell_hooks(call, context, RecordChange::remove, route_.record));
        QUERN_TRY(bool const removed, store::remove_record(context, *call.collection, route_.record));
        if (!removed) return fail(ErrorCode::not_found);
        write_no_content(call.response());
        return {};
    }
};

}  // namespace

std::unique_ptr<WriteCall> make_record_create(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<RecordCreate>(exchange, tools, route);
}
std::unique_ptr<WriteCall> make_record_update(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<RecordUpdate>(exchange, tools, route);
}
std::unique_ptr<WriteCall> make_record_delete(http::Exchange& exchange, WriteTools& tools, Route route) {
    return std::make_unique<RecordDelete>(exchange, tools, route);
}

}  // namespace quern::api

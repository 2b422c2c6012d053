// SPDX-License-Identifier: Apache-2.0
#include "store/removal.h"

#include <deque>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <quern/assert.h>

namespace quern::store {

namespace {

// Every reference to a removed record is followed breadth first; what has been removed is remembered, so that
// records that point at each other end the walk.
class Removal {
public:
    explicit Removal(WriteContext& context) : context_(context) {}

    Result<bool> run(Collection const& collection, std::string_view id) {
        waiting_.emplace_back(&collection, std::string(id));
        seen_.insert(waiting_.back());
        bool existed = false;
        for (bool first = true; !waiting_.empty(); first = false) {
            auto const [current, current_id] = std::move(waiting_.front());
            waiting_.pop_front();
            for (Reference const& reference : context_.schema->references_to(*current)) {
                QUERN_CHECK(settle(reference, current_id));
            }
            QUERN_TRY(bool const removed, context_.transaction.remove(*current, current_id));
            if (first) existed = removed;
        }
        return existed;
    }

private:
    struct Owner {
        std::string id;
        bool others = false;  // the relation holds more than the removed record
    };

    // Clears or removes everything that points at `target_id` with this relation.
    Result<void> settle(Reference const& reference, std::string_view target_id) {
        Collection const& collection = *reference.collection;
        Field const& field = collection.fields[reference.field];
        QUERN_TRY(auto const owners, find_owners(reference, target_id));
        for (Owner const& owner : owners) {
            std::pair<Collection const*, std::string> key(&collection, owner.id);
            if (seen_.contains(key)) {
                if (!field.is_join()) QUERN_CHECK(clear(reference, owner.id));
            } else if (owner.others) {
                QUERN_CHECK(touch(collection, owner.id));  // the engine takes the row out of the join table
            } else if (field.cascade_delete) {
                if (seen_.size() >= removal_records_max) {
                    return fail(ErrorCode::too_large, "The removal would take too many records with it.");
                }
                if (!field.is_join()) QUERN_CHECK(clear(reference, owner.id));
                seen_.insert(key);
                waiting_.push_back(std::move(key));
            } else if (field.required) {
                return fail(
                    ErrorCode::bad_request,
                    "Failed to delete record. Make sure that the record is not part of a required relation "
                    "reference (" +
                        collection.name + "." + field.name + ").");
            } else if (field.is_join()) {
                QUERN_CHECK(touch(collection, owner.id));
            } else {
                QUERN_CHECK(clear(reference, owner.id));
            }
        }
        return {};
    }

    Result<std::vector<Owner>> find_owners(Reference const& reference, std::string_view target_id) {
        bool const is_join = reference.collection->fields[reference.field].is_join();
        std::vector<Owner> owners;
        Result<void> counted;
        RowFunction sink([&](std::span<Value const> row) {
            counted = count(owners.size());
            if (!counted) return false;
            owners.push_back({std::string(row[0].text), is_join && row[1].integer > 1});
            return true;
        });
        Value const values[] = {Value::of(target_id)};
        plan::Plan const& plan = context_.removal_plans->owners(context_.schema, reference);
        QUERN_CHECK(context_.transaction.select({plan, values}, sink));
        QUERN_CHECK(std::move(counted));
        return owners;
    }

    Result<void> count(std::size_t owners) {
        if (owners >= removal_records_max) {
            return fail(ErrorCode::too_large, "Too many records refer to the one that is to be removed.");
        }
        return context_.count_record();
    }

    Result<void> clear(Reference const& reference, std::string_view owner_id) {
        engine::Assignment const changes[] = {
            {static_cast<std::uint16_t>(reference.field), Value{}, {}},
            {static_cast<std::uint16_t>(Collection::version_field), Value::of(context_.next_version()), {}}};
        return changed(context_.transaction.update(*reference.collection, owner_id, changes));
    }

    Result<void> touch(Collection const& collection, std::string_view owner_id) {
        engine::Assignment const changes[] = {
            {static_cast<std::uint16_t>(Collection::version_field), Value::of(context_.next_version()), {}}};
        return changed(context_.transaction.update(collection, owner_id, changes));
    }

    static Result<void> changed(Result<bool> result) {
        if (!result) return std::unexpected(std::move(result).error());
        return {};
    }

    WriteContext& context_;
    std::deque<std::pair<Collection const*, std::string>> waiting_;
    std::set<std::pair<Collection const*, std::string>> seen_;
};

// Who points at the record $0 with this relation; of a multiple relation, also with how many others.
std::shared_ptr<plan::Plan const> make_owners_plan(std::shared_ptr<Schema const> const& schema,
                                                   Reference const& reference) {
    Field const& field = reference.collection->fields[reference.field];
    plan::Plan plan;
    plan.schema = schema;
    plan.sources.push_back({reference.collection, plan::no_source, plan::Hop::root, 0, {}});
    plan.output = {plan::column(0, 0)};
    plan.parameter_count = 1;
    if (!field.is_join()) {
        plan.where =
            plan::compare(plan::column(0, reference.field), plan::Comparison::equal, plan::parameter(0));
        return plan::seal(std::move(plan));
    }
    plan::Operand length;
    length.kind = plan::Operand::Kind::call;
    length.function = plan::Function::length;
    length.arguments = {plan::column(0, reference.field)};
    plan.output.push_back(length);
    plan.sources.push_back({schema->find(field.collection_id),
                            0,
                            plan::Hop::to_many_ids,
                            static_cast<std::uint16_t>(reference.field),
                            {}});
    plan.where.kind = plan::Condition::Kind::quantified;
    plan.where.sources = {1};
    plan.where.parts = {plan::compare(plan::column(1, 0), plan::Comparison::equal, plan::parameter(0))};
    return plan::seal(std::move(plan));
}

}  // namespace

plan::Plan const& RemovalPlans::owners(std::shared_ptr<Schema const> const& schema,
                                       Reference const& reference) {
    if (schema_ != schema) {
        plans_.clear();
        schema_ = schema;
    }
    auto& plan = plans_[{reference.collection, reference.field}];
    if (plan == nullptr) plan = make_owners_plan(schema, reference);
    return *plan;
}

Result<bool> remove_record(WriteContext& context, Collection const& collection, std::string_view id) {
    QUERN_ASSERT(context.removal_plans != nullptr, "the store lends its plans");
    return Removal(context).run(collection, id);
}

}  // namespace quern::store

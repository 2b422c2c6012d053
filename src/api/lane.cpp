// SPDX-License-Identifier: Apache-2.0
#include "api/lane.h"

namespace quern::api {

RecordInput const& Lane::input_of(Collection const& collection) {
    auto const found = inputs_.find(&collection);
    return found != inputs_.end() ? found->second
                                  : inputs_.try_emplace(&collection, RecordInput(collection)).first->second;
}

RowWriter const& Lane::writer_of(std::shared_ptr<query::Prepared const> const& prepared, bool superuser) {
    auto& writers = writers_[superuser ? 1 : 0];
    auto const found = writers.find(prepared.get());
    if (found != writers.end()) return found->second.writer;
    if (writers.size() >= writers_max) writers.clear();
    KeptWriter kept{prepared, RowWriter(*prepared, prepared->selection, superuser)};
    return writers.emplace(prepared.get(), std::move(kept)).first->second.writer;
}

AuthSettings const* Lane::auth_of(Collection const& collection) {
    auto const [place, inserted] = auth_settings.try_emplace(&collection);
    if (inserted && collection.type == CollectionType::auth) {
        auto fields = auth::AuthFields::of(collection);
        auto options = auth::parse_auth_options(collection.options_json);
        if (fields && options) place->second = AuthSettings{*fields, *std::move(options)};
    }
    return place->second ? &*place->second : nullptr;
}

plan::Plan const& Lane::look_up_plan(IdentityLookUp const& look_up) {
    auto const [place, inserted] = look_ups_.try_emplace(look_up);
    if (!inserted) return *place->second;
    auto const side = [&](plan::Operand operand) {
        if (!look_up.folded) return operand;
        plan::Operand folding;
        folding.kind = plan::Operand::Kind::call;
        folding.function = plan::Function::fold;
        folding.arguments.push_back(std::move(operand));
        return folding;
    };
    auth::AuthFields const& fields = auth_of(*look_up.collection)->fields;
    plan::Plan plan;
    plan.schema = schema;
    plan.sources.push_back({look_up.collection, plan::no_source, plan::Hop::root, 0, {}});
    plan.where = plan::compare(side(plan::column(0, look_up.field)), plan::Comparison::equal,
                               side(plan::parameter(0)));
    plan.output = {plan::column(0, fields.id), plan::column(0, fields.password)};
    plan.parameter_count = 1;
    place->second = plan::seal(std::move(plan));
    return *place->second;
}

std::span<std::uint16_t const> Lane::first_fields(std::size_t count) {
    while (every_field.size() < count) every_field.push_back(static_cast<std::uint16_t>(every_field.size()));
    return std::span(every_field).first(count);
}

}  // namespace quern::api

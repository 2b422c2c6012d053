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

std::span<std::uint16_t const> Lane::first_fields(std::size_t count) {
    while (every_field.size() < count) every_field.push_back(static_cast<std::uint16_t>(every_field.size()));
    return std::span(every_field).first(count);
}

}  // namespace quern::api

// SPDX-License-Identifier: Apache-2.0
#include "api/records.h"

#include <algorithm>
#include <set>

#include <quern/json_writer.h>
#include "json/path.h"
#include "rules/decision.h"

namespace quern::api {

namespace {

Value copy(Value value, Arena& arena) {
    if (!value.text.empty()) value.text = arena.copy(value.text);
    return value;
}

std::span<Value const> copy(std::span<Value const> values, Arena& arena) {
    auto const copies = arena.array<Value>(values.size());
    for (std::size_t index = 0; index < values.size(); ++index) copies[index] = copy(values[index], arena);
    return copies;
}

// Calls `take` with each id that a relation's value holds: one id, or a JSON array of them.
template <class Take>
void each_id(Value const& value, bool multiple, Take take) {
    if (!value.is_text() || value.text.empty()) return;
    if (!multiple) return take(value.text);
    std::string scratch;
    for (json::Elements elements(value.text); elements.next();) {
        json::Scalar const element = elements.scalar(scratch);
        if (element.kind == json::Scalar::Kind::text) take(element.text);
    }
}

}  // namespace

Result<void> RecordSet::load(Call& call, query::Query const& asked, query::FieldSelection const& selection,
                             std::span<query::ExpandNode const> expand) {
    if (asked.is_never()) return {};
    query::Prepared const& prepared = *asked.prepared;
    std::size_t const id_column = *prepared.column_of(0);
    Arena& arena = call.arena();
    RowWriter const writer(prepared, selection, call.is_superuser());
    RowFunction sink([&](std::span<Value const> row) {
        Record record;
        record.id = arena.copy(row[id_column].text);
        record.begin = json_.size();
        writer.write_members(row, call.principal(), json_);
        record.end = json_.size();
        if (prepared.version_column) record.version = row[*prepared.version_column].integer;
        auto const links = arena.array<Value>(expand.size());
        for (std::size_t index = 0; index < expand.size(); ++index) {
            links[index] =
                expand[index].back ? Value{} : copy(row[*prepared.column_of(expand[index].field)], arena);
        }
        record.links = links;
        record.key = copy(row[prepared.key_column], arena);
        record.sort_values =
            copy(row.subspan(prepared.sort_columns_start, prepared.sort_columns_count), arena);
        records_.push_back(record);
        return json_.size() <= unfolded_bytes_max;
    });
    QUERN_CHECK(call.reader.select(asked.bound(), sink));
    if (json_.size() > unfolded_bytes_max) return std::unexpected(too_large());
    return {};
}

// The ids that the relation leads to (or, of a back-relation, the records' own), each once, as a JSON array.
std::string_view RecordSet::ids_to_follow(Call& call, query::ExpandNode const& node, std::size_t link) const {
    std::set<std::string_view> ids;
    Arena& arena = call.arena();
    for (Record const& record : records_) {
        if (node.back) {
            ids.insert(record.id);
        } else {
            each_id(record.links[link], node.multiple,
                    [&](std::string_view id) { ids.insert(arena.copy(id)); });
        }
    }
    if (ids.empty()) return {};
    auto const list = arena.array<std::string_view>(ids.size());
    std::ranges::copy(ids, list.begin());
    return query::json_array(list, arena);
}

Result<void> RecordSet::unfold(Call& call, std::span<query::ExpandNode const> expand) {
    for (std::size_t link = 0; link < expand.size(); ++link) {
        query::ExpandNode const& node = expand[link];
        rules::Decision const decision = rules::decide(*node.target, query::Action::view, call.principal());
        std::string_view const ids = ids_to_follow(call, node, link);
        if (decision.is_locked() || ids.empty()) continue;
        query::RelatedQuestion const question{.collection = *node.target,
                                              .access = decision.access(),
                                              .ids_json = ids,
                                              .back = node.back,
                                              .field = node.field,
                                              .sort = {},
                                              .limit = 0,
                                              .output = {.columns = node.columns}};
        QUERN_TRY(auto const asked,
                  call.planner().related(call.lane.schema, question, call.values, call.arena()));
        Branch branch{&node, std::make_unique<RecordSet>(), {}, link};
        QUERN_CHECK(branch.set->load(call, asked, *node.selection, node.below));
        QUERN_CHECK(branch.set->unfold(call, node.below));
        tie(call, branch);
        branches_.push_back(std::move(branch));
    }
    return {};
}

// Sorts the records of a branch by the id that they belong to.
void RecordSet::tie(Call& call, Branch& branch) {
    query::ExpandNode const& node = *branch.node;
    bool const key_is_array = node.back && node.target->fields[node.field].is_multiple();
    for (std::size_t index = 0; index < branch.set->size(); ++index) {
        Record const& found = (*branch.set)[index];
        if (!node.back) {
            branch.by_key.emplace(found.id, index);
            continue;
        }
        each_id(found.key, key_is_array,
                [&](std::string_view owner) { branch.by_key.emplace(call.arena().copy(owner), index); });
    }
}

bool RecordSet::write(std::size_t index, Buffer& output) const {
    Record const& record = records_[index];
    output.append('{');
    output.append(json_.view().substr(record.begin, record.end - record.begin));
    bool open = false;
    for (Branch const& branch : branches_) {
        std::vector<std::size_t> const found = find(branch, record);
        if (found.empty()) continue;
        if (open || record.begin != record.end) output.append(',');
        if (!open) output.append(R"("expand":{)");
        open = true;
        if (!write_found(branch, found, output)) return false;
    }
    if (open) output.append('}');
    output.append('}');
    return output.size() <= unfolded_bytes_max;
}

Error RecordSet::too_large() {
    return Error(ErrorCode::parameter_invalid,
                 "Invalid query parameter \"expand\": the answer would be larger than " +
                     std::to_string(unfolded_bytes_max >> 20) +
                     " MiB; unfold less, or ask for a smaller page.");
}

std::vector<std::size_t> RecordSet::find(Branch const& branch, Record const& record) {
    std::vector<std::size_t> found;
    auto const take = [&](std::string_view key) {
        auto const [begin, end] = branch.by_key.equal_range(key);
        for (auto place = begin; place != end; ++place) found.push_back(place->second);
    };
    if (branch.node->back) {
        take(record.id);
        std::ranges::sort(found);  // the order in which the engine gave them
    } else {
        each_id(record.links[branch.link], branch.node->multiple, take);
    }
    return found;
}

bool RecordSet::write_found(Branch const& branch, std::span<std::size_t const> found, Buffer& output) {
    json::append_string(output, branch.node->name);
    output.append(':');
    if (!branch.node->multiple) return branch.set->write(found.front(), output);
    output.append('[');
    for (std::size_t index = 0; index < found.size(); ++index) {
        if (index > 0) output.append(',');
        if (!branch.set->write(found[index], output)) return false;
    }
    output.append(']');
    return true;
}

}  // namespace quern::api

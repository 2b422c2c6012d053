// SPDX-License-Identifier: Apache-2.0
#include "engine/conformance/pair.h"

#include <algorithm>

namespace quern::engine::conformance {

namespace {

constexpr std::size_t ids_max = 12;

std::string outcome(Result<void> const& result) { return result ? "ok" : print(result.error()); }
std::string outcome(Result<bool> const& result) {
    if (!result) return print(result.error());
    return *result ? "ok" : "nothing";
}

std::string describe(Collection const& collection) {
    std::string text = "collection " + collection.name + " id:" + collection.id + "\n";
    for (std::size_t position = 1; position < collection.fields.size(); ++position) {
        Field const& field = collection.fields[position];
        text += "field " + field.name + " " + std::string(name(field.type));
        if (field.type == FieldType::relation) text += ":" + field.collection_id;
        if (field.only_int) text += " int";
        if (field.nullable) text += " nullable";
        if (field.max_select > 1) text += " many";
        if (field.id != field.name) text += " id:" + field.id;
        text += "\n";
    }
    for (Index const& index : collection.indexes) {
        text += index.unique ? "index unique" : "index";
        for (IndexColumn const& column : index.columns) {
            text += " " + column.field + (column.ignore_case ? ":nocase" : "");
        }
        if (!index.where_not_empty.empty()) text += " where " + index.where_not_empty;
        text += "\n";
    }
    return text;
}

// The rows of a whole table, by id.
std::string table_text(Stage& stage, std::string const& collection) {
    std::string output = "output id _v";
    for (Field const& field : stage.collection(collection).fields) output += " " + field.name;
    auto const request = read_request(stage.schema(), {"from " + collection, "sort id", output});
    if (!request) return request.error().message;
    auto const rows = stage.select(*request);
    if (!rows) return print(rows.error()) + " " + rows.error().message;
    std::string text;
    for (std::string const& row : *rows) text += row + "\n";
    return text;
}

}  // namespace

std::string Pair::agree(std::string const& line, std::string const& expected, std::string const& found) {
    story_ += line + "\n";
    if (expected != "ok") story_ += (expected == "nothing" ? "finds " : "fails ") + expected + "\n";
    if (expected == found) return {};
    return "expected " + expected + ", but it was " + found;
}

std::string Pair::alter(std::vector<Collection> const& collections) {
    std::string line = "alter\n";
    for (Collection const& collection : collections) line += describe(collection);
    auto const expected = oracle_.alter(collections);
    auto const found = other_.alter(collections);
    // Which of several relations without their targets is told is up to the engine.
    auto const told = [](Result<void> const& result) {
        std::string const text = outcome(result);
        bool const missing = text.find("validation_missing_rel_records") != std::string::npos;
        return missing ? "validation: a missing target" : text;
    };
    std::string difference = agree(line + "end", told(expected), told(found));
    if (!difference.empty()) {
        if (!expected) difference += "\n" + expected.error().message;
        if (!found) difference += "\n" + found.error().message;
        return difference;
    }
    return compare_tables();
}

std::string Pair::fill(Chance& chance) {
    std::string problem = alter(generate_collections(chance));
    std::size_t const rows = chance.below(4) == 0 ? 3 : 30;
    if (problem.empty()) problem = agree("begin", outcome(oracle_.begin()), outcome(other_.begin()));
    for (std::size_t row = 0; row < rows && problem.empty(); ++row) {
        Collection const& collection = *chance.of(oracle_.schema()->collections());
        problem = chance.once_in(3) ? update(chance, collection, false) : insert(chance, collection, false);
    }
    if (!problem.empty()) return problem;
    return agree("commit", outcome(oracle_.commit()), outcome(other_.commit()));
}

std::string Pair::write(Chance& chance, bool faults) {
    Collection const& collection = *chance.of(oracle_.schema()->collections());
    switch (chance.below(12)) {
    case 0:
    case 1:
    case 2:
    case 3: return insert(chance, collection, faults);
    case 4:
    case 5:
    case 6:
    case 7: return update(chance, collection, faults);
    case 8: return remove(chance, collection);
    case 9:
        if (!chance.once_in(4)) return remove(chance, collection);
        return agree("truncate " + collection.name, outcome(oracle_.truncate(collection.name)),
                     outcome(other_.truncate(collection.name)));
    default: return point(chance);
    }
}

// Begins, ends, or marks a point within a transaction.
std::string Pair::point(Chance& chance) {
    if (!oracle_.in_transaction()) return agree("begin", outcome(oracle_.begin()), outcome(other_.begin()));
    std::size_t const choice = chance.below(6);
    if (choice < 2) {
        ++open_savepoints_;
        return agree("savepoint", outcome(oracle_.transaction().savepoint()),
                     outcome(other_.transaction().savepoint()));
    }
    if (choice < 4 && open_savepoints_ > 0) {
        --open_savepoints_;
        if (choice == 2) {
            return agree("release", outcome(oracle_.transaction().release_savepoint()),
                         outcome(other_.transaction().release_savepoint()));
        }
        return agree("back", outcome(oracle_.transaction().rollback_to_savepoint()),
                     outcome(other_.transaction().rollback_to_savepoint()));
    }
    open_savepoints_ = 0;
    if (choice != 5) return agree("commit", outcome(oracle_.commit()), outcome(other_.commit()));
    oracle_.rollback();
    other_.rollback();
    return agree("rollback", "ok", "ok");
}

std::string Pair::insert(Chance& chance, Collection const& collection, bool faults) {
    std::vector<std::string>& ids = ids_[collection.id];
    std::string const id = "r" + std::to_string(chance.below(ids_max));
    std::string const fields = generate_row(chance, collection, ids_, faults) + "}";
    std::string const row = "{\"id\":\"" + id + "\"" + fields;
    auto const expected = oracle_.insert(collection.name, row);
    if (expected && std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
    std::string wanted = outcome(expected);
    std::string const found = outcome(other_.insert(collection.name, row));
    // Where the id and an index are broken at once, either may be told.
    if (wanted == "conflict id" && found != wanted) wanted = without_its_id(collection, fields);
    return agree("insert " + collection.name + " " + row, wanted, found);
}

std::string Pair::without_its_id(Collection const& collection, std::string const& fields) {
    bool const alone = !oracle_.in_transaction();
    if (alone) (void)oracle_.begin();
    (void)oracle_.transaction().savepoint();
    std::string const result = outcome(oracle_.insert(collection.name, "{\"id\":\"free\"" + fields));
    (void)oracle_.transaction().rollback_to_savepoint();
    if (alone) oracle_.rollback();
    return result;
}

std::string Pair::update(Chance& chance, Collection const& collection, bool faults) {
    std::vector<std::string> const& ids = ids_[collection.id];
    std::string const id = ids.empty() || chance.once_in(10) ? "missing" : chance.of(ids);
    std::string const version = std::to_string(chance.below(1000));
    std::string const row = "{\"_v\":" + version + generate_row(chance, collection, ids_, faults) + "}";
    return agree("update " + collection.name + " " + id + " " + row,
                 outcome(oracle_.update(collection.name, id, row)),
                 outcome(other_.update(collection.name, id, row)));
}

std::string Pair::remove(Chance& chance, Collection const& collection) {
    std::vector<std::string> const& ids = ids_[collection.id];
    std::string const id = ids.empty() ? "missing" : chance.of(ids);
    return agree("remove " + collection.name + " " + id, outcome(oracle_.remove(collection.name, id)),
                 outcome(other_.remove(collection.name, id)));
}

std::string Pair::compare_tables() {
    for (auto const& collection : oracle_.schema()->collections()) {
        std::string const expected = table_text(oracle_, collection->name);
        std::string const found = table_text(other_, collection->name);
        if (expected != found) {
            return "table " + collection->name + ", expected\n" + expected + "but it was\n" + found;
        }
    }
    return {};
}

}  // namespace quern::engine::conformance

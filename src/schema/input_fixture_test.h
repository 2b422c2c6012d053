// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the tests of inputs share: a collection made of a few fields, and short texts of what comes out.

#include <gtest/gtest.h>

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "schema/collection_json.h"
#include "schema/input.h"

namespace quern::input_test {

struct TestRandom {
    std::mt19937 engine{1};
    void fill(std::span<std::byte> bytes) {
        for (std::byte& byte : bytes) byte = static_cast<std::byte>(engine());
    }
};

inline constexpr std::int64_t now_ms = 1'700'000'000'000;
inline constexpr std::string_view now_text = "2023-11-14 22:13:20.000Z";

inline Field field(std::string name, FieldType type) {
    Field result;
    result.name = std::move(name);
    result.type = type;
    return result;
}

inline std::string show(Value const& value) {
    switch (value.kind) {
    case ValueKind::null: return "null";
    case ValueKind::integer: return "i" + std::to_string(value.integer);
    case ValueKind::real: return "r" + std::to_string(value.real);
    case ValueKind::text: return "t" + std::string(value.text);
    case ValueKind::blob: return "blob";
    }
    return {};
}

// "field: code" of every field at fault.
inline std::string show(Error const& error) {
    std::string text;
    for (FieldError const& one : error.fields)
        text += (text.empty() ? "" : ", ") + one.field + ": " + one.code;
    return text;
}

// A collection of `id` and the fields of a test, with what reads into it.
class Fixture {
public:
    explicit Fixture(std::vector<Field> fields, CollectionType type = CollectionType::base) {
        collection_.name = "c";
        collection_.type = type;
        collection_.fields.push_back(make_id_field());
        for (Field& one : fields) collection_.fields.push_back(std::move(one));
        input_.emplace(collection_);
    }

    Result<std::span<FieldInput>> read(std::string_view body, InputOptions options = {}) {
        auto root = documents_.emplace_back().parse_copy(body);
        EXPECT_TRUE(root) << body << root.error().message;
        auto inputs = input_->read(*root, options, arena_);
        if (inputs) {
            for (FieldInput& one : *inputs) {
                if (!one.must_hash) continue;
                one.value = Value::of("$hash$");
                one.must_hash = false;
            }
        }
        return inputs;
    }

    Result<std::span<FieldValue>> insert(std::string_view body, InputOptions options = {}) {
        QUERN_TRY(auto inputs, read(body, options));
        return input_->for_insert(inputs, {now_ms, random_}, arena_);
    }

    // What a new row has in a field, or the errors.
    std::string inserted(std::string_view field_name, std::string_view body) {
        auto const row = insert(body);
        if (!row) return show(row.error());
        return show((*row)[*collection_.find(field_name)].value);
    }

    // "name=value" of what an update changes, or the errors.
    std::string updated(std::span<Value const> current, std::string_view body) {
        auto const inputs = read(body);
        if (!inputs) return show(inputs.error());
        auto const changes = input_->for_update(*inputs, current, {now_ms, random_}, arena_);
        if (!changes) return show(changes.error());
        std::string text;
        for (FieldValue const& change : *changes) {
            text +=
                (text.empty() ? "" : ", ") + collection_.fields[change.field].name + "=" + show(change.value);
        }
        return text;
    }

    Collection collection_;
    std::optional<RecordInput> input_;
    Arena arena_;
    TestRandom random_;

private:
    std::vector<json::Document> documents_;
};

}  // namespace quern::input_test

// SPDX-License-Identifier: Apache-2.0
#include "app/bench_score.h"

#include <cmath>

#include "json/reader.h"

namespace quern::app {

namespace {

constexpr std::string_view reference_json =
#include "bench_reference.inc"
    ;

std::string text_at(json::Node root, std::string_view path) {
    auto const node = root.at(path);
    return node ? std::string(node->text()) : std::string();
}

}  // namespace

std::string_view built_in_reference() { return reference_json; }

Result<BenchReference> BenchReference::parse(std::string_view json) {
    QUERN_TRY(auto const tree, json::Tree::parse(json));
    json::Node const root = tree.root();
    auto const measures = root.find("measures");
    auto const rows = root.find("rows");
    if (!measures || !rows) return fail(ErrorCode::body_invalid, "This is no report of quern bench.");
    BenchReference reference;
    reference.date = text_at(root, "date");
    reference.commit = text_at(root, "commit");
    reference.processor = text_at(root, "machine.processor");
    reference.durability = text_at(root, "durability");
    reference.rows = static_cast<std::size_t>(rows->integer());
    for (json::Node const measure : *measures) {
        auto const per_second = measure.find("operations_per_second");
        auto const number = per_second ? per_second->real() : std::nullopt;
        if (number) reference.per_second.emplace(text_at(measure, "name"), *number);
    }
    return reference;
}

std::optional<BenchScore> score_of(std::span<BenchLine const> lines, BenchReference const& reference) {
    BenchScore score;
    double logarithms = 0;
    for (BenchLine const& line : lines) {
        auto const found = reference.per_second.find(line.measure->name);
        bool const both = line.figures && line.figures->count > 0 && found != reference.per_second.end();
        if (!both || found->second <= 0) continue;
        logarithms += std::log(line.figures->per_second() / found->second);
        ++score.measures;
    }
    if (score.measures == 0) return std::nullopt;
    score.value = bench_score_of_reference * std::exp(logarithms / static_cast<double>(score.measures));
    return score;
}

}  // namespace quern::app

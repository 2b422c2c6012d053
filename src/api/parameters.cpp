// SPDX-License-Identifier: Apache-2.0
#include "api/parameters.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace quern::api {

namespace {

std::unexpected<Error> refuse(std::string_view name, std::string code, std::string message) {
    Error error(ErrorCode::parameter_invalid,
                "Invalid query parameter \"" + std::string(name) + "\": " + message);
    error.fields.push_back({std::string(name), std::move(code), std::move(message)});
    return std::unexpected(std::move(error));
}

// A whole number in decimal digits, between `min` and INT64_MAX.
Result<std::int64_t> read_integer(std::string_view name, std::string_view text, std::int64_t min) {
    std::int64_t number = 0;
    auto const [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    bool const digits =
        !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (!digits || problem != std::errc() || end != text.data() + text.size() || number < min) {
        return refuse(name, "validation_invalid_integer",
                      "Must be a whole number, at least " + std::to_string(min) + ".");
    }
    return number;
}

Result<bool> read_flag(std::string_view name, std::string_view text) {
    if (text == "1" || text == "true") return true;
    if (text == "0" || text == "false" || text.empty()) return false;
    return refuse(name, "validation_invalid_bool", "Must be 1, 0, true or false.");
}

bool is_read_by_a_rule(Collection const& collection, std::string_view name) {
    std::string const mention = "@request.query." + std::string(name);
    for (Rule const* rule : {&collection.list_rule, &collection.view_rule, &collection.create_rule,
                             &collection.update_rule, &collection.delete_rule}) {
        if (*rule && (*rule)->find(mention) != std::string::npos) return true;
    }
    return false;
}

std::unexpected<Error> unknown(std::string_view name) {
    return refuse(name, "validation_unknown_parameter", "There is no such parameter.");
}

Result<void> refuse_repeated(std::span<http::QueryParameter const> query) {
    for (std::size_t index = 1; index < query.size(); ++index) {
        auto const same = [&](http::QueryParameter const& other) { return other.name == query[index].name; };
        if (std::ranges::any_of(query.first(index), same)) {
            return refuse(query[index].name, "validation_repeated_parameter", "Must be given once.");
        }
    }
    return {};
}

Result<void> read_one(ListParameters& parameters, http::QueryParameter const& given,
                      Collection const& collection) {
    auto const& [name, value] = given;
    if (name == "filter") {
        parameters.filter = value;
    } else if (name == "sort") {
        parameters.sort = value;
    } else if (name == "fields") {
        parameters.fields = value;
    } else if (name == "expand") {
        parameters.expand = value;
    } else if (name == "cursor") {
        parameters.cursor = value;
    } else if (name == "page") {
        QUERN_TRY(parameters.page, read_integer(name, value, 1));
        if (parameters.page > page_max)
            return refuse(name, "validation_max_number_constraint", "Is too large.");
    } else if (name == "perPage") {
        QUERN_TRY(std::int64_t const asked, read_integer(name, value, 0));
        parameters.per_page = std::min(asked, per_page_max);
    } else if (name == "skipTotal") {
        QUERN_TRY(parameters.skip_total, read_flag(name, value));
    } else if (!is_read_by_a_rule(collection, name)) {
        return unknown(name);
    }
    return {};
}

}  // namespace

Result<std::span<http::QueryParameter const>> read_query(http::Request const& request, Arena& arena) {
    std::span<http::QueryParameter> query;
    std::string_view bad_name;
    if (request.raw_query.empty()) return std::span<http::QueryParameter const>();
    if (!http::parse_query(request.raw_query, arena, query, bad_name)) {
        return refuse(bad_name, "validation_invalid_encoding", "Is not percent-encoded UTF-8.");
    }
    QUERN_CHECK(refuse_repeated(query));
    return std::span<http::QueryParameter const>(query);
}

Result<ListParameters> read_list_parameters(std::span<http::QueryParameter const> query,
                                            Collection const& collection) {
    ListParameters parameters;
    bool paged = false;
    for (http::QueryParameter const& given : query) {
        QUERN_CHECK(read_one(parameters, given, collection));
        paged = paged || given.name == "page";
    }
    if (parameters.cursor && paged)
        return refuse("cursor", "validation_conflict", "Cannot be combined with page.");
    return parameters;
}

Result<RecordParameters> read_record_parameters(std::span<http::QueryParameter const> query,
                                                Collection const& collection) {
    RecordParameters parameters;
    for (http::QueryParameter const& given : query) {
        if (given.name == "fields") {
            parameters.fields = given.value;
        } else if (given.name == "expand") {
            parameters.expand = given.value;
        } else if (!is_read_by_a_rule(collection, given.name)) {
            return unknown(given.name);
        }
    }
    return parameters;
}

}  // namespace quern::api

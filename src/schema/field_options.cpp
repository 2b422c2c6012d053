// SPDX-License-Identifier: Apache-2.0
#include "schema/field_options.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "schema/collection_json.h"
#include "schema/date.h"
#include "schema/domain.h"
#include "schema/id.h"

namespace quern {

namespace {

// Members of every record, words of the filter grammar, and columns that tables have by themselves.
constexpr std::array<std::string_view, 10> reserved_names = {
    "collectionid", "collectionname", "expand", "true", "false", "null", "rowid", "oid", "_rowid_", "_v"};

std::string number_text(double number) {
    Buffer buffer;
    json::append_real(buffer, number);
    return std::string(buffer.view());
}

class FieldChecker {
public:
    FieldChecker(Field& field, std::vector<FieldError>& errors) : field_(field), errors_(errors) {}

    void run() {
        check_name();
        check_nullable();
        switch (field_.type) {
        case FieldType::text: check_text(); break;
        case FieldType::password: check_password(); break;
        case FieldType::number: check_number(); break;
        case FieldType::email:
        case FieldType::url: check_domains(); break;
        case FieldType::date: check_dates(); break;
        case FieldType::autodate: check_autodate(); break;
        case FieldType::select: check_select(); break;
        case FieldType::relation: check_counts(); break;
        case FieldType::file: check_counts(), check_size(); break;
        case FieldType::json:
        case FieldType::editor: check_size(); break;
        case FieldType::boolean:
        case FieldType::geo_point: break;
        }
    }

private:
    void report(std::string option, std::string code, std::string message) {
        errors_.push_back({std::move(option), std::move(code), std::move(message)});
    }
    void at_least(std::string option, double value, double bound) {
        if (value >= bound) return;
        report(std::move(option), "validation_min_greater_equal_than_required",
               "Must be no less than " + number_text(bound) + ".");
    }
    void at_most(std::string option, double value, double bound) {
        if (value <= bound) return;
        report(std::move(option), "validation_max_less_equal_than_required",
               "Must be no greater than " + number_text(bound) + ".");
    }

    void check_name() {
        if (field_.name.empty()) return report("name", "validation_required", "Cannot be blank.");
        if (field_.name.size() > field_name_chars_max) {
            return report("name", "validation_length_out_of_range", "The length must be between 1 and 100.");
        }
        if (!is_identifier(field_.name)) {
            return report("name", "validation_match_invalid", "Must be in a valid format.");
        }
        std::string const lower = to_lower(field_.name);
        if (std::ranges::find(reserved_names, lower) != reserved_names.end()) {
            return report("name", "validation_not_in_invalid", "Must not be in list.");
        }
        if (lower.find("_via_") != std::string::npos) {
            report("name", "validation_found_via", "The value cannot contain \"_via_\".");
        }
    }

    void check_nullable() {
        bool const always_there = field_.primary_key || field_.type == FieldType::password ||
                                  field_.type == FieldType::autodate || field_.is_multiple();
        if (field_.nullable && always_there) {
            report("nullable", "validation_invalid_value", "This field cannot be nullable.");
        }
    }

    void check_lengths() {
        constexpr double chars_bound = 1'000'000'000;
        double const least = field_.min.value_or(0);
        at_least("min", least, 0);
        if (least != std::trunc(least)) report_decimal("min");
        if (!field_.max) return;
        at_least("max", *field_.max, std::max(least, 0.0));
        at_most("max", *field_.max, chars_bound);
        if (*field_.max != std::trunc(*field_.max)) report_decimal("max");
    }
    void report_decimal(std::string option) {
        report(std::move(option), "validation_only_int_constraint", "Decimal numbers are not allowed.");
    }

    void check_pattern() {
        if (field_.pattern.empty()) return;
        if (field_.pattern.size() > pattern_bytes_max) {
            return report("pattern", "validation_length_out_of_range",
                          "The length must be no more than " + std::to_string(pattern_bytes_max) + ".");
        }
        re2::RE2::Options options;
        options.set_log_errors(false);
        re2::RE2 const pattern(field_.pattern, options);
        if (!pattern.ok())
            report("pattern", "validation_invalid_regex", "Invalid pattern: " + pattern.error() + ".");
    }

    void check_text() {
        check_lengths();
        check_pattern();
        if (!field_.autogenerate_pattern.empty() && !is_autogenerate_pattern(field_.autogenerate_pattern)) {
            report("autogeneratePattern", "validation_invalid_regex",
                   "Must be made of characters and classes with counts, like [a-z0-9]{15}.");
        }
        if (field_.primary_key && field_.name != "id") {
            report("primaryKey", "validation_in_invalid", "The primary key must be named \"id\".");
        }
    }

    void check_password() {
        constexpr double cost_max = 31;
        check_lengths();
        check_pattern();
        at_least("cost", static_cast<double>(field_.cost), 0);
        at_most("cost", static_cast<double>(field_.cost), cost_max);
    }

    void check_number() {
        if (field_.only_int && field_.min && *field_.min != std::trunc(*field_.min)) report_decimal("min");
        if (field_.only_int && field_.max && *field_.max != std::trunc(*field_.max)) report_decimal("max");
        if (field_.min && field_.max && *field_.max < *field_.min) {
            report("max", "validation_min_number_constraint",
                   "Must be greater or equal than " + number_text(*field_.min) + ".");
        }
    }

    void check_domains() {
        if (!field_.only_domains.empty() && !field_.except_domains.empty()) {
            report("exceptDomains", "validation_empty", "Must be blank.");
            report("onlyDomains", "validation_empty", "Must be blank.");
        }
        check_domains("onlyDomains", field_.only_domains);
        check_domains("exceptDomains", field_.except_domains);
    }
    void check_domains(std::string const& option, std::vector<std::string>& domains) {
        for (std::size_t index = 0; index < domains.size(); ++index) {
            domains[index] = to_lower(domains[index]);
            if (is_domain(domains[index])) continue;
            report(option + "." + std::to_string(index), "validation_is_domain", "Must be a valid domain.");
        }
    }

    void check_date(std::string const& option, std::string& date) {
        if (date.empty()) return;
        auto normalised = normalise_date(date);
        if (!normalised) return report(option, "validation_invalid_date", "Must be a valid date.");
        date = *std::move(normalised);
    }
    void check_dates() {
        check_date("min", field_.min_date);
        check_date("max", field_.max_date);
        if (!field_.min_date.empty() && !field_.max_date.empty() && field_.max_date < field_.min_date) {
            report("max", "validation_min_greater_equal_than_required",
                   "Must be no less than " + field_.min_date + ".");
        }
    }

    void check_autodate() {
        if (field_.on_create || field_.on_update) return;
        for (char const* const option : {"onCreate", "onUpdate"}) {
            report(option, "validation_required", "Either onCreate or onUpdate must be enabled.");
        }
    }

    void check_counts() {
        auto const least = static_cast<double>(field_.min_select);
        auto const most = static_cast<double>(field_.max_select);
        at_least("minSelect", least, 0);
        at_least("maxSelect", most, least);
        at_most("maxSelect", most, static_cast<double>(max_select_max));
    }

    void check_select() {
        std::vector<std::string> unique;
        for (std::string& value : field_.values) {
            if (std::ranges::find(unique, value) == unique.end()) unique.push_back(std::move(value));
        }
        field_.values = std::move(unique);
        if (field_.values.empty()) return report("values", "validation_required", "Cannot be blank.");
        if (field_.values.size() > select_values_max) {
            return report("values", "validation_limit_exceeded",
                          "At most " + std::to_string(select_values_max) + " values are allowed.");
        }
        for (std::size_t index = 0; index < field_.values.size(); ++index) {
            if (!field_.values[index].empty()) continue;
            report("values." + std::to_string(index), "validation_required", "Cannot be blank.");
        }
        check_counts();
        at_most("maxSelect", static_cast<double>(field_.max_select),
                static_cast<double>(field_.values.size()));
    }

    void check_size() {
        constexpr double bytes_bound = 1e9;
        at_least("maxSize", static_cast<double>(field_.max_size_bytes), 0);
        at_most("maxSize", static_cast<double>(field_.max_size_bytes), bytes_bound);
    }

    Field& field_;
    std::vector<FieldError>& errors_;
};

}  // namespace

void check_field(Field& field, std::vector<FieldError>& errors) { FieldChecker(field, errors).run(); }

bool can_change_type(FieldType before, FieldType after) {
    if (before == after) return true;
    auto const is_fixed = [](FieldType type) {
        return type == FieldType::password || type == FieldType::file;
    };
    if (is_fixed(before) || is_fixed(after)) return false;
    auto const is_time = [](FieldType type) {
        return type == FieldType::date || type == FieldType::autodate;
    };
    if (before == FieldType::autodate || after == FieldType::autodate)
        return is_time(before) && is_time(after);
    if (before == FieldType::geo_point) return after == FieldType::json;
    if (after == FieldType::geo_point) return before == FieldType::json;
    return true;
}

bool is_identifier(std::string_view name) {
    auto const is_letter = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    return !name.empty() && is_letter(name.front()) &&
           std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string to_lower(std::string_view ascii) {
    std::string lower(ascii);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    }
    return lower;
}

}  // namespace quern

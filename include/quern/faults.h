// SPDX-License-Identifier: Apache-2.0
#pragma once

// All that is wrong with a request, told at once.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include <quern/describe.h>
#include <quern/error.h>

namespace quern {

// Faults that one answer lists; further ones are counted, not listed.
inline constexpr std::size_t faults_listed_max = 64;

// Where in the request something stands: "body.items[2].title". Each place knows the one that it is in, so
// that nothing is written unless there is a fault.
// Lifetime: borrows what it is in, and its name.
struct Place {
    static constexpr std::size_t no_index = static_cast<std::size_t>(-1);
    Place const* within = nullptr;
    std::string_view name;
    std::size_t index = no_index;

    [[nodiscard]] std::string text() const;
};

// The faults found so far. Threads: one at a time. Cost: allocates from the first fault on.
class Faults {
public:
    void add(Place const& place, std::string_view code, std::string message);
    void add(Place const& place, detail::Broken&& broken) {
        add(place, broken.code, std::move(broken.message));
    }
    [[nodiscard]] bool empty() const { return count_ == 0; }
    // Precondition: there are some.
    [[nodiscard]] Error take(ErrorCode code = ErrorCode::unprocessable);

private:
    std::size_t count_ = 0;
    std::vector<FieldError> listed_;
};

namespace detail {

void add_missing(Faults& faults, Place const& place);
void add_unknown(Faults& faults, Place const& place, std::string_view what);
void add_duplicate(Faults& faults, Place const& place, std::string_view what);

template <class Rule, class T>
void check_rule(Rule const& rule, T const& value, Place const& place, Faults& faults) {
    if constexpr (requires { rule.broken(value); }) {
        if (!rule.holds(value)) [[unlikely]]
            faults.add(place, rule.broken(value));
    }
}

template <class... R, class T>
void check_rules(std::tuple<R...> const& rules, T const& value, Place const& place, Faults& faults);

template <class... R, class T>
void check_rule(Each<R...> const& rule, T const& list, Place const& place, Faults& faults) {
    std::size_t index = 0;
    for (auto const& element : list) check_rules(rule.rules, element, Place{&place, {}, index++}, faults);
}

// All rules of a member against what it holds.
template <class... R, class T>
void check_rules(std::tuple<R...> const& rules, T const& value, Place const& place, Faults& faults) {
    if constexpr (sizeof...(R) > 0) {
        if constexpr (is_optional<T>) {
            if (value) check_rules(rules, *value, place, faults);
        } else {
            std::apply([&](auto const&... rule) { (check_rule(rule, value, place, faults), ...); }, rules);
        }
    }
}

// Names the required members that are not in `seen`.
template <class T>
void check_missing(std::uint64_t seen, Place const& place, Faults& faults) {
    std::uint64_t const missing = required_members<T> & ~seen;
    if (missing == 0) [[likely]]
        return;
    for (std::size_t index = 0; index < member_count<T>; ++index) {
        if ((missing >> index & 1) != 0) add_missing(faults, Place{&place, member_names<T>[index]});
    }
}

}  // namespace detail

}  // namespace quern

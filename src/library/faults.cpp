// SPDX-License-Identifier: Apache-2.0
#include <quern/faults.h>

#include <re2/re2.h>

#include <charconv>
#include <memory>

#include <quern/assert.h>
#include "base/text.h"
#include "schema/domain.h"
#include "schema/input.h"

namespace quern {

std::string Place::text() const {
    std::string text = within != nullptr ? within->text() : std::string();
    if (index != no_index) return text + '[' + std::to_string(index) + ']';
    if (!text.empty()) text += '.';
    return text.append(name);
}

void Faults::add(Place const& place, std::string_view code, std::string message) {
    ++count_;
    if (listed_.size() < faults_listed_max)
        listed_.push_back({place.text(), std::string(code), std::move(message)});
}

Error Faults::take(ErrorCode code) {
    std::string message(default_message(code));
    if (count_ > listed_.size())
        message += " There are " + std::to_string(count_) + " faults, of which the first " +
                   std::to_string(listed_.size()) + " are listed.";
    Error error(code, std::move(message));
    error.fields = std::move(listed_);
    return error;
}

namespace detail {

void add_missing(Faults& faults, Place const& place) { faults.add(place, "missing", "Is required."); }

void add_unknown(Faults& faults, Place const& place, std::string_view what) {
    faults.add(place, "unknown_key", "There is no " + std::string(what) + " of that name.");
}

void add_duplicate(Faults& faults, Place const& place, std::string_view what) {
    faults.add(place, "duplicate_key", "The " + std::string(what) + " occurs more than once.");
}

std::size_t code_points(std::string_view text) { return code_point_count(text); }

bool is_email(std::string_view text) {
    return text.size() <= email_bytes_max && email_domain(text).has_value();
}

std::string number_text(std::int64_t number) { return std::to_string(number); }
std::string number_text(std::uint64_t number) { return std::to_string(number); }
std::string number_text(double number) {
    char digits[40];
    auto const written = std::to_chars(digits, digits + sizeof digits, number);
    return std::string(digits, written.ptr);
}

bool TextPattern::matches(std::string_view text) {
    auto const* known = static_cast<re2::RE2 const*>(compiled_.load(std::memory_order_acquire));
    if (known == nullptr) [[unlikely]] {
        re2::RE2::Options options;
        options.set_log_errors(false);
        auto fresh = std::make_unique<re2::RE2>(re2::StringPiece(text_.data(), text_.size()), options);
        QUERN_ASSERT(fresh->ok(), "a pattern of the program's own is a regular expression");
        void* earlier = nullptr;
        if (compiled_.compare_exchange_strong(earlier, fresh.get(), std::memory_order_acq_rel)) {
            known = fresh.release();
        } else {
            known = static_cast<re2::RE2 const*>(earlier);
        }
    }
    return re2::RE2::FullMatch(re2::StringPiece(text.data(), text.size()), *known);
}

}  // namespace detail

}  // namespace quern

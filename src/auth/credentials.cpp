// SPDX-License-Identifier: Apache-2.0
#include "auth/credentials.h"

#include <fmt/format.h>

#include "base/text.h"

namespace quern::auth {

Result<void> check_credential_input(std::string_view identity, std::string_view password) {
    if (identity.empty()) return fail(Error::of_field("identity", "validation_required", "Cannot be blank."));
    if (identity.size() > identity_bytes_max) {
        return fail(Error::of_field("identity", "validation_length_out_of_range",
                                    fmt::format("The length must be at most {} bytes.", identity_bytes_max)));
    }
    if (!is_utf8(identity) || identity.find('\0') != std::string_view::npos) {
        return fail(Error::of_field("identity", "validation_invalid_value", "The value is not valid text."));
    }
    if (password.empty()) return fail(Error::of_field("password", "validation_required", "Cannot be blank."));
    return crypto::check_password_bytes(password);
}

Result<SignIn> verify_password(crypto::PasswordHasher& hasher, std::optional<std::string_view> stored_hash,
                               std::string_view password) {
    // One verification on every path, so that nobody can tell by the time which accounts exist. An empty hash
    // (an account that never had a password) takes the same way.
    bool const usable = stored_hash && !stored_hash->empty();
    auto const verified = hasher.verify(usable ? *stored_hash : hasher.dummy_hash(), password);
    if (!verified) {
        if (verified.error().code == ErrorCode::overloaded) return fail(verified.error());
        return fail(ErrorCode::credentials_invalid);
    }
    if (!usable || !*verified) return fail(ErrorCode::credentials_invalid);

    SignIn result;
    if (hasher.needs_rehash(*stored_hash)) {
        // Only now is the password known, so only now can its hash be brought up to date. If that fails, the
        // sign-in is still good and the next one tries again.
        if (auto better = hasher.hash(password)) result.better_hash = *std::move(better);
    }
    return result;
}

}  // namespace quern::auth

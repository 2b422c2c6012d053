// SPDX-License-Identifier: Apache-2.0
#pragma once

// Accounts that may do everything, made from within the process.

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <quern/error.h>
#include "crypto/password.h"
#include "crypto/random.h"
#include "engine/engine.h"
#include "schema/collection.h"
#include "store/store.h"

namespace quern::library {

// The accounts' ids and emails; of one email, or all when it is empty.
[[nodiscard]] Result<std::vector<std::pair<std::string, std::string>>> find_superusers(
    engine::Reader& reader, std::shared_ptr<Schema const> const& schema, std::string_view email);

// Creates the account, or gives an existing one a new password, which ends its sign-ins. Tells whether it is
// new.
// Errors: validation — no email address, or a password that is too short or too long.
// Cost:   blocks on a password hash and on a commit.
[[nodiscard]] Result<bool> upsert_superuser(store::Store& store, crypto::Random& random,
                                            crypto::PasswordHasher& hasher, std::string_view email,
                                            std::string_view password);

}  // namespace quern::library

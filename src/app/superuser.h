// SPDX-License-Identifier: Apache-2.0
#pragma once

// `quern superuser`: accounts that may do everything, kept from the command line.

#include <filesystem>
#include <string>

namespace quern::app {

struct SuperuserOptions {
    std::filesystem::path directory = "./data";
    std::string email;
    std::string password;
};

// Each returns the process's exit code and tells on standard output or error what happened.
// Creates the account, or gives an existing one a new password (which ends its sign-ins).
[[nodiscard]] int run_superuser_upsert(SuperuserOptions const& options);
[[nodiscard]] int run_superuser_delete(SuperuserOptions const& options);
[[nodiscard]] int run_superuser_list(SuperuserOptions const& options);

}  // namespace quern::app

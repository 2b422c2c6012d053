// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server of collections as one thing: everything between an HTTP server and a data directory, wired by
// hand. `quern serve` is this behind a server; an App mounts the same beside its own routes.

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>

#include <quern/error.h>
#include "api/service.h"
#include "auth/password_pool.h"
#include "crypto/password.h"
#include "crypto/random.h"
#include "os/clock.h"
#include "os/file.h"
#include "store/store.h"

namespace quern::library {

// Exit code when it is unknown what reached the disk: a supervisor starts the process again, which recovers.
inline constexpr int exit_disk_error = 74;

struct CollectionServerOptions {
    std::filesystem::path directory;
    bool exclusive = false;  // keep the file to this process
    bool relaxed = false;    // power loss may take the last writes
    // Most writes of one commit; 1: each has a commit of its own.
    std::size_t batch_max = store::StoreOptions{}.batch_max;
    // Numbers below this are what Exchange::loop_index() may be.
    std::size_t loops = 1;
    // Whether writes run on the one loop at the end of its iteration.
    bool inline_writer = false;
    api::RequestObserver* observer = nullptr;
    api::RecordHooks* hooks = nullptr;
    // It is unknown what reached the disk: must end the process.
    std::move_only_function<void(Error const&)> on_fatal;
};

// Threads: handler() is called by every loop; the rest by one thread.
class CollectionServer {
public:
    // Errors: conflict — another server has the directory; else as open_database().
    [[nodiscard]] static Result<std::unique_ptr<CollectionServer>> open(CollectionServerOptions options);

    [[nodiscard]] api::Service& handler() { return *service_; }
    [[nodiscard]] store::Store& store() { return *store_; }
    [[nodiscard]] os::Clock const& clock() const { return clock_; }
    [[nodiscard]] crypto::Random& random() { return random_; }
    [[nodiscard]] crypto::PasswordHasher& hasher() { return hasher_; }

    // Finishes what is going on and refuses what comes later. Call after the HTTP server has stopped.
    void stop();

private:
    explicit CollectionServer(os::DirectoryLock only_server) : only_server_(std::move(only_server)) {}

    // From the bottom of the house upwards: time and chance, the data, what may be done with it.
    os::SystemClock clock_;
    crypto::SystemRandom random_;
    os::DirectoryLock only_server_;
    std::unique_ptr<store::Store> store_;
    crypto::Argon2id hasher_;
    auth::PasswordPool password_pool_;
    std::unique_ptr<api::Service> service_;
};

}  // namespace quern::library

// SPDX-License-Identifier: Apache-2.0
#include "library/collection_server.h"

#include "library/database.h"

namespace quern::library {

Result<std::unique_ptr<CollectionServer>> CollectionServer::open(CollectionServerOptions options) {
    QUERN_CHECK(os::make_directories(options.directory));
    // Other programs may read and write the file, but a second server would not learn of a changed schema.
    QUERN_TRY(auto only_server, os::DirectoryLock::take(options.directory));
    std::unique_ptr<CollectionServer> made(new CollectionServer(std::move(only_server)));

    DatabaseOptions database{.directory = options.directory,
                             .exclusive = options.exclusive,
                             .relaxed = options.relaxed,
                             .store = {}};
    database.store.inline_writer = options.inline_writer;
    database.store.batch_max = options.batch_max;
    database.store.on_fatal = std::move(options.on_fatal);
    QUERN_TRY(made->store_, open_database(std::move(database), made->clock_, made->random_));

    api::ServiceOptions service;
    service.loops = options.loops;
    service.inline_writer = options.inline_writer;
    QUERN_TRY(made->service_, api::Service::open({*made->store_, made->clock_, made->random_, made->hasher_,
                                                  made->password_pool_, options.observer, options.hooks},
                                                 service));
    return made;
}

void CollectionServer::stop() {
    // In the order of the walk: no more reads and sign-ins, then no more writes.
    password_pool_.stop();
    service_->stop();
    store_->stop();
}

}  // namespace quern::library

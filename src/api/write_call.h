// SPDX-License-Identifier: Apache-2.0
#pragma once

// A request that writes, on its way through the store's writer.
//
// prepare() runs on the loop and does all that needs no transaction: reading the body, checking its values.
// Then the job waits its turn; apply() runs inside the transaction, where rules are asked and the answer is
// written; once the commit is durable the exchange is finished. Only an answer with related records
// (`expand`) is written anew after the commit, by a thread that reads: the one writer unfolds nothing for
// anybody.

#include <functional>
#include <memory>

#include <quern/http.h>
#include "api/call.h"
#include "api/document_pool.h"
#include "api/lane.h"
#include "api/record_hooks.h"
#include "crypto/password.h"
#include "crypto/random.h"
#include "json/reader.h"
#include "schema/input.h"
#include "store/store.h"
#include "store/write_job.h"

namespace quern::api {

// Told about each answered request, on the thread that answered it.
class RequestObserver {
public:
    virtual ~RequestObserver() = default;
    virtual void answered(http::Exchange const& exchange) = 0;
};

class WriteCall;

// What a write needs of the service.
struct WriteTools {
    store::Store& store;
    Lane& writer_lane;  // used by the writer alone
    crypto::Random& random;
    RequestObserver* observer = nullptr;
    RecordHooks* hooks = nullptr;
    DocumentPool documents = {};
    // Takes over a write that is committed and is_shown_later(). Called by the writer.
    std::move_only_function<void(http::Exchange&, std::unique_ptr<WriteCall>)> show_later = {};
};

class WriteCall : public store::WriteJob {
public:
    WriteCall(http::Exchange& exchange, WriteTools& tools, Route route)
        : exchange_(exchange), tools_(tools), route_(route) {}
    virtual ~WriteCall() { tools_.documents.give_back(std::move(document_)); }
    WriteCall(WriteCall const&) = delete;
    WriteCall& operator=(WriteCall const&) = delete;

    // What can be done and refused before the transaction. Threads: the exchange's loop.
    [[nodiscard]] virtual Result<void> prepare(Call& call) = 0;

    // A password that must be hashed before the write may queue: on the password pool, not on a loop.
    [[nodiscard]] virtual bool has_password() const { return false; }
    [[nodiscard]] virtual Result<void> hash_password(crypto::PasswordHasher& hasher) {
        (void)hasher;
        return {};
    }

    // Whether the answer, which stands as it was inside the transaction, is to be written anew by show().
    [[nodiscard]] virtual bool is_shown_later() const { return false; }
    // After the commit: writes the answer with what a reader sees now. With an error the answer is as it was
    // before. May be called again. Threads: any that reads, and only one.
    [[nodiscard]] virtual Result<void> show(Call& call) {
        (void)call;
        return {};
    }

    Result<void> run(store::WriteContext& context) final;
    void done(Result<void> result) final;

    // The same run as a part of another write's, asked by the program itself: whoever it is made for, it may
    // do everything. Nobody is told with done().
    [[nodiscard]] Result<void> run_inside(HookCall& outer);

protected:
    // Does the write and puts the answer into the response. May be called again from the start.
    [[nodiscard]] virtual Result<void> apply(Call& call, store::WriteContext& context) = 0;

    // Lets hooks see the change. The call's collection is that of the record.
    [[nodiscard]] Result<void> tell_hooks(Call& call, store::WriteContext& context, RecordChange change,
                                          std::string_view id);

    // The request's body as a JSON object.
    [[nodiscard]] Result<json::Node> read_body();

    http::Exchange& exchange_;
    WriteTools& tools_;
    Route route_;
    std::unique_ptr<json::Document> document_;

private:
    [[nodiscard]] Result<void> run(store::WriteContext& context, HookCall const* outer);

    std::vector<std::move_only_function<void()>> own_after_commit_;
    std::vector<std::move_only_function<void()>>* after_commit_ = &own_after_commit_;
    std::size_t hook_depth_ = 0;
};

[[nodiscard]] std::unique_ptr<WriteCall> make_record_create(http::Exchange& exchange, WriteTools& tools,
                                                            Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_record_update(http::Exchange& exchange, WriteTools& tools,
                                                            Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_record_delete(http::Exchange& exchange, WriteTools& tools,
                                                            Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_collection_create(http::Exchange& exchange, WriteTools& tools,
                                                                Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_collection_update(http::Exchange& exchange, WriteTools& tools,
                                                                Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_collection_delete(http::Exchange& exchange, WriteTools& tools,
                                                                Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_collection_truncate(http::Exchange& exchange, WriteTools& tools,
                                                                  Route route);
[[nodiscard]] std::unique_ptr<WriteCall> make_collections_import(http::Exchange& exchange, WriteTools& tools,
                                                                 Route route);

}  // namespace quern::api

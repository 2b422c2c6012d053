// SPDX-License-Identifier: Apache-2.0
#pragma once

// The server of collections inside a program of one's own: the REST API of `quern serve` beside the program's
// routes, and the same calls without a socket.
//
//     quern::App app;
//     auto collections = app.mount_collections({.directory = "./data"});
//     app.get<"/api/hello">([] { return "a route of my own goes before those of the collections"; });

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include <quern/error.h>
#include <quern/http.h>
#include <quern/local_reply.h>

namespace quern {

namespace library {
class LocalExchange;
}

struct CollectionsOptions {
    // Where data.db lives; made when missing. One server a directory.
    std::filesystem::path directory = "./data";
    // Keeps other programs from opening the file.
    bool exclusive = false;
    // Writes do not wait for the disk: power loss may take the last of them.
    bool relaxed = false;
};

// A record that is about to be changed for good, as a hook sees it.
//
// Lifetime: the hook's run. Threads: the hook's.
class Hook {
public:
    enum class Change : std::uint8_t { create, update, remove };

    [[nodiscard]] Change change() const;
    [[nodiscard]] std::string_view collection() const;
    [[nodiscard]] std::string_view id() const;
    // Who asked: the id of the record that signed in, empty for nobody; and whether it is a superuser.
    [[nodiscard]] std::string_view caller_id() const;
    [[nodiscard]] bool is_superuser() const;

    // The record as JSON with all its fields: as it is after a create or update, before a removal.
    // Errors: as told by the engine. Cost: one indexed read.
    [[nodiscard]] Result<std::string> record();

    // A request to the API for records, answered inside the transaction of the change and with all rights:
    // what it writes becomes durable with the change or not at all. Its own refusal undoes nothing else;
    // return an error to undo everything. Hooks of what it writes are called; they nest at most 8 deep.
    [[nodiscard]] LocalReply request(http::Method method, std::string_view target,
                                     std::string_view body = {});

    // Runs `work` when the change is durable, on the writer's thread; never when it was undone.
    void after_commit(std::move_only_function<void()> work);

private:
    friend struct HookRunner;
    struct State;
    explicit Hook(State& state) : state_(&state) {}
    State* state_;
};

// Somebody who makes requests within the process, under the same rules as over the wire.
//
// Threads: one at a time.
class LocalClient;

// Mounted by App::mount_collections(), or opened alone by a program that is no server.
//
// Threads: any.
class Collections {
public:
    // Errors: conflict — another server has the directory, or another program keeps the file to itself;
    //         corrupt, io, disk_full — as told by the engine.
    // Cost:   blocks on disk.
    [[nodiscard]] static Result<std::shared_ptr<Collections>> open(CollectionsOptions options,
                                                                   std::size_t loops = 1);
    ~Collections();
    Collections(Collections const&) = delete;
    Collections& operator=(Collections const&) = delete;

    // Makes a superuser, or gives one a new password, which ends its tokens. Returns whether it is new.
    // Errors: validation — no email address, or a password of fewer than 8 or more than 72 characters.
    // Cost:   about 30 ms, and a commit.
    [[nodiscard]] Result<bool> upsert_superuser(std::string_view email, std::string_view password);

    // Calls `hook` for every record of the collection that is created, updated or removed through the API, in
    // front of the commit and inside its transaction. An error that it returns refuses the change and is the
    // answer. A removal is told while the record is still there; records that go along with it by a cascade
    // are not told. Hooks of one change run in the order they were added. The writer may run a change again
    // from its beginning: what cannot be undone belongs into after_commit().
    //
    // Precondition: the server does not run yet.
    // Threads: hooks run on the writer's thread, one after the other; everybody who writes waits for them.
    // What a hook throws refuses the change with 500.
    // Example: examples/todo_collections/main.cpp [app]
    void on_create(std::string_view collection, std::function<Result<void>(Hook&)> hook);
    void on_update(std::string_view collection, std::function<Result<void>(Hook&)> hook);
    void on_remove(std::string_view collection, std::function<Result<void>(Hook&)> hook);

    // A client that has not signed in.
    // Example: examples/todo_collections/main.cpp [schema]
    [[nodiscard]] LocalClient client();

    // What the App calls for requests that its own routes do not take.
    [[nodiscard]] http::Handler& handler();

    // Finishes what is going on and refuses what comes later. The App does it when it has stopped.
    void stop();

private:
    friend class LocalClient;
    friend class AppBase;
    struct State;
    explicit Collections(std::unique_ptr<State> state);
    void answer(library::LocalExchange& exchange);

    std::unique_ptr<State> state_;
};

class LocalClient {
public:
    // Signs in; further requests carry the token.
    // Errors: credentials_invalid — no such account or a wrong password; else as the answer's status says.
    [[nodiscard]] Result<void> sign_in(std::string_view collection, std::string_view identity,
                                       std::string_view password);

    // One request; the body is JSON. Not from inside a hook: the writer would wait for itself.
    // Cost: a read runs on the calling thread; a write waits for its commit.
    [[nodiscard]] LocalReply request(http::Method method, std::string_view target,
                                     std::string_view body = {});

    [[nodiscard]] LocalReply get(std::string_view target) { return request(http::Method::get, target); }
    [[nodiscard]] LocalReply post(std::string_view target, std::string_view body) {
        return request(http::Method::post, target, body);
    }
    [[nodiscard]] LocalReply patch(std::string_view target, std::string_view body) {
        return request(http::Method::patch, target, body);
    }
    [[nodiscard]] LocalReply del(std::string_view target) { return request(http::Method::del, target); }

private:
    friend class Collections;
    explicit LocalClient(Collections& collections) : collections_(&collections) {}

    Collections* collections_;
    std::string token_;
};

}  // namespace quern

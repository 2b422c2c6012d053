// SPDX-License-Identifier: Apache-2.0
//
// Takes files that are larger than memory: upload DIRECTORY [HOST:PORT]

#include <quern/app.h>
#include <quern/dump.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>

struct Folder {
    std::filesystem::path path;
};

struct File {
    quern::Uuid id;
    std::uint64_t bytes = 0;
};
QUERN_DESCRIBE(File, id, bytes)

// [pieces]
// Called when the head of the request is there. What has come goes to the file, while the rest is on its way.
quern::Task<quern::Result<quern::Created<File>>> keep(quern::Uuid id, quern::State<Folder> folder,
                                                      quern::BodyStream body) {
    auto const part = folder->path / (id.text() + ".part");
    std::ofstream file(part, std::ios::binary);
    while (auto const piece = co_await body.next())
        file.write(piece->data(), static_cast<std::streamsize>(piece->size()));
    file.close();

    // A file counts when it is whole and has its name.
    std::error_code fault;
    if (auto const end = body.end(); !end) {
        std::filesystem::remove(part, fault);
        co_return quern::fail(end.error());
    }
    if (file) std::filesystem::rename(part, folder->path / id.text(), fault);
    if (!file || fault) co_return quern::fail(quern::ErrorCode::io, "The file cannot be written.");
    co_return quern::Created<File>{{id, body.bytes()}};
}
// [pieces]

// [size]
// The file system may be slow: other threads ask it. The client knows the id, so it is left out.
using Size = decltype(quern::dump(File(), quern::exclude<"id">));
quern::Task<quern::Result<Size>> size_of(quern::Uuid id, quern::State<Folder> folder) {
    auto const look = [path = folder->path / id.text()]() -> quern::Result<std::uint64_t> {
        std::error_code fault;
        auto const bytes = std::filesystem::file_size(path, fault);
        if (fault) return quern::fail(quern::ErrorCode::not_found);
        return bytes;
    };
    auto const bytes = co_await quern::background(look, std::chrono::seconds(5));
    if (!bytes) co_return quern::fail(bytes.error());
    if (!*bytes) co_return quern::fail(bytes->error());
    co_return quern::dump(File{id, **bytes}, quern::exclude<"id">);
}
// [size]

int main(int count, char** arguments) {
    quern::App app;
    app.state(std::make_shared<Folder>(count > 1 ? arguments[1] : "."));
    app.put<"/files/{id}">(keep);
    app.get<"/files/{id}">(size_of);
    auto const ended = app.listen(count > 2 ? arguments[2] : "127.0.0.1:8080");
    if (!ended) std::fprintf(stderr, "%s\n", ended.error().message.c_str());
    return ended ? 0 : 1;
}

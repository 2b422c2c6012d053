// SPDX-License-Identifier: Apache-2.0
#pragma once

// Files: opened, read, written and made durable here and nowhere else.
//
// A write is durable only after sync() has succeeded, a new name only after sync_directory(). A failed sync
// is final: the kernel may have dropped the pages, so a second sync that succeeds proves nothing.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include <quern/error.h>
#include "os/fd.h"

namespace quern::os {

enum class OpenMode : std::uint8_t {
    read,        // must exist
    read_write,  // must exist
    create,      // read and write; made when missing
    create_new,  // read and write; must not exist
    truncate,    // read and write; made when missing, emptied when not
};

// Threads: any for reading and writing at offsets; the caller keeps overlapping writes apart.
// Errors of all members: io, disk_full, not_found — as told by the system, the message names the path.
class File {
public:
    // Errors also: conflict — create_new found a file.
    [[nodiscard]] static Result<File> open(std::filesystem::path const& path, OpenMode mode);

    // Reads up to buffer.size() bytes at `offset`; fewer only at the end of the file.
    [[nodiscard]] Result<std::size_t> read_at(std::uint64_t offset, std::span<char> buffer) const;
    // Writes all bytes at `offset`. After an error some of them may be there.
    [[nodiscard]] Result<void> write_at(std::uint64_t offset, std::string_view bytes);
    // Bytes in the file.
    [[nodiscard]] Result<std::uint64_t> size() const;
    [[nodiscard]] Result<void> truncate(std::uint64_t size);
    // Takes space on the disk for a part of the file, which becomes as long as that; what is there stays.
    // Does nothing where the file system cannot. After disk_full a part of it may be taken.
    [[nodiscard]] Result<void> allocate(std::uint64_t offset, std::uint64_t length);
    // Makes the contents durable (data, and what is needed to find them). Cost: blocks on the disk.
    [[nodiscard]] Result<void> sync();

    [[nodiscard]] int fd() const { return fd_.get(); }

private:
    File(Fd fd, std::filesystem::path path) : fd_(std::move(fd)), path_(std::move(path)) {}
    [[nodiscard]] Error error(std::string_view what, int error_number) const;

    Fd fd_;
    std::filesystem::path path_;
};

// The whole file. Limits: more than `bytes_max` bytes give too_large.
[[nodiscard]] Result<std::string> read_file(std::filesystem::path const& path,
                                            std::size_t bytes_max = 1U << 30);

// Puts `bytes` in place of whatever `path` holds, atomically and durably: temporary file in the same
// directory, sync, rename, sync of the directory. After an error the old contents are in place.
[[nodiscard]] Result<void> replace_file(std::filesystem::path const& path, std::string_view bytes);

// Renames within one file system, replacing the target.
[[nodiscard]] Result<void> rename_file(std::filesystem::path const& from, std::filesystem::path const& to);
// Removes a file; a missing one is success.
[[nodiscard]] Result<void> remove_file(std::filesystem::path const& path);
// Makes names in the directory durable.
[[nodiscard]] Result<void> sync_directory(std::filesystem::path const& directory);
// Makes the directory and its parents when missing, readable by the owner alone.
[[nodiscard]] Result<void> make_directories(std::filesystem::path const& directory);

// A directory with a name that nobody else has, removed with all that is in it at the end of its life.
class TemporaryDirectory {
public:
    // Makes `parent`/`prefix`XXXXXX, readable by the owner alone. Errors: not_found, io — as told by the
    // system.
    [[nodiscard]] static Result<TemporaryDirectory> make(std::filesystem::path const& parent,
                                                         std::string_view prefix);
    TemporaryDirectory(TemporaryDirectory&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    TemporaryDirectory& operator=(TemporaryDirectory&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    ~TemporaryDirectory() { static_cast<void>(remove()); }

    [[nodiscard]] std::filesystem::path const& path() const { return path_; }
    // Removes it now. Errors: io — some of it stays.
    Result<void> remove();

private:
    explicit TemporaryDirectory(std::filesystem::path path) : path_(std::move(path)) {}
    std::filesystem::path path_;  // empty: removed
};

// The right to be the one server of a directory, among the processes of this machine. It is a lock of the
// system (flock) on the directory itself, without a file of its own, and ends with the object or the process.
// It keeps nobody else from the files.
class DirectoryLock {
public:
    // Errors: conflict — another process has it; not_found, io — as told by the system.
    [[nodiscard]] static Result<DirectoryLock> take(std::filesystem::path const& directory);

private:
    explicit DirectoryLock(Fd fd) : fd_(std::move(fd)) {}
    Fd fd_;
};

// A whole file mapped for reading. Lifetime: the view dies with it. Another process that shortens the file
// makes reads of the lost part fault: map only files that are ours and never shortened.
class MappedFile {
public:
    [[nodiscard]] static Result<MappedFile> open(std::filesystem::path const& path);
    MappedFile(MappedFile&& other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
    MappedFile& operator=(MappedFile&& other) noexcept;
    ~MappedFile() { unmap(); }

    [[nodiscard]] std::string_view view() const { return {data_, size_}; }

private:
    MappedFile(char const* data, std::size_t size) : data_(data), size_(size) {}
    void unmap();

    char const* data_ = nullptr;
    std::size_t size_ = 0;
};

// What kind of file system holds a path.
struct FileSystem {
    std::string type;      // "ext4", "tmpfs", "nfs", ...; "0x…" (its magic number) when not known by name
    bool network = false;  // locks and shared memory of other machines cannot be relied on
    bool volatile_memory = false;  // contents do not survive a restart
    std::uint64_t free_bytes = 0;  // for users without privileges
    std::uint64_t total_bytes = 0;
};
[[nodiscard]] Result<FileSystem> file_system_of(std::filesystem::path const& path);

}  // namespace quern::os

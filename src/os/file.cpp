// SPDX-License-Identifier: Apache-2.0
#include "os/file.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace quern::os {

namespace {

Error path_error(std::string_view what, std::filesystem::path const& path, int error_number) {
    return system_error(std::string(what) + " " + path.string(), error_number);
}

int open_flags(OpenMode mode) {
    switch (mode) {
    case OpenMode::read: return O_RDONLY;
    case OpenMode::read_write: return O_RDWR;
    case OpenMode::create: return O_RDWR | O_CREAT;
    case OpenMode::create_new: return O_RDWR | O_CREAT | O_EXCL;
    case OpenMode::truncate: return O_RDWR | O_CREAT | O_TRUNC;
    }
    return O_RDONLY;
}

template <class Call>
auto uninterrupted(Call call) {
    auto result = call();
    while (result < 0 && errno == EINTR) result = call();
    return result;
}

struct KnownFileSystem {
    std::uint32_t magic;
    std::string_view name;
    bool network;
    bool volatile_memory;
};
constexpr std::array known_file_systems{
    KnownFileSystem{0xEF53, "ext4", false, false},
    KnownFileSystem{0x58465342, "xfs", false, false},
    KnownFileSystem{0x9123683E, "btrfs", false, false},
    KnownFileSystem{0x2FC12FC1, "zfs", false, false},
    KnownFileSystem{0xF2F52010, "f2fs", false, false},
    KnownFileSystem{0x01021994, "tmpfs", false, true},
    KnownFileSystem{0x858458F6, "ramfs", false, true},
    KnownFileSystem{0x794C7630, "overlayfs", false, false},
    KnownFileSystem{0x6969, "nfs", true, false},
    KnownFileSystem{0xFF534D42, "cifs", true, false},
    KnownFileSystem{0xFE534D42, "smb2", true, false},
    KnownFileSystem{0x65735546, "fuse", true, false},
    KnownFileSystem{0x01021997, "9p", true, false},
    KnownFileSystem{0x00C36400, "ceph", true, false},
    KnownFileSystem{0x0BD00BD0, "lustre", true, false},
    KnownFileSystem{0x4D44, "vfat", false, false},
};

}  // namespace

Error File::error(std::string_view what, int error_number) const {
    return path_error(what, path_, error_number);
}

Result<File> File::open(std::filesystem::path const& path, OpenMode mode) {
    Fd fd(uninterrupted([&] { return ::open(path.c_str(), open_flags(mode) | O_CLOEXEC, 0600); }));
    if (!fd) {
        if (errno == EEXIST) return fail(ErrorCode::conflict, "open " + path.string() + ": it exists");
        return fail(path_error("open", path, errno));
    }
    return File(std::move(fd), path);
}

Result<std::size_t> File::read_at(std::uint64_t offset, std::span<char> buffer) const {
    std::size_t total = 0;
    while (total < buffer.size()) {
        auto const result = uninterrupted([&] {
            return ::pread(fd_.get(), buffer.data() + total, buffer.size() - total,
                           static_cast<off_t>(offset + total));
        });
        if (result < 0) return fail(error("read", errno));
        if (result == 0) break;
        total += static_cast<std::size_t>(result);
    }
    return total;
}

Result<void> File::write_at(std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        auto const result = uninterrupted(
            [&] { return ::pwrite(fd_.get(), bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
        if (result < 0) return fail(error("write", errno));
        bytes.remove_prefix(static_cast<std::size_t>(result));
        offset += static_cast<std::uint64_t>(result);
    }
    return {};
}

Result<std::uint64_t> File::size() const {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0) return fail(error("stat", errno));
    return static_cast<std::uint64_t>(status.st_size);
}

Result<void> File::truncate(std::uint64_t size) {
    if (uninterrupted([&] { return ::ftruncate(fd_.get(), static_cast<off_t>(size)); }) != 0) {
        return fail(error("truncate", errno));
    }
    return {};
}

Result<void> File::allocate(std::uint64_t offset, std::uint64_t length) {
    int const done = uninterrupted(
        [&] { return ::fallocate(fd_.get(), 0, static_cast<off_t>(offset), static_cast<off_t>(length)); });
    if (done == 0 || errno == EOPNOTSUPP || errno == ENOSYS) return {};
    return fail(error("Cannot take space for", errno));
}

Result<void> File::sync() {
    if (uninterrupted([&] { return ::fdatasync(fd_.get()); }) != 0) return fail(error("sync", errno));
    return {};
}

Result<std::string> read_file(std::filesystem::path const& path, std::size_t bytes_max) {
    QUERN_TRY(File const file, File::open(path, OpenMode::read));
    QUERN_TRY(std::uint64_t const size, file.size());
    if (size > bytes_max) return fail(ErrorCode::too_large, path.string() + " is too large");
    // Files of the kernel report no size, so reading goes on until the end.
    std::string contents(static_cast<std::size_t>(size) + 4096, '\0');
    std::size_t filled = 0;
    for (;;) {
        QUERN_TRY(std::size_t const read, file.read_at(filled, std::span(contents).subspan(filled)));
        filled += read;
        if (filled < contents.size()) break;
        if (filled > bytes_max) return fail(ErrorCode::too_large, path.string() + " is too large");
        contents.resize(contents.size() * 2);
    }
    contents.resize(filled);
    return contents;
}

Result<void> replace_file(std::filesystem::path const& path, std::string_view bytes) {
    std::filesystem::path temporary = path;
    temporary += ".new";
    {
        QUERN_TRY(File file, File::open(temporary, OpenMode::truncate));
        Result<void> written = file.write_at(0, bytes);
        if (written) written = file.sync();
        if (!written) {
            ::unlink(temporary.c_str());
            return written;
        }
    }
    QUERN_CHECK(rename_file(temporary, path));
    return sync_directory(path.has_parent_path() ? path.parent_path() : std::filesystem::path("."));
}

Result<void> rename_file(std::filesystem::path const& from, std::filesystem::path const& to) {
    if (::rename(from.c_str(), to.c_str()) != 0) return fail(path_error("rename", from, errno));
    return {};
}

Result<void> remove_file(std::filesystem::path const& path) {
    if (::unlink(path.c_str()) != 0 && errno != ENOENT) return fail(path_error("remove", path, errno));
    return {};
}

Result<void> sync_directory(std::filesystem::path const& directory) {
    Fd const fd(uninterrupted([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    if (!fd) return fail(path_error("open", directory, errno));
    if (uninterrupted([&] { return ::fsync(fd.get()); }) != 0)
        return fail(path_error("sync", directory, errno));
    return {};
}

Result<DirectoryLock> DirectoryLock::take(std::filesystem::path const& directory) {
    Fd fd(uninterrupted([&] { return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); }));
    if (!fd) return fail(path_error("open", directory, errno));
    if (uninterrupted([&] { return ::flock(fd.get(), LOCK_EX | LOCK_NB); }) == 0)
        return DirectoryLock(std::move(fd));
    if (errno != EWOULDBLOCK) return fail(path_error("lock", directory, errno));
    return fail(ErrorCode::conflict, "Another process has " + directory.string() + ".");
}

Result<void> make_directories(std::filesystem::path const& directory) {
    if (directory.empty() || ::mkdir(directory.c_str(), 0700) == 0) return {};
    if (errno == ENOENT && directory.has_parent_path()) {
        QUERN_CHECK(make_directories(directory.parent_path()));
        if (::mkdir(directory.c_str(), 0700) == 0) return {};
    }
    int const error_number = errno;
    std::error_code ignored;
    if (error_number == EEXIST && std::filesystem::is_directory(directory, ignored)) return {};
    return fail(path_error("mkdir", directory, error_number));
}

Result<TemporaryDirectory> TemporaryDirectory::make(std::filesystem::path const& parent,
                                                    std::string_view prefix) {
    std::string pattern = (parent / (std::string(prefix) + "XXXXXX")).string();
    if (::mkdtemp(pattern.data()) == nullptr) return fail(path_error("make a directory in", parent, errno));
    return TemporaryDirectory(pattern);
}

Result<void> TemporaryDirectory::remove() {
    if (path_.empty()) return {};
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    std::filesystem::path const path = std::exchange(path_, {});
    if (error) return fail(path_error("remove", path, error.value()));
    return {};
}

Result<MappedFile> MappedFile::open(std::filesystem::path const& path) {
    QUERN_TRY(File const file, File::open(path, OpenMode::read));
    QUERN_TRY(std::uint64_t const size, file.size());
    if (size == 0) return MappedFile(nullptr, 0);
    void* const place = ::mmap(nullptr, static_cast<std::size_t>(size), PROT_READ, MAP_PRIVATE, file.fd(), 0);
    if (place == MAP_FAILED) return fail(path_error("map", path, errno));
    return MappedFile(static_cast<char const*>(place), static_cast<std::size_t>(size));
}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
    if (this != &other) {
        unmap();
        data_ = std::exchange(other.data_, nullptr);
        size_ = std::exchange(other.size_, 0);
    }
    return *this;
}

void MappedFile::unmap() {
    if (data_ != nullptr) ::munmap(const_cast<char*>(data_), size_);
    data_ = nullptr;
}

Result<FileSystem> file_system_of(std::filesystem::path const& path) {
    struct statfs status {};
    if (uninterrupted([&] { return ::statfs(path.c_str(), &status); }) != 0) {
        return fail(path_error("statfs", path, errno));
    }
    FileSystem result;
    auto const block_bytes = static_cast<std::uint64_t>(status.f_bsize);
    result.free_bytes = static_cast<std::uint64_t>(status.f_bavail) * block_bytes;
    result.total_bytes = static_cast<std::uint64_t>(status.f_blocks) * block_bytes;
    auto const magic = static_cast<std::uint32_t>(status.f_type);
    for (auto const& known : known_file_systems) {
        if (known.magic != magic) continue;
        result.type = known.name;
        result.network = known.network;
        result.volatile_memory = known.volatile_memory;
        return result;
    }
    std::array<char, 16> digits{};
    auto const end = std::to_chars(digits.data(), digits.data() + digits.size(), magic, 16).ptr;
    result.type = "0x" + std::string(digits.data(), end);
    return result;
}

}  // namespace quern::os

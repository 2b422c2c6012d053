// SPDX-License-Identifier: Apache-2.0
#pragma once

// An owned file descriptor, and the operating system's last error as an Error.

#include <string_view>
#include <utility>

#include <quern/error.h>

namespace quern::os {

// Closes its descriptor when it dies. Threads: one at a time.
class Fd {
public:
    Fd() = default;
    explicit Fd(int fd) : fd_(fd) {}
    Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
    Fd& operator=(Fd&& other) noexcept {
        if (this != &other) {
            reset();
            fd_ = std::exchange(other.fd_, -1);
        }
        return *this;
    }
    ~Fd() { reset(); }

    [[nodiscard]] int get() const { return fd_; }
    [[nodiscard]] explicit operator bool() const { return fd_ >= 0; }
    void reset();

private:
    int fd_ = -1;
};

// The Error for errno as the failed call left it: disk_full for ENOSPC and EDQUOT, not_found for ENOENT,
// io for everything else. The message is "<what>: <text of the system>".
[[nodiscard]] Error system_error(std::string_view what, int error_number);

}  // namespace quern::os

// SPDX-License-Identifier: Apache-2.0
#include "os/fd.h"

#include <cerrno>
#include <string>
#include <system_error>

#include <unistd.h>

namespace quern::os {

void Fd::reset() {
    // A close that is interrupted has closed the descriptor on Linux; repeating it could hit another's.
    if (fd_ >= 0) ::close(fd_);
    fd_ = -1;
}

Error system_error(std::string_view what, int error_number) {
    ErrorCode code = ErrorCode::io;
    if (error_number == ENOSPC || error_number == EDQUOT) code = ErrorCode::disk_full;
    if (error_number == ENOENT) code = ErrorCode::not_found;
    return Error(code, std::string(what) + ": " + std::system_category().message(error_number));
}

}  // namespace quern::os

// SPDX-License-Identifier: Apache-2.0
#pragma once

// The answer to a request that was made within the process.

#include <string>

namespace quern {

struct LocalReply {
    int status = 0;
    std::string content_type;
    std::string headers;  // further header lines, each "Name: value\r\n"
    std::string body;
};

}  // namespace quern

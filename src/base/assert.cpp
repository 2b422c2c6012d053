// SPDX-License-Identifier: Apache-2.0
#include <quern/assert.h>

#include <cstdio>
#include <cstdlib>

namespace quern {

void assertion_failed(char const* expression, char const* file, int line, std::string_view why) {
    std::fprintf(stderr, "quern: assertion failed: %s (%s:%d): %.*s\n", expression, file, line,
                 static_cast<int>(why.size()), why.data());
    std::abort();
}

}  // namespace quern

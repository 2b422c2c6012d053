// SPDX-License-Identifier: Apache-2.0
#include <quern/dump.h>

namespace quern::detail {

void append_uuid(Buffer& output, Uuid const& uuid) {
    constexpr std::string_view digits = "0123456789abcdef";
    constexpr std::size_t text_bytes = 38;  // with its quotes
    char* const start = output.reserve(text_bytes);
    char* place = start;
    *place++ = '"';
    for (std::size_t index = 0; index < uuid.bytes.size(); ++index) {
        if (index == 4 || index == 6 || index == 8 || index == 10) *place++ = '-';
        *place++ = digits[uuid.bytes[index] >> 4U];
        *place++ = digits[uuid.bytes[index] & 15U];
    }
    *place++ = '"';
    output.advance(static_cast<std::size_t>(place - start));
}

}  // namespace quern::detail

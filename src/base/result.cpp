// SPDX-License-Identifier: Apache-2.0
#include <quern/error.h>

namespace quern {

int http_status(ErrorCode code) {
    switch (code) {
#define QUERN_ERROR(error_code, status, text) \
    case ErrorCode::error_code:               \
        return status;
#include <quern/errors.def>
#undef QUERN_ERROR
    }
    return 500;
}

std::string_view default_message(ErrorCode code) {
    switch (code) {
#define QUERN_ERROR(error_code, status, text) \
    case ErrorCode::error_code:               \
        return text;
#include <quern/errors.def>
#undef QUERN_ERROR
    }
    return {};
}

std::string_view name(ErrorCode code) {
    switch (code) {
#define QUERN_ERROR(error_code, status, text) \
    case ErrorCode::error_code:               \
        return #error_code;
#include <quern/errors.def>
#undef QUERN_ERROR
    }
    return {};
}

}  // namespace quern

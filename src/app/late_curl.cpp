// SPDX-License-Identifier: Apache-2.0
#include "app/late_curl.h"

#include <dlfcn.h>

#include <string>
#include <type_traits>

#include <quern/assert.h>

namespace quern::app {

namespace {

constexpr char const* library_name = "libcurl.so.4";

CurlLibrary library;
bool loaded = false;

// The first function that is missing; null if all are there.
char const* find_all(void* handle, CurlLibrary& found) {
    char const* missing = nullptr;
    auto const find = [&](auto& function, char const* name) {
        function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
        if (function == nullptr) missing = name;
    };
    find(found.global_init, "curl_global_init");
    find(found.global_cleanup, "curl_global_cleanup");
    find(found.easy_init, "curl_easy_init");
    find(found.easy_cleanup, "curl_easy_cleanup");
    find(found.easy_setopt, "curl_easy_setopt");
    find(found.easy_getinfo, "curl_easy_getinfo");
    find(found.easy_perform, "curl_easy_perform");
    find(found.easy_strerror, "curl_easy_strerror");
    find(found.slist_append, "curl_slist_append");
    find(found.slist_free_all, "curl_slist_free_all");
    find(found.multi_init, "curl_multi_init");
    find(found.multi_cleanup, "curl_multi_cleanup");
    find(found.multi_setopt, "curl_multi_setopt");
    find(found.multi_add_handle, "curl_multi_add_handle");
    find(found.multi_remove_handle, "curl_multi_remove_handle");
    find(found.multi_perform, "curl_multi_perform");
    find(found.multi_poll, "curl_multi_poll");
    find(found.multi_info_read, "curl_multi_info_read");
    return missing;
}

}  // namespace

Result<void> load_curl() {
    if (loaded) return {};
    void* const handle = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        return fail(ErrorCode::unsupported,
                    std::string("The import needs ") + library_name + ", which is not installed.");
    }
    if (char const* const missing = find_all(handle, library)) {
        return fail(ErrorCode::unsupported, std::string(library_name) + " has no function " + missing + ".");
    }
    loaded = true;
    return {};
}

CurlLibrary const& curl() {
    QUERN_ASSERT(loaded, "load_curl() comes first");
    return library;
}

}  // namespace quern::app

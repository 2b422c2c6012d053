// SPDX-License-Identifier: Apache-2.0
#pragma once

// libcurl, opened when it is first needed.
//
// Only the importer talks HTTP as a client. Linked the usual way, libcurl and the thirty libraries behind it
// would be mapped and relocated in every server too: 3.5 MB of its memory and a good part of its start.
// Threads: any, once load_curl() has succeeded.

#include <curl/curl.h>

#include <quern/error.h>

namespace quern::app {

// The functions in use, by the names and types that the library's header declares.
struct CurlLibrary {
    decltype(&::curl_global_init) global_init = nullptr;
    decltype(&::curl_global_cleanup) global_cleanup = nullptr;
    decltype(&::curl_easy_init) easy_init = nullptr;
    decltype(&::curl_easy_cleanup) easy_cleanup = nullptr;
    decltype(&::curl_easy_setopt) easy_setopt = nullptr;
    decltype(&::curl_easy_getinfo) easy_getinfo = nullptr;
    decltype(&::curl_easy_perform) easy_perform = nullptr;
    decltype(&::curl_easy_strerror) easy_strerror = nullptr;
    decltype(&::curl_slist_append) slist_append = nullptr;
    decltype(&::curl_slist_free_all) slist_free_all = nullptr;
    decltype(&::curl_multi_init) multi_init = nullptr;
    decltype(&::curl_multi_cleanup) multi_cleanup = nullptr;
    decltype(&::curl_multi_setopt) multi_setopt = nullptr;
    decltype(&::curl_multi_add_handle) multi_add_handle = nullptr;
    decltype(&::curl_multi_remove_handle) multi_remove_handle = nullptr;
    decltype(&::curl_multi_perform) multi_perform = nullptr;
    decltype(&::curl_multi_poll) multi_poll = nullptr;
    decltype(&::curl_multi_info_read) multi_info_read = nullptr;
};

// Opens the library; it stays open.
// Errors: unsupported — it is not installed, or lacks a function; the message names it.
[[nodiscard]] Result<void> load_curl();

// Precondition: load_curl() has succeeded.
[[nodiscard]] CurlLibrary const& curl();

}  // namespace quern::app

// SPDX-License-Identifier: Apache-2.0
#include "os/resource.h"

#include <charconv>
#include <string_view>

#include <fcntl.h>
#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/fd.h"

namespace quern::os {

ResourceUse resource_use() {
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    auto const to_us = [](timeval const& time) {
        return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
    };
    return {to_us(use.ru_utime), to_us(use.ru_stime), use.ru_nvcsw, use.ru_nivcsw};
}

std::int64_t resident_bytes() {
    Fd const file(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
    if (!file) return 0;
    char text[128];
    auto const size = ::read(file.get(), text, sizeof text);
    if (size <= 0) return 0;
    // "<total pages> <resident pages> ..."
    std::string_view const all(text, static_cast<std::size_t>(size));
    auto const space = all.find(' ');
    if (space == std::string_view::npos) return 0;
    std::int64_t pages = 0;
    std::from_chars(all.data() + space + 1, all.data() + all.size(), pages);
    return pages * ::sysconf(_SC_PAGESIZE);
}

std::int64_t descriptor_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    return static_cast<std::int64_t>(limit.rlim_cur);
}

std::int64_t raise_descriptor_limit() {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < limit.rlim_max) {
        limit.rlim_cur = limit.rlim_max;
        ::setrlimit(RLIMIT_NOFILE, &limit);
    }
    return descriptor_limit();
}

void return_large_memory() {
    // Setting the threshold by hand also ends its growth.
    constexpr int threshold_bytes = 256 * 1024;
    mallopt(M_MMAP_THRESHOLD, threshold_bytes);
    mallopt(M_TRIM_THRESHOLD, threshold_bytes * 4);
}

}  // namespace quern::os

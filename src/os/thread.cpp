// SPDX-License-Identifier: Apache-2.0
#include "os/thread.h"

#include <algorithm>
#include <string>

#include <pthread.h>
#include <sched.h>

namespace quern::os {

void set_thread_name(std::string_view name) {
    std::string const cut(name.substr(0, 15));
    ::pthread_setname_np(::pthread_self(), cut.c_str());
}

bool pin_thread(std::size_t processor) {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
    for (std::size_t id = 0; id < CPU_SETSIZE; ++id) {
        if (!CPU_ISSET(id, &allowed)) continue;
        if (processor-- > 0) continue;
        cpu_set_t wanted;
        CPU_ZERO(&wanted);
        CPU_SET(id, &wanted);
        return ::sched_setaffinity(0, sizeof wanted, &wanted) == 0;
    }
    return false;
}

std::size_t processor_count() {
    cpu_set_t allowed;
    if (::sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
}

}  // namespace quern::os

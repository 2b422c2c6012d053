// SPDX-License-Identifier: Apache-2.0
#include "os/machine.h"

#include <array>
#include <cstddef>

#include <sys/utsname.h>

#include "os/file.h"

namespace quern::os {

namespace {

// The kernel does not tell the size of its files, and the first processor's lines are enough.
std::string begin_of(char const* path) {
    constexpr std::size_t bytes_max = 4096;
    auto const file = File::open(path, OpenMode::read);
    if (!file) return {};
    std::array<char, bytes_max> bytes{};
    auto const size = file->read_at(0, bytes);
    return size ? std::string(bytes.data(), *size) : std::string();
}

}  // namespace

std::string_view processor_model(std::string_view cpuinfo) {
    std::size_t const key = cpuinfo.find("model name");
    if (key == std::string_view::npos) return {};
    std::string_view const line = cpuinfo.substr(key, cpuinfo.find('\n', key) - key);
    std::size_t const colon = line.find(':');
    if (colon == std::string_view::npos) return {};
    std::size_t const begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string_view::npos ? std::string_view() : line.substr(begin);
}

Machine machine() {
    Machine result;
    result.processor = processor_model(begin_of("/proc/cpuinfo"));
    utsname names{};
    if (::uname(&names) != 0) return result;
    if (result.processor.empty()) result.processor = names.machine;
    result.kernel = std::string(names.sysname) + " " + names.release;
    return result;
}

}  // namespace quern::os

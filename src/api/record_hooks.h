// SPDX-License-Identifier: Apache-2.0
#pragma once

// Code of the program around the API that runs inside the transaction of a record's write.
//
// It is asked with the change in place, in front of the commit: its error undoes the change and is the
// answer. A removal is told in front of it, while the record is still there. Records that go along with a
// removed one (a cascade) are told to nobody: the schema declared them.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include <quern/error.h>
#include "schema/collection.h"
#include "schema/principal.h"
#include "store/write_job.h"

namespace quern::api {

enum class RecordChange : std::uint8_t { create, update, remove };

// Writes that hooks make in hooks, one in the other; a deeper one is refused.
inline constexpr std::size_t hook_depth_max = 8;

// Lifetime: the run of one hook.
struct HookCall {
    store::WriteContext& context;
    Collection const& collection;
    RecordChange change;
    std::string_view id;
    Principal const& principal;
    // Run after the commit, by the writer; not when the write is undone.
    std::vector<std::move_only_function<void()>>& after_commit;
    std::size_t depth = 0;  // hooks that this one runs inside of
};

// Threads: the writer's.
class RecordHooks {
public:
    [[nodiscard]] virtual Result<void> run(HookCall& call) = 0;

protected:
    ~RecordHooks() = default;
};

}  // namespace quern::api

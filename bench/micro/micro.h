// SPDX-License-Identifier: Apache-2.0
#pragma once

// The single steps of a request, each measured alone and in memory: for who works on one of them. What a
// change is worth to a whole server is said by the legs.
//
// A file has one subject and one function that names its benchmarks to Google Benchmark. A benchmark sets up
// what it needs, requires that the work gives the right result, and measures it then.

#include <benchmark/benchmark.h>

#include "../program.h"

namespace bench {

void add_routing();
void add_parsing();
void add_filters();
void add_rows();
void add_statements();
void add_tokens();

// Does the work again and again, as often as Google Benchmark wants it.
template <class Work>
void measure(benchmark::State& state, Work work) {
    for (auto _ : state) work();
}

}  // namespace bench

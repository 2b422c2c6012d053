// SPDX-License-Identifier: Apache-2.0
// Benchmarks of single steps. usage: bench_micro [--benchmark_filter=REGEX] [more of Google Benchmark's]
#include "micro.h"

int main(int argc, char** argv) {
    bench::add_routing();
    bench::add_parsing();
    bench::add_filters();
    bench::add_rows();
    bench::add_statements();
    bench::add_tokens();

    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
    bool const any = benchmark::RunSpecifiedBenchmarks() > 0;
    benchmark::Shutdown();
    return any ? 0 : 1;
}

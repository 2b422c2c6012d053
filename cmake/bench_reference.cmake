# The run that `quern bench` compares with, as a literal: src/app/bench_reference.json in raw quotes.
set(quern_bench_reference_json ${PROJECT_SOURCE_DIR}/src/app/bench_reference.json)
set(quern_bench_reference_inc ${PROJECT_BINARY_DIR}/generated/bench_reference.inc)
add_custom_command(
  OUTPUT ${quern_bench_reference_inc}
  COMMAND ${CMAKE_COMMAND} -D FROM=${quern_bench_reference_json} -D TO=${quern_bench_reference_inc}
          -P ${PROJECT_SOURCE_DIR}/cmake/literal.cmake
  DEPENDS ${quern_bench_reference_json} ${PROJECT_SOURCE_DIR}/cmake/literal.cmake)
add_custom_target(quern_bench_reference DEPENDS ${quern_bench_reference_inc})

# One place for how our own code is compiled. Third-party sources (SQLite) do not take these warnings.
option(QUERN_WARNINGS_AS_ERRORS "Stop at the first warning" ON)
option(QUERN_LTO "Link-time optimisation" OFF)

add_library(quern_flags INTERFACE)
target_include_directories(quern_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_compile_options(quern_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wimplicit-fallthrough
  $<$<BOOL:${QUERN_WARNINGS_AS_ERRORS}>:-Werror>
  # g++ 12 reports these inside the standard library's own headers when it optimises.
  $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference -Wno-restrict>
  -fno-omit-frame-pointer -pthread)

if(QUERN_SANITIZE)
  target_compile_options(quern_flags INTERFACE -fsanitize=${QUERN_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(quern_flags INTERFACE -fsanitize=${QUERN_SANITIZE})
  if(QUERN_SANITIZE MATCHES "thread")
    # simdjson and libstdc++ are not instrumented; TSan sees through their headers only.
    target_compile_options(quern_flags INTERFACE -Wno-tsan)
  endif()
endif()

if(QUERN_LTO)
  include(CheckIPOSupported)
  check_ipo_supported()
  set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
endif()

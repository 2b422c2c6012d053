# One place for how our own code is compiled. Third-party sources (SQLite) do not take these warnings.
add_library(quern_flags INTERFACE)
target_include_directories(quern_flags INTERFACE ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/generated)
target_compile_options(quern_flags INTERFACE
  -Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -Woverloaded-virtual -Wcast-align -Wnull-dereference -Wimplicit-fallthrough
  $<$<CXX_COMPILER_ID:GNU>:-Wno-null-dereference> # g++ 12 reports it inside std::vector at -O2
  -fno-omit-frame-pointer)
if(QUERN_SANITIZE)
  target_compile_options(quern_flags INTERFACE -fsanitize=${QUERN_SANITIZE} -fno-sanitize-recover=all)
  target_link_options(quern_flags INTERFACE -fsanitize=${QUERN_SANITIZE})
  if(QUERN_SANITIZE MATCHES "thread")
    # simdjson and libstdc++ are not instrumented; TSan sees through their headers only.
    target_compile_options(quern_flags INTERFACE -Wno-tsan)
  endif()
endif()

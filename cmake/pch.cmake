# One precompiled header for all room tests: GoogleTest costs each of them more than a second otherwise.
# The rooms themselves go without: the gain is small, and a forgotten include would hide.
option(QUERN_PCH "Precompile GoogleTest for the room tests" OFF)

set(quern_pch_options $<$<CXX_COMPILER_ID:GNU>:-fpch-preprocess>) # so that ccache can tell what went in

if(QUERN_PCH AND QUERN_TESTS)
  file(WRITE ${PROJECT_BINARY_DIR}/generated/pch_tests.cpp "// Only here to carry the precompiled header.\n")
  add_library(quern_pch_tests STATIC ${PROJECT_BINARY_DIR}/generated/pch_tests.cpp)
  target_link_libraries(quern_pch_tests PRIVATE quern_flags fmt::fmt GTest::gtest)
  target_compile_options(quern_pch_tests PRIVATE ${quern_pch_options})
  target_precompile_headers(quern_pch_tests PRIVATE <gtest/gtest.h>)
endif()

# Lets a test program use it. One whose macros do not fit is compiled without: slower, not wrong.
function(quern_use_pch target)
  if(TARGET quern_pch_tests)
    target_compile_options(${target} PRIVATE ${quern_pch_options} -Wno-invalid-pch)
    target_precompile_headers(${target} REUSE_FROM quern_pch_tests)
  endif()
endfunction()

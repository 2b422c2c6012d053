# Builds one static library a room from src/rooms.txt, one test program a room from its *_test.cpp files,
# and the quern binary from src/app. Every TEST is a test of its own to ctest, named ROOM/Suite.Name and
# labelled with the room.
if(QUERN_TESTS)
  include(GoogleTest)
endif()

function(quern_room room uses)
  string(REPLACE "/" "_" target ${room})
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/${room}/*.cpp)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "_test\\.cpp$")
  if(room STREQUAL "app")
    list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  endif()

  set(links quern_flags ${quern_external_${target}})
  foreach(used IN LISTS uses)
    string(REPLACE "/" "_" used_target ${used})
    list(APPEND links quern_${used_target})
  endforeach()

  if(sources)
    add_library(quern_${target} STATIC ${sources})
    target_link_libraries(quern_${target} PUBLIC ${links})
  else()
    add_library(quern_${target} INTERFACE)
    target_link_libraries(quern_${target} INTERFACE ${links})
  endif()
  if(target STREQUAL "base")
    add_dependencies(quern_base quern_casefold)
  elseif(target STREQUAL "app")
    add_dependencies(quern_app quern_bench_reference)
  endif()

  if(QUERN_TESTS AND tests)
    add_executable(test_${target} ${tests})
    target_link_libraries(test_${target} PRIVATE
      quern_${target} ${quern_test_links_${target}} GTest::gtest GTest::gtest_main GTest::gmock)
    target_compile_definitions(test_${target} PRIVATE QUERN_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    # g++ 12 sees harm in long chains of string additions, and in a test's own counting `operator new`. What
    # is real of it AddressSanitizer finds when the test runs.
    target_compile_options(test_${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:
      -Wno-array-bounds -Wno-stringop-overflow -Wno-stringop-overread -Wno-mismatched-new-delete>)
    quern_use_pch(test_${target})
    gtest_discover_tests(test_${target} TEST_PREFIX "${room}/" DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
      PROPERTIES LABELS "${room}" TIMEOUT 600)
  endif()
endfunction()

function(quern_rooms table)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${table})
  file(STRINGS ${table} lines REGEX "^[a-z]")
  list(REVERSE lines) # lowest room first, so that what a room links to exists
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^([a-z/]+) *: *(.*)$" _ "${line}")
    set(room ${CMAKE_MATCH_1})
    string(REGEX REPLACE " +" ";" uses "${CMAKE_MATCH_2}")
    quern_room(${room} "${uses}")
  endforeach()
  if(EXISTS ${PROJECT_SOURCE_DIR}/src/app/main.cpp)
    # Not built by a project that only wants the library.
    if(NOT PROJECT_IS_TOP_LEVEL)
      set(part EXCLUDE_FROM_ALL)
    endif()
    add_executable(quern ${part} ${PROJECT_SOURCE_DIR}/src/app/main.cpp)
    target_link_libraries(quern PRIVATE quern_app)
  endif()
endfunction()

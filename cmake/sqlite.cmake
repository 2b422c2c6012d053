# SQLite from the amalgamation that the npm package better-sqlite3 ships under deps/sqlite3.
# tools/fetch-sqlite downloads it by name and version, checks the hashes, and leaves it in build/sqlite.
set(QUERN_SQLITE_DIR "${PROJECT_SOURCE_DIR}/build/sqlite" CACHE PATH "Directory with sqlite3.c and sqlite3.h")
if(NOT EXISTS "${QUERN_SQLITE_DIR}/sqlite3.c")
  execute_process(COMMAND ${PROJECT_SOURCE_DIR}/tools/fetch-sqlite "${QUERN_SQLITE_DIR}"
    RESULT_VARIABLE fetched)
  if(NOT fetched EQUAL 0)
    message(FATAL_ERROR "SQLite could not be fetched or its hash is wrong; set QUERN_SQLITE_DIR to a "
      "directory with sqlite3.c (3.51.3 or later)")
  endif()
endif()

add_library(quern_sqlite STATIC ${QUERN_SQLITE_DIR}/sqlite3.c)
target_include_directories(quern_sqlite SYSTEM PUBLIC ${QUERN_SQLITE_DIR})
# Instrumented code is slow to optimise, and only its checks are wanted.
if(QUERN_SANITIZE)
  target_compile_options(quern_sqlite PRIVATE -O1 -w -fsanitize=${QUERN_SANITIZE})
else()
  target_compile_options(quern_sqlite PRIVATE -O2 -w)
endif()

set(quern_sqlite_common SQLITE_ENABLE_FTS5 SQLITE_ENABLE_MATH_FUNCTIONS SQLITE_ENABLE_SNAPSHOT
  HAVE_USLEEP=1 HAVE_FDATASYNC=1)
set(quern_sqlite_lean
  SQLITE_THREADSAFE=2 SQLITE_DEFAULT_MEMSTATUS=0 SQLITE_DISABLE_PAGECACHE_OVERFLOW_STATS SQLITE_DQS=0
  SQLITE_LIKE_DOESNT_MATCH_BLOBS SQLITE_OMIT_DEPRECATED SQLITE_OMIT_SHARED_CACHE SQLITE_OMIT_LOAD_EXTENSION
  SQLITE_USE_ALLOCA SQLITE_STRICT_SUBTYPE=1 SQLITE_DEFAULT_FOREIGN_KEYS=1 SQLITE_MAX_EXPR_DEPTH=2000)
# The flag set that rusqlite's `bundled` feature compiles, kept so that the difference can be measured.
set(quern_sqlite_bundled
  SQLITE_CORE SQLITE_DEFAULT_FOREIGN_KEYS=1 SQLITE_ENABLE_API_ARMOR SQLITE_ENABLE_COLUMN_METADATA
  SQLITE_ENABLE_DBSTAT_VTAB SQLITE_ENABLE_FTS3 SQLITE_ENABLE_FTS3_PARENTHESIS SQLITE_ENABLE_JSON1
  SQLITE_ENABLE_LOAD_EXTENSION=1 SQLITE_ENABLE_MEMORY_MANAGEMENT SQLITE_ENABLE_RTREE SQLITE_ENABLE_STAT4
  SQLITE_SOUNDEX SQLITE_THREADSAFE=1 SQLITE_USE_URI HAVE_ISNAN HAVE_LOCALTIME_R SQLITE_MAX_EXPR_DEPTH=2000)
if(QUERN_SQLITE_FLAVOUR STREQUAL "lean")
  target_compile_definitions(quern_sqlite PUBLIC ${quern_sqlite_common} ${quern_sqlite_lean})
elseif(QUERN_SQLITE_FLAVOUR STREQUAL "bundled")
  target_compile_definitions(quern_sqlite PUBLIC ${quern_sqlite_common} ${quern_sqlite_bundled})
else()
  message(FATAL_ERROR "QUERN_SQLITE_FLAVOUR is lean or bundled, not '${QUERN_SQLITE_FLAVOUR}'")
endif()
target_link_libraries(quern_sqlite PUBLIC Threads::Threads m ${CMAKE_DL_LIBS})

# Compiles through ccache when it is there. The cache stays inside the checkout, in build/ccache, and is
# shared by all build directories: paths are taken relative to the checkout before they are compared.
find_program(QUERN_CCACHE ccache)
if(QUERN_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(quern_launcher ${CMAKE_COMMAND} -E env
    CCACHE_DIR=${PROJECT_SOURCE_DIR}/build/ccache CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1
    CCACHE_MAXSIZE=2G CCACHE_SLOPPINESS=pch_defines,time_macros ${QUERN_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${quern_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${quern_launcher})
endif()

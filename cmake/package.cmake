# The library as users link it: `quern::quern`, by add_subdirectory or, installed, by find_package(quern).
# It is one archive of all rooms below app, with SQLite inside, and the headers of include/quern.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(quern_library_rooms library server api auth rules query store engine_sqlite engine_ram engine_sql engine
  plan schema json http crypto os base)
set(objects $<TARGET_OBJECTS:quern_sqlite>)
set(needs)
foreach(room IN LISTS quern_library_rooms)
  get_target_property(kind quern_${room} TYPE)
  if(NOT kind STREQUAL "INTERFACE_LIBRARY")
    list(APPEND objects $<TARGET_OBJECTS:quern_${room}>)
  endif()
  list(APPEND needs ${quern_external_${room}})
endforeach()
list(REMOVE_DUPLICATES needs)
list(REMOVE_ITEM needs quern_sqlite)

# Built when it is installed or linked; our own programs link the rooms.
add_library(quern_library_all STATIC EXCLUDE_FROM_ALL ${objects})
set_target_properties(quern_library_all PROPERTIES OUTPUT_NAME quern EXPORT_NAME quern LINKER_LANGUAGE CXX)
target_compile_features(quern_library_all INTERFACE cxx_std_23)
target_include_directories(quern_library_all INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(quern_library_all INTERFACE ${needs} m ${CMAKE_DL_LIBS})
add_library(quern::quern ALIAS quern_library_all)

if(PROJECT_IS_TOP_LEVEL)
  set(quern_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/quern)
  install(TARGETS quern_library_all EXPORT quern COMPONENT library)
  install(DIRECTORY include/quern DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
  install(EXPORT quern NAMESPACE quern:: FILE quern-targets.cmake DESTINATION ${quern_package_dir}
    COMPONENT library)
  configure_package_config_file(cmake/quern-config.cmake.in ${PROJECT_BINARY_DIR}/quern-config.cmake
    INSTALL_DESTINATION ${quern_package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/quern-config-version.cmake
    COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/quern-config.cmake ${PROJECT_BINARY_DIR}/quern-config-version.cmake
    DESTINATION ${quern_package_dir} COMPONENT library)
endif()

# The Unicode simple case folding table, generated from the Unicode Character Database (Debian: unicode-data).
set(QUERN_CASEFOLDING "/usr/share/unicode/CaseFolding.txt" CACHE FILEPATH
  "CaseFolding.txt of the Unicode Character Database")
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/generated/casefold_table.inc
  COMMAND ${CMAKE_SOURCE_DIR}/tools/make-casefold ${QUERN_CASEFOLDING}
          ${CMAKE_BINARY_DIR}/generated/casefold_table.inc
  DEPENDS ${CMAKE_SOURCE_DIR}/tools/make-casefold ${QUERN_CASEFOLDING})
add_custom_target(quern_casefold DEPENDS ${CMAKE_BINARY_DIR}/generated/casefold_table.inc)

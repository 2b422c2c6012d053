# The Unicode simple case folding table, generated from the Unicode Character Database (Debian: unicode-data).
set(QUERN_CASEFOLDING "/usr/share/unicode/CaseFolding.txt" CACHE FILEPATH
  "CaseFolding.txt of the Unicode Character Database")
add_custom_command(
  OUTPUT ${PROJECT_BINARY_DIR}/generated/casefold_table.inc
  COMMAND ${PROJECT_SOURCE_DIR}/tools/make-casefold ${QUERN_CASEFOLDING}
          ${PROJECT_BINARY_DIR}/generated/casefold_table.inc
  DEPENDS ${PROJECT_SOURCE_DIR}/tools/make-casefold ${QUERN_CASEFOLDING})
add_custom_target(quern_casefold DEPENDS ${PROJECT_BINARY_DIR}/generated/casefold_table.inc)

# dlc_add_comma_test(NAME COMMAND...): add_test of a program that sets the locale de_DE.UTF-8, in which 0.5 is written 0,5.
# It is made here where the system has what localedef needs; else the test is reported as skipped.
set(DLC_LOCALE_DIR ${CMAKE_BINARY_DIR}/locale)
find_program(DLC_LOCALEDEF localedef)
mark_as_advanced(DLC_LOCALEDEF)
if(DLC_LOCALEDEF AND NOT EXISTS ${DLC_LOCALE_DIR}/de_DE.UTF-8/LC_NUMERIC)
  file(MAKE_DIRECTORY ${DLC_LOCALE_DIR})
  execute_process(COMMAND ${DLC_LOCALEDEF} --no-archive -i de_DE -f UTF-8 ${DLC_LOCALE_DIR}/de_DE.UTF-8
                  OUTPUT_QUIET ERROR_QUIET)
endif()

function(dlc_add_comma_test name)
  if(EXISTS ${DLC_LOCALE_DIR}/de_DE.UTF-8/LC_NUMERIC)
    add_test(NAME ${name} COMMAND ${ARGN})
    set_property(TEST ${name} PROPERTY ENVIRONMENT "LOCPATH=${DLC_LOCALE_DIR}")
  else()
    add_test(NAME ${name} COMMAND ${CMAKE_COMMAND} -E echo
             "skipped: localedef cannot make the locale de_DE.UTF-8 (Debian's package locales)")
    set_property(TEST ${name} PROPERTY SKIP_REGULAR_EXPRESSION "skipped: ")
  endif()
endfunction()

# cmake -DNM=<nm> -DLIBRARY=<shared library> -P plugin.cmake: it exports plugin_trains, and nothing else.
execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols RESULT_VARIABLE failed)
string(REGEX MATCHALL " [TWDBRVi] [^\n]+" exported "${symbols}")
if(failed OR NOT "${exported}" STREQUAL " T plugin_trains")
  message(FATAL_ERROR "${LIBRARY} exports ${exported}")
endif()

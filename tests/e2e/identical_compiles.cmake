# Two compiles of one model, at different times into different folders, write the same bytes; also those of
# OTHER, another build of dlc.
set(ENV{DLC_CACHE} off) # kernels from a cache would be the same ones
separate_arguments(OPTIONS)
if(NOT OTHER)
  set(OTHER ${DLC})
endif()
foreach(folder first second)
  file(REMOVE_RECURSE ${folder})
  execute_process(COMMAND ${DLC} compile ${MODEL} -o ${folder} --name=mlp --dump-ir=${folder} ${OPTIONS}
                  RESULT_VARIABLE status ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "dlc compile failed (${status}): ${errors}")
  endif()
  execute_process(COMMAND ${CMAKE_COMMAND} -E sleep 1.1) # archives and manifests could hold a time
  set(DLC ${OTHER})
endforeach()

file(GLOB files RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/first first/*)
file(GLOB others RELATIVE ${CMAKE_CURRENT_BINARY_DIR}/second second/*)
if(NOT "${files}" STREQUAL "${others}" OR NOT files MATCHES "libmlp.a" OR NOT files MATCHES "mlp.h")
  message(FATAL_ERROR "unexpected files: ${files} and ${others}")
endif()
foreach(file ${files})
  file(SHA256 first/${file} hash)
  file(SHA256 second/${file} other_hash)
  if(NOT hash STREQUAL other_hash)
    message(FATAL_ERROR "${file} differs")
  endif()
  message(STATUS "${file}: ${hash}")
endforeach()

# Builds the tests of threads (runtime-thread-tests), and the runtime below them, with the thread sanitizer.
# cmake -DSOURCE=<dlc's sources> -DBUILD=<folder> -DCC=<clang> -DCXX=<clang++> -P tsan.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed with ${status}: ${ARGN}")
  endif()
endfunction()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G Ninja -DDLC_BUILD_COMPILER=OFF -DDLC_SANITIZE=thread
    -DCMAKE_BUILD_TYPE=RelWithDebInfo "-DCMAKE_CXX_FLAGS_RELWITHDEBINFO=-O1 -gline-tables-only"
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX} --log-level=WARNING)
run(${CMAKE_COMMAND} --build ${BUILD} --target runtime-thread-tests -j 2)

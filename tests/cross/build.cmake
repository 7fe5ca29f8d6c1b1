# Configures and builds for aarch64 as docs/cross-compiling.md says, all programs static.
# cmake -DSOURCE=<dlc's sources> -DBUILD=<folder> -DCOMPILER=<dlc> -P build.cmake
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "failed with ${status}: ${ARGN}")
  endif()
endfunction()
run(${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G Ninja -DDLC_BUILD_COMPILER=OFF -DDLC_COMPILER=${COMPILER}
    -DCMAKE_TOOLCHAIN_FILE=${SOURCE}/tools/cmake/aarch64-linux-gnu.cmake -DCMAKE_EXE_LINKER_FLAGS=-static
    -DCMAKE_CXX_FLAGS_RELEASE=-O1 --log-level=WARNING)
run(${CMAKE_COMMAND} --build ${BUILD} -j 2)

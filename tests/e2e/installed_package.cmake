# Installs the build and uses it as somebody else would: the example's folder alone as a CMake project, and its
# README's commands without CMake. What tools/quickstart.sh does not build must not be needed.
set(here ${CMAKE_CURRENT_BINARY_DIR})
set(prefix ${here}/prefix)
set(ENV{DESTDIR}) # not where this test shall install to
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}\n${output}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()
function(expect_accuracy program)
  run(${program} --epochs 1 --data ${SOURCE}/docs/examples/data)
  if(NOT output MATCHES "test accuracy 0\\.[78]")
    message(FATAL_ERROR "${program}: ${output}")
  endif()
  message(STATUS "${program}: ${output}")
endfunction()

file(REMOVE_RECURSE ${prefix} ${here}/copy ${here}/build ${here}/out)
# The build's script for installing, as if the tools for work on dlc itself had not been built.
file(READ ${BUILD}/cmake_install.cmake script)
string(REGEX REPLACE "${BUILD}/bin/(dlc-opt)\"" "${here}/not-built/\\1\"" without_tools "${script}")
if(without_tools STREQUAL script)
  message(FATAL_ERROR "${BUILD}/cmake_install.cmake installs no dlc-opt")
endif()
file(WRITE ${here}/cmake_install.cmake "${without_tools}")
run(${CMAKE_COMMAND} -DCMAKE_INSTALL_PREFIX=${prefix} -P cmake_install.cmake)
if(EXISTS ${prefix}/bin/dlc-opt)
  message(FATAL_ERROR "dlc-opt was installed: the test does not test what it should")
endif()
run(${prefix}/bin/dlc --version)
run(${prefix}/bin/dlc-interpret --version) # dlc check --against needs it
run(python3 -m compileall -q ${prefix}/share/dlc) # to run them takes PyTorch
# dlc finds the installed script, which says what is missing: PyTorch or the module.
execute_process(COMMAND ${prefix}/bin/dlc check ${SOURCE}/docs/examples/mlp/mlp.onnx -q --batch=4
                --against=nothing.py:make OUTPUT_VARIABLE output ERROR_VARIABLE output RESULT_VARIABLE status)
if(NOT status EQUAL 1 OR NOT output MATCHES "check_against.py: (Python has no module|'nothing.py': no such)")
  message(FATAL_ERROR "dlc check --against: status ${status}: ${output}")
endif()
# The installed pages link to each other only.
file(GLOB_RECURSE readme ${prefix}/share/doc/*/README.md)
list(GET readme 0 readme)
string(REGEX REPLACE "/(docs/.*)?README.md$" "" pages "${readme}")
run(python3 ${SOURCE}/tests/docs/check_links.py --installed ${pages})
file(COPY ${SOURCE}/docs/examples/mlp/ DESTINATION ${here}/copy) # nothing of the project around it
run(${CMAKE_COMMAND} -G ${GENERATOR} -S copy -B build -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_C_COMPILER=${CC} -DCMAKE_CXX_COMPILER=${CXX})
run(${CMAKE_COMMAND} --build build)
expect_accuracy(${here}/build/mlp)

find_program(pkg_config pkg-config)
if(NOT pkg_config)
  message(STATUS "pkg-config is not installed: its part is left out")
  return()
endif()
file(GLOB_RECURSE pc ${prefix}/*/dlc-runtime.pc)
get_filename_component(pc ${pc} DIRECTORY)
set(ENV{PKG_CONFIG_PATH} ${pc})
run(${prefix}/bin/dlc compile copy/mlp.onnx -o out --loss=softmax-cross-entropy --optimizer=adam --lr=1e-3
    --batch=64 --embed-weights)
run(${pkg_config} --cflags --libs dlc-runtime)
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CC} -std=c11 -DDEFAULT_DATA_DIR="data" -Iout copy/main.c out/libmlp.a ${flags} -o by_hand)
expect_accuracy(${here}/by_hand)
run(${CMAKE_COMMAND} -DPROGRAM=${here}/by_hand -P ${SOURCE}/tests/runtime/needs_only_libc.cmake)

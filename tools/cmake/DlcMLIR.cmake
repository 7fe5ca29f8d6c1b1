# Finds LLVM/MLIR 22 and says how our libraries and tools are built on it.
if(NOT MLIR_DIR)
  set(MLIR_DIR /usr/lib/llvm-22/lib/cmake/mlir)
endif()
find_package(MLIR REQUIRED CONFIG)
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR "dlc needs LLVM/MLIR 22; ${MLIR_DIR} has ${LLVM_PACKAGE_VERSION} (set MLIR_DIR)")
endif()
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
# tablegen takes its include paths from the directory.
include_directories(${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND ${LLVM_DEFINITIONS})

# What every MLIR source needs; its include paths reach users of our libraries too.
add_library(dlc-mlir INTERFACE)
target_include_directories(dlc-mlir SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_include_directories(dlc-mlir INTERFACE ${CMAKE_SOURCE_DIR} ${CMAKE_BINARY_DIR})
target_compile_definitions(dlc-mlir INTERFACE ${LLVM_DEFINITIONS_LIST})
# Debian's LLVM is built without exceptions.
target_compile_options(dlc-mlir INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
# A program with the property DLC_STATIC (tools/package) has LLVM, MLIR and what they need inside; others load
# the system's libraries.
set(DLC_IS_STATIC "$<BOOL:$<TARGET_PROPERTY:DLC_STATIC>>")
add_library(dlc-llvm INTERFACE)
target_link_libraries(dlc-llvm INTERFACE $<IF:${DLC_IS_STATIC},dlc-llvm-archives,LLVM>)
target_link_libraries(dlc-mlir INTERFACE $<$<NOT:${DLC_IS_STATIC}>:MLIR> dlc-llvm)
file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
list(FILTER archives EXCLUDE REGEX "libMLIR(CAPI.*|.*Test.*)\\.a$")
add_library(dlc-llvm-archives INTERFACE)
target_link_libraries(dlc-llvm-archives INTERFACE -Wl,--start-group ${archives} -Wl,--end-group)

# The linker inside, for shared libraries. Its exported targets would link compression libraries of their own choice.
find_package(LLD CONFIG HINTS ${LLVM_CMAKE_DIR}/../lld)
if(NOT LLD_FOUND)
  message(FATAL_ERROR "dlc needs lld's libraries beside LLVM ${LLVM_PACKAGE_VERSION} (Debian: liblld-22-dev; or set LLD_DIR)")
endif()
find_library(DLC_ZLIB z REQUIRED)
find_library(DLC_ZLIB_ARCHIVE libz.a)
find_library(DLC_ZSTD zstd REQUIRED)
find_library(DLC_ZSTD_ARCHIVE libzstd.a)
mark_as_advanced(DLC_ZLIB DLC_ZLIB_ARCHIVE DLC_ZSTD DLC_ZSTD_ARCHIVE)
add_library(dlc-lld INTERFACE)
target_link_libraries(dlc-lld INTERFACE $<TARGET_FILE:lldELF> $<TARGET_FILE:lldCommon> dlc-mlir
  $<IF:${DLC_IS_STATIC},${DLC_ZLIB_ARCHIVE},${DLC_ZLIB}> $<IF:${DLC_IS_STATIC},${DLC_ZSTD_ARCHIVE},${DLC_ZSTD}>)

# One precompiled header for all of them: a source then costs a second instead of six.
file(WRITE ${CMAKE_BINARY_DIR}/mlir-pch.cpp.in "// carries the precompiled header\n")
configure_file(${CMAKE_BINARY_DIR}/mlir-pch.cpp.in ${CMAKE_BINARY_DIR}/mlir-pch.cpp COPYONLY)
add_library(dlc-mlir-pch OBJECT ${CMAKE_BINARY_DIR}/mlir-pch.cpp)
add_dependencies(dlc-mlir-pch dlc-nn-tablegen dlc-train-tablegen) # it includes the dialects' generated headers
target_link_libraries(dlc-mlir-pch PUBLIC dlc-mlir)
dlc_precompile(dlc-mlir-pch ${CMAKE_SOURCE_DIR}/tools/cmake/mlir-pch.h)

# dlc_add_library(NAME sources... [DEPENDS generated...] [LINK libraries...])
# LINK names what the sources may include; tests/layering checks the includes against the design.
function(dlc_add_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  dlc_precompile(${name} REUSE_FROM dlc-mlir-pch)
  dlc_compile_together(${name})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} dlc-mlir)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

function(dlc_add_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # The precompiled header is -fPIC; an executable would be -fPIE, which does not go with it.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  dlc_precompile(${name} REUSE_FROM dlc-mlir-pch)
  target_link_libraries(${name} PRIVATE ${ARG_LINK} dlc-mlir)
  dlc_set_sanitizer_options(${name})
endfunction()

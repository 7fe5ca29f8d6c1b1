# The target dlc-runtimes: the runtime for the other machines that dlc compiles for, in lib/dlc/<machine>/libdlc-runtime.a,
# where dlc finds it for --emit=shared and where packages have it. clang compiles for all of them; the headers of their C
# libraries are packages of Debian (gcc-aarch64-linux-gnu, musl-dev; tools/package.sh fetches those of musl for ARM). A
# machine without headers is left out.
set(DLC_RUNTIMES_DIR ${CMAKE_BINARY_DIR}/lib/dlc)
find_program(DLC_CLANGXX NAMES clang++-22 clang++ HINTS ${LLVM_TOOLS_BINARY_DIR})
find_program(DLC_LLVM_AR NAMES llvm-ar-22 llvm-ar HINTS ${LLVM_TOOLS_BINARY_DIR})
mark_as_advanced(DLC_CLANGXX DLC_LLVM_AR)
add_custom_target(dlc-runtimes)
set(DLC_RUNTIME_MACHINES)

# Sets <result> to the newest folder of the C++ library's headers below <prefix>, and what depends on the architecture.
function(dlc_cxx_headers result prefix architecture)
  file(GLOB versions ${prefix}/c++/*)
  list(SORT versions COMPARE NATURAL ORDER DESCENDING)
  set(found)
  foreach(folder ${versions})
    get_filename_component(version ${folder} NAME)
    foreach(own ${folder}/${architecture}-linux-gnu ${prefix}/${architecture}-linux-gnu/c++/${version})
      if(NOT found AND EXISTS ${own}/bits/c++config.h)
        set(found -isystem ${folder} -isystem ${own})
      endif()
    endforeach()
  endforeach()
  set(${result} ${found} PARENT_SCOPE)
endfunction()

# dlc_add_runtime(<architecture> <libc> <folder of the C library's headers>)
function(dlc_add_runtime architecture libc headers)
  set(machine ${architecture}-linux-${libc})
  if(machine STREQUAL DLC_THIS_MACHINE)
    return()
  endif()
  set(prefix /usr/include)
  if(NOT architecture STREQUAL CMAKE_SYSTEM_PROCESSOR)
    set(prefix /usr/${architecture}-linux-gnu/include)
  endif()
  dlc_cxx_headers(cxx ${prefix} ${architecture})
  if(NOT cxx OR NOT EXISTS ${headers}/unistd.h OR NOT DLC_CLANGXX OR NOT DLC_LLVM_AR)
    message(STATUS "No runtime for ${machine}: its headers are not here")
    return()
  endif()
  set(options --target=${machine} -nostdinc++ -nostdlibinc ${cxx} -isystem ${headers})
  if("${libc}" STREQUAL "musl")
    list(APPEND options "-D__GLIBC_PREREQ(a,b)=0") # libstdc++'s configuration asks for glibc's version
  endif()
  if("${architecture}" STREQUAL "aarch64")
    list(APPEND options -mno-outline-atomics) # functions of libgcc, which a shared library would need
  endif()
  get_target_property(sources dlc-runtime SOURCES)
  get_target_property(own dlc-runtime COMPILE_OPTIONS)
  set(objects)
  foreach(source ${sources})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${machine}/${source}.o)
    get_filename_component(folder ${object} DIRECTORY)
    file(MAKE_DIRECTORY ${folder})
    add_custom_command(OUTPUT ${object}
      COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${DLC_CLANGXX} ${options} -std=c++17 -DNDEBUG -fPIC ${own}
              -I${PROJECT_SOURCE_DIR} -I${PROJECT_SOURCE_DIR}/runtime/include -MD -MF ${object}.d
              -c ${PROJECT_SOURCE_DIR}/runtime/${source} -o ${object}
      DEPENDS ${PROJECT_SOURCE_DIR}/runtime/${source} DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(archive ${DLC_RUNTIMES_DIR}/${machine}/libdlc-runtime.a)
  file(MAKE_DIRECTORY ${DLC_RUNTIMES_DIR}/${machine})
  add_custom_command(OUTPUT ${archive} COMMAND ${CMAKE_COMMAND} -E rm -f ${archive}
    COMMAND ${DLC_LLVM_AR} rcsD ${archive} ${objects} DEPENDS ${objects} VERBATIM)
  add_custom_target(dlc-runtime-${machine} DEPENDS ${archive})
  add_dependencies(dlc-runtimes dlc-runtime-${machine})
  list(APPEND DLC_RUNTIME_MACHINES ${machine})
  set(DLC_RUNTIME_MACHINES ${DLC_RUNTIME_MACHINES} PARENT_SCOPE)
endfunction()

foreach(architecture x86_64 aarch64)
  set(gnu /usr/${architecture}-linux-gnu/include)
  dlc_add_runtime(${architecture} gnu ${gnu})
  set(musl /usr/include/${architecture}-linux-musl)
  if(NOT EXISTS ${musl})
    set(musl ${CMAKE_BINARY_DIR}/musl/usr/include/${architecture}-linux-musl) # of tools/package.sh
  endif()
  dlc_add_runtime(${architecture} musl ${musl})
endforeach()

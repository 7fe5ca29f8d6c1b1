# How everything is compiled: warnings, linker, compiler cache, sanitizers.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  find_program(DLC_LLD NAMES ld.lld-22 ld.lld)
  if(DLC_LLD)
    add_link_options(--ld-path=${DLC_LLD})
  endif()
endif()

find_program(DLC_CCACHE ccache)
if(DLC_CCACHE)
  # Precompiled headers and __TIME__ would otherwise keep ccache from hitting. DEPEND: it takes what a source includes from
  # the compiler; to preprocess each source first made a first build a fifth slower.
  set(ccache_launcher ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${DLC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${ccache_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
endif()

# dlc_precompile(NAME headers...) or dlc_precompile(NAME REUSE_FROM other): headers that most sources of a target include,
# read once for all of them.
function(dlc_precompile name)
  if("${ARGV1}" STREQUAL REUSE_FROM)
    target_precompile_headers(${name} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${name} PRIVATE ${ARGN})
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp") # for ccache
  endif()
endfunction()

# dlc_compile_together(NAME): with DLC_COMPILE_TOGETHER, some sources of a target are compiled as one. What templates
# become is then made once for all of them, which takes a first build's time down by a third. Only sources that use
# the same namespaces go together: in others Value, Type or StringSwitch would be names of two things.
option(DLC_COMPILE_TOGETHER "Compile up to 8 sources at once (CMake's unity builds): good for a first build, bad for editing" OFF)
function(dlc_compile_together name)
  if(NOT DLC_COMPILE_TOGETHER)
    return()
  endif()
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${name} SOURCES)
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  foreach(source ${sources})
    cmake_path(ABSOLUTE_PATH source OUTPUT_VARIABLE path)
    file(STRINGS ${path} used REGEX "^using namespace [a-z:]+;")
    string(MAKE_C_IDENTIFIER "group ${used}" group)
    list(APPEND ${group} ${source})
    list(LENGTH ${group} count)
    math(EXPR batch "(${count} - 1) / 8")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${group}_${batch})
  endforeach()
endfunction()

if(DLC_SANITIZE)
  # "fuzzer" makes everything tell libFuzzer which way it took; the fuzzers alone are linked with its main().
  string(REPLACE "fuzzer" "fuzzer-no-link" sanitizers "${DLC_SANITIZE}")
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${sanitizers})
  if(DLC_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr) # LLVM's own objects may lack the type information that it looks at
  endif()
endif()

# LLVM's own libraries are not instrumented: what they put into a container of ours would be reported.
if(DLC_SANITIZE MATCHES "address")
  add_library(dlc-asan-options OBJECT ${CMAKE_SOURCE_DIR}/tools/cmake/asan_options.c)
  target_compile_options(dlc-asan-options PRIVATE -fno-sanitize=all)
endif()
function(dlc_set_sanitizer_options executable)
  if(TARGET dlc-asan-options)
    target_sources(${executable} PRIVATE $<TARGET_OBJECTS:dlc-asan-options>)
  endif()
endfunction()

# dlc_add_fuzzer(NAME sources... [LINK libraries...]): the sources define LLVMFuzzerTestOneInput.
function(dlc_add_fuzzer name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  if(DLC_SANITIZE MATCHES "fuzzer")
    add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
    target_compile_definitions(${name} PRIVATE DLC_LIBFUZZER)
    target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${name} PRIVATE ${ARG_LINK})
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    dlc_set_sanitizer_options(${name})
  endif()
endfunction()

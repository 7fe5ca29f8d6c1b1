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
  # Precompiled headers and __TIME__ would otherwise keep ccache from hitting.
  set(ccache_launcher ${CMAKE_COMMAND} -E env
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${DLC_CCACHE})
  set(CMAKE_C_COMPILER_LAUNCHER ${ccache_launcher})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ccache_launcher})
endif()

if(DLC_SANITIZE)
  add_compile_options(-fsanitize=${DLC_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${DLC_SANITIZE})
  if(DLC_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize=vptr) # LLVM's own objects may lack the type information that it looks at
  endif()
endif()

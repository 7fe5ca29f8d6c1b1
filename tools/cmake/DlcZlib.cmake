# dlc::zlib, which reads compressed data sets: the static library where there is one, so that a training
# program depends on nothing but the C library. Used by dlc's own build and by its installed package.
# Without zlib (-DDLC_USE_ZLIB=OFF, the default where a cross compiler has none) there is no such target, and
# the runtime refuses compressed files.
include_guard(GLOBAL)
find_library(DLC_ZLIB NAMES libz.a z)
find_path(DLC_ZLIB_INCLUDE_DIR zlib.h)
mark_as_advanced(DLC_ZLIB DLC_ZLIB_INCLUDE_DIR)
set(DLC_FOUND_ZLIB OFF)
if(DLC_ZLIB AND DLC_ZLIB_INCLUDE_DIR)
  set(DLC_FOUND_ZLIB ON)
endif()
set(zlib_default ON)
if(CMAKE_CROSSCOMPILING)
  set(zlib_default ${DLC_FOUND_ZLIB})
endif()
if(NOT DEFINED DLC_USE_ZLIB) # an installed package says how its runtime was built
  option(DLC_USE_ZLIB "Read compressed data sets (needs zlib)" ${zlib_default})
endif()
if(DLC_USE_ZLIB)
  if(NOT DLC_FOUND_ZLIB)
    message(FATAL_ERROR "zlib was not found, neither a library nor zlib.h: install it (zlib1g-dev), or do without "
                        "compressed data sets: -DDLC_USE_ZLIB=OFF")
  endif()
  add_library(dlc::zlib UNKNOWN IMPORTED GLOBAL)
  set_target_properties(dlc::zlib PROPERTIES
    IMPORTED_LOCATION ${DLC_ZLIB} INTERFACE_INCLUDE_DIRECTORIES ${DLC_ZLIB_INCLUDE_DIR})
endif()
# The linker's option for it, for command lines that CMake does not write.
set(DLC_ZLIB_FLAG "" CACHE INTERNAL "")
if(DLC_USE_ZLIB AND DLC_ZLIB MATCHES "libz\\.a$")
  set(DLC_ZLIB_FLAG -l:libz.a CACHE INTERNAL "")
elseif(DLC_USE_ZLIB)
  set(DLC_ZLIB_FLAG -lz CACHE INTERNAL "")
endif()

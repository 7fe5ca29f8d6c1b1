# dlc::zlib, which reads compressed data sets: the static library where there is one, so that a training
# program depends on nothing but the C library. Used by dlc's own build and by its installed package.
include_guard(GLOBAL)
find_library(DLC_ZLIB NAMES libz.a z REQUIRED)
find_path(DLC_ZLIB_INCLUDE_DIR zlib.h REQUIRED)
mark_as_advanced(DLC_ZLIB DLC_ZLIB_INCLUDE_DIR)
add_library(dlc::zlib UNKNOWN IMPORTED GLOBAL)
set_target_properties(dlc::zlib PROPERTIES
  IMPORTED_LOCATION ${DLC_ZLIB} INTERFACE_INCLUDE_DIRECTORIES ${DLC_ZLIB_INCLUDE_DIR})
# The linker's option for it, for command lines that CMake does not write.
set(DLC_ZLIB_FLAG -lz CACHE INTERNAL "")
if(DLC_ZLIB MATCHES "libz\\.a$")
  set(DLC_ZLIB_FLAG -l:libz.a CACHE INTERNAL "")
endif()

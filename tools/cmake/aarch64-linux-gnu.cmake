# A toolchain file: builds the runtime, and programs that link compiled models, for 64-bit ARM with Linux.
#   cmake -S . -B build-aarch64 -DDLC_BUILD_COMPILER=OFF -DCMAKE_TOOLCHAIN_FILE=tools/cmake/aarch64-linux-gnu.cmake
# It takes Debian's cross compiler (packages gcc-aarch64-linux-gnu and g++-aarch64-linux-gnu), which others call the
# same. -DDLC_CROSS_PREFIX=/path/bin/aarch64-linux-musl- names another.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(DLC_CROSS_PREFIX aarch64-linux-gnu- CACHE STRING "What the names of the cross compiler's programs begin with")
set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES DLC_CROSS_PREFIX)
set(CMAKE_C_COMPILER ${DLC_CROSS_PREFIX}gcc)
set(CMAKE_CXX_COMPILER ${DLC_CROSS_PREFIX}g++)

# Programs of this machine, libraries and headers of the other.
set(CMAKE_FIND_ROOT_PATH /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE BOTH)

# ctest runs what was built with an emulator of the instruction set, where there is one (package qemu-user).
find_program(DLC_QEMU_AARCH64 NAMES qemu-aarch64 qemu-aarch64-static)
mark_as_advanced(DLC_QEMU_AARCH64)
if(DLC_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR ${DLC_QEMU_AARCH64} -L /usr/aarch64-linux-gnu)
endif()

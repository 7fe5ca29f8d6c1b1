# GTest::gtest and GTest::gtest_main. Those of this machine are installed; for another one they are built from the
# sources that Debian's libgtest-dev brings. Where there are none DLC_HAS_GTEST is off, and tests that need them are
# not built.
include_guard(GLOBAL)
set(DLC_HAS_GTEST ON)
if(CMAKE_CROSSCOMPILING)
  set(DLC_GTEST_SOURCE /usr/src/googletest CACHE PATH "GoogleTest's sources, for tests on another machine")
  if(EXISTS ${DLC_GTEST_SOURCE}/CMakeLists.txt)
    set(BUILD_GMOCK OFF CACHE BOOL "" FORCE)
    set(INSTALL_GTEST OFF CACHE BOOL "" FORCE)
    add_subdirectory(${DLC_GTEST_SOURCE} ${CMAKE_BINARY_DIR}/googletest EXCLUDE_FROM_ALL)
  else()
    message(STATUS "No ${DLC_GTEST_SOURCE}: the runtime's unit tests are not built")
    set(DLC_HAS_GTEST OFF)
  endif()
else()
  find_package(GTest REQUIRED)
endif()

# What `cmake --install` puts where: dlc and the tools, the runtime with its headers, and how other
# projects find them: the CMake package dlc (find_package(dlc CONFIG)), and pkg-config's dlc-runtime, dlc-images,
# dlc-mpi and dlc-cpp.
include(CMakePackageConfigHelpers)
set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/dlc)

install(TARGETS dlc-runtime EXPORT dlc-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES runtime/include/dlc/runtime.h runtime/include/dlc/gpu.h runtime/include/dlc/init.h
        runtime/include/dlc/lbfgs.h runtime/include/dlc/schedules.h runtime/include/dlc/metrics.h runtime/include/dlc/logs.h
        runtime/include/dlc/data.h runtime/include/dlc/data.hpp runtime/include/dlc/abi.h
        runtime/include/dlc/preprocessing.h runtime/include/dlc/preprocessing.hpp
        runtime/include/dlc/shards.h runtime/include/dlc/collectives.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dlc)
if(TARGET dlc-images)
  install(TARGETS dlc-images EXPORT dlc-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES runtime/include/dlc/images.h runtime/include/dlc/images.hpp
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dlc)
endif()
if(TARGET dlc-mpi)
  install(TARGETS dlc-mpi EXPORT dlc-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(FILES runtime/mpi/include/dlc/mpi.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/dlc)
endif()
if(DLC_BUILD_COMPILER)
  # LLVM's libraries lie in a folder of their own, where the loader does not look.
  set_target_properties(dlc dlc-opt dlc-interpret-tool dlc-cpp PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
  # What loads LLVM's libraries is in a component of its own: a package has others in its place (tools/package).
  install(TARGETS dlc dlc-interpret-tool RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT shared-llvm)
  # Models as C++ programs: headers, library, and what runs them for dlc compile.
  file(RELATIVE_PATH libraries /${CMAKE_INSTALL_BINDIR} /${CMAKE_INSTALL_LIBDIR})
  set_target_properties(dlc-describe PROPERTIES INSTALL_RPATH "$ORIGIN/${libraries}")
  install(TARGETS dlc-cpp EXPORT dlc-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared-llvm)
  install(TARGETS dlc-describe RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(DIRECTORY frontends/cpp/include/dlc DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
  # For work on dlc itself. tools/quickstart.sh does not build it; it is installed if it was built.
  install(TARGETS dlc-opt RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT shared-llvm OPTIONAL)
  # For users of PyTorch, and dlc check --against.
  install(PROGRAMS tools/export/from_pytorch.py tools/export/check_against.py
          DESTINATION ${CMAKE_INSTALL_DATADIR}/dlc)
  install(DIRECTORY tools/export/dlc_export DESTINATION ${CMAKE_INSTALL_DATADIR}/dlc
          FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)
endif()
install(EXPORT dlc-targets NAMESPACE dlc:: DESTINATION ${package_folder})

configure_package_config_file(tools/cmake/dlc-config.cmake.in ${CMAKE_BINARY_DIR}/package/dlc-config.cmake
                              INSTALL_DESTINATION ${package_folder} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_LIBDIR)
# While the version is 0.x, any minor version may change the API.
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/dlc-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/dlc-config.cmake
              ${CMAKE_BINARY_DIR}/package/dlc-config-version.cmake
              tools/cmake/DlcTrainingLibrary.cmake tools/cmake/aarch64-linux-gnu.cmake
        DESTINATION ${package_folder})

# The folder of a .pc file relative to its own keeps it right wherever the tree is moved.
file(RELATIVE_PATH DLC_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" DLC_PC_PREFIX "${DLC_PC_PREFIX}")
foreach(library runtime images mpi cpp) # as dlc::<library> of CMake
  if(TARGET dlc-${library})
    configure_file(tools/cmake/dlc-${library}.pc.in ${CMAKE_BINARY_DIR}/package/dlc-${library}.pc @ONLY)
    install(FILES ${CMAKE_BINARY_DIR}/package/dlc-${library}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
  endif()
endforeach()

# The documentation in the same folders as in the sources, so that its links hold; the examples, which are projects
# of their own; and the data that they read.
install(FILES LICENSE README.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs DESTINATION ${CMAKE_INSTALL_DOCDIR}
        REGEX "docs(/examples)?/CMakeLists\\.txt$" EXCLUDE REGEX "docs/site$" EXCLUDE PATTERN __pycache__ EXCLUDE)

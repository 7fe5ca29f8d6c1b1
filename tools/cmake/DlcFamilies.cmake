# Operations come in families. A family of nn is a file dialects/nn/<Family>Ops.td; what other folders know about its
# operations is in files of its name. The lists of families in the code are made here, from these files: whoever adds
# a family adds files, and enters it nowhere.
file(GLOB texts RELATIVE ${CMAKE_SOURCE_DIR}/dialects/nn CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/dialects/nn/*Ops.td)
list(REMOVE_ITEM texts NNOps.td)
list(TRANSFORM texts REPLACE "Ops\\.td$" "" OUTPUT_VARIABLE DLC_NN_FAMILIES)
# Of the dialect train: updates of parameters, element by element, or by norms and products; what says something of
# gradients.
set(DLC_FAMILIES ${DLC_NN_FAMILIES} Optimizer TensorOptimizer Gradient)

# dlc_list_files(<output> <glob> <prefix>): writes the header <output> to the build folder, with a line `FAMILY(Pool)` for
# the file <prefix>Pool.cpp of <glob>, if Pool is one of the names that follow, or no names follow.
function(dlc_list_files output glob prefix)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${glob})
  set(wanted ${ARGN})
  set(lines "// Made by CMake of ${glob}: see tools/cmake/DlcFamilies.cmake.\n")
  foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    string(LENGTH "${prefix}" length)
    string(FIND "${name}" "${prefix}" begin)
    if(begin EQUAL 0 OR length EQUAL 0)
      string(SUBSTRING "${name}" ${length} -1 family)
      list(FIND wanted "${family}" place)
      if(NOT wanted OR place GREATER_EQUAL 0)
        string(APPEND lines "FAMILY(${family})\n")
      endif()
    endif()
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${output} CONTENT "${lines}#undef FAMILY\n" @ONLY)
endfunction()

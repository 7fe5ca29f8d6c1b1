# dlc_add_trajectory(TARGET NAME [MODEL file] [options of dlc compile]): a program that trains the stored model NAME, or
# the same one in another file, and compares it with PyTorch (README.md). Used here and in builds for other machines.
include_guard(GLOBAL)
include(DlcTrainingLibrary)

# nlohmann-json is headers only. In a folder of their own: /usr/include is not for another machine.
find_path(DLC_JSON_INCLUDE nlohmann/json.hpp PATHS /usr/include REQUIRED NO_CMAKE_FIND_ROOT_PATH)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/json)
file(CREATE_LINK ${DLC_JSON_INCLUDE}/nlohmann ${CMAKE_BINARY_DIR}/json/nlohmann SYMBOLIC)

function(dlc_add_trajectory target name)
  cmake_parse_arguments(PARSE_ARGV 2 ARG "" "MODEL" "")
  set(folder ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  set(source ${folder}/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${source}.json)
  file(READ ${source}.json description)
  string(JSON batch GET "${description}" batch)
  string(JSON count LENGTH "${description}" options)
  math(EXPR last "${count} - 1")
  set(options "")
  foreach(i RANGE ${last})
    string(JSON option GET "${description}" options ${i})
    list(APPEND options ${option})
  endforeach()

  # Large models are not stored.
  set(model ${source}.onnx)
  if(ARG_MODEL) # a C++ program says its training itself
    set(model ${ARG_MODEL})
    set(options "")
  elseif(NOT EXISTS ${model})
    set(model ${CMAKE_CURRENT_BINARY_DIR}/${name}.onnx)
    file(GLOB writers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/examples/models/*.py)
    add_custom_command(OUTPUT ${model} COMMAND python3 ${folder}/generated.py ${name} ${model}
      DEPENDS ${folder}/generated.py ${writers} VERBATIM)
  endif()
  dlc_add_training_library(${target}-model MODEL ${model} NAME ${name} BATCH ${batch} OPTIONS ${options} ${ARG_UNPARSED_ARGUMENTS})
  add_executable(${target} ${folder}/trajectory.cpp)
  string(TOUPPER ${name} prefix)
  target_compile_definitions(${target} PRIVATE MODEL=${name} HEADER="${name}.h" WEIGHTS=${prefix}_WEIGHTS)
  string(JSON mask ERROR_VARIABLE none GET "${description}" mask)
  if(mask)
    target_compile_definitions(${target} PRIVATE HAS_MASK)
  endif()
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
  target_include_directories(${target} SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/json)
  target_link_libraries(${target} PRIVATE ${target}-model)
endfunction()

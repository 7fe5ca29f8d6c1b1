# dlc_add_training_library: compiles a model to a training-step library as part of the build.
# Used by this project's own examples and, installed, by everyone who says find_package(dlc CONFIG).
#
#   dlc_add_training_library(<target> MODEL <file>   .onnx, .mlir, or .cpp: a C++ program that describes the model
#     [NAME <id>]          prefix of the C functions; default: the model's file name without extension
#     [LOSS <loss>]        e.g. softmax-cross-entropy; without it only prediction is compiled
#     [OPTIMIZER <name>]   e.g. adam
#     [BATCH <rows>]       rows of a training batch
#     [EMBED_WEIGHTS]      put the initial parameters into the library instead of a file beside it
#     [OPTIONS <...>]      further options of `dlc compile`, e.g. --lr=1e-3 --cpu=x86-64-v3
#     [DEPENDS <...>]      further files that the model consists of (external data, class weights))
#
# In a build with a toolchain file for another machine (CMAKE_CROSSCOMPILING), or with a compiler for musl, the library
# is compiled for that machine (dlc_machine, below), unless OPTIONS has a --triple.
#
# <target> can be linked like any library; a shared library that links it exports nothing of it. It brings the include folder with <id>.h and dlc::runtime.
# Without EMBED_WEIGHTS it also defines <ID>_WEIGHTS, the path of the initial parameters for the
# weights_path of dlc_create_options. The files lie in the folder <target> of the current build folder.
include_guard(GLOBAL)

# dlc_machine(<result>): the machine that this build is for, as dlc calls it: x86_64-linux-gnu, x86_64-linux-musl,
# aarch64-linux-gnu or aarch64-linux-musl. What is built for musl is known by the compiler's name or target.
function(dlc_machine result)
  string(TOLOWER "${CMAKE_SYSTEM_PROCESSOR}" architecture)
  if(architecture MATCHES "^(aarch64|arm64)$")
    set(architecture aarch64)
  elseif(architecture MATCHES "^(x86_64|amd64|x64)$")
    set(architecture x86_64)
  endif()
  set(libc gnu)
  if("${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER} ${CMAKE_C_COMPILER_TARGET} ${CMAKE_CXX_COMPILER_TARGET} \
${CMAKE_LIBRARY_ARCHITECTURE}" MATCHES "musl")
    set(libc musl)
  endif()
  set(${result} ${architecture}-linux-${libc} PARENT_SCOPE)
endfunction()

function(dlc_add_training_library target)
  cmake_parse_arguments(PARSE_ARGV 1 ARG "EMBED_WEIGHTS" "MODEL;NAME;LOSS;OPTIMIZER;BATCH" "OPTIONS;DEPENDS")
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "dlc_add_training_library(${target}): unknown argument ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT ARG_MODEL)
    message(FATAL_ERROR "dlc_add_training_library(${target}): expected MODEL <file>")
  endif()
  get_filename_component(model "${ARG_MODEL}" ABSOLUTE)
  if(NOT ARG_NAME)
    get_filename_component(stem "${ARG_MODEL}" NAME_WE)
    string(MAKE_C_IDENTIFIER "${stem}" ARG_NAME)
  endif()

  set(options "--name=${ARG_NAME}")
  foreach(option LOSS OPTIMIZER BATCH)
    if(DEFINED ARG_${option})
      string(TOLOWER "${option}" flag)
      list(APPEND options "--${flag}=${ARG_${option}}")
    endif()
  endforeach()
  if(ARG_EMBED_WEIGHTS)
    list(APPEND options --embed-weights)
  endif()
  # A toolchain file says for which machine, or a compiler for another C library.
  dlc_machine(machine)
  if((CMAKE_CROSSCOMPILING OR machine MATCHES "musl$") AND NOT "${ARG_OPTIONS}" MATCHES "--triple")
    list(APPEND options --triple=${machine})
  endif()
  list(APPEND options ${ARG_OPTIONS})

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}")
  file(MAKE_DIRECTORY "${folder}") # an include folder must exist when the build is configured
  set(library "${folder}/lib${ARG_NAME}.a")
  set(outputs "${library}" "${folder}/${ARG_NAME}.h" "${folder}/${ARG_NAME}.json")
  if(NOT ARG_EMBED_WEIGHTS)
    list(APPEND outputs "${folder}/${ARG_NAME}.safetensors")
  endif()

  # In dlc's own build the compiler is the target dlc, in others the imported dlc::dlc.
  set(compiler dlc)
  if(TARGET dlc::dlc)
    set(compiler dlc::dlc)
  endif()
  # Relative paths in DEPENDS and OPTIONS mean the folder of the CMakeLists.txt that wrote them.
  add_custom_command(
    OUTPUT ${outputs}
    COMMAND "$<TARGET_FILE:${compiler}>" compile "${model}" -o "${folder}" ${options}
    DEPENDS "${model}" "$<TARGET_FILE:${compiler}>" ${ARG_DEPENDS}
    WORKING_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}"
    COMMENT "Compiling ${ARG_MODEL} to a training-step library"
    VERBATIM)
  add_custom_target(${target}-files DEPENDS ${outputs})

  add_library(${target} STATIC IMPORTED GLOBAL)
  add_dependencies(${target} ${target}-files)
  set_target_properties(${target} PROPERTIES
    IMPORTED_LOCATION "${library}"
    INTERFACE_INCLUDE_DIRECTORIES "${folder}"
    INTERFACE_LINK_LIBRARIES dlc::runtime
    # A plugin that links the model keeps its functions and the runtime's to itself: another one in the same process may
    # have other versions of them.
    INTERFACE_LINK_OPTIONS "LINKER:--exclude-libs=lib${ARG_NAME}.a:libdlc-runtime.a")
  if(NOT ARG_EMBED_WEIGHTS)
    string(TOUPPER "${ARG_NAME}" prefix)
    set_property(TARGET ${target} APPEND PROPERTY
      INTERFACE_COMPILE_DEFINITIONS "${prefix}_WEIGHTS=\"${folder}/${ARG_NAME}.safetensors\"")
  endif()
endfunction()

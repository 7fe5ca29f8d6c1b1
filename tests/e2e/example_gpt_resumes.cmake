# The GPT example, interrupted in the middle and resumed, ends with the same state and writes the same text.
# cmake -DPROGRAM=gpt -P example_gpt_resumes.cmake
function(run out)
  execute_process(COMMAND ${PROGRAM} --tokens resumed.tokens --warmup 2 --sample 30 ${ARGN} OUTPUT_VARIABLE text
                  COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX REPLACE "step [^\n]*\n" "" text "${text}") # the losses of the part that was trained, and times
  set(${out} "${text}" PARENT_SCOPE)
endfunction()
run(whole --steps 6 --save whole.gpt)
run(ignored --steps 6 --stop 3 --save half.gpt)
run(resumed --steps 6 --resume half.gpt --save resumed.gpt)
if(whole STREQUAL "" OR NOT whole STREQUAL resumed)
  message(FATAL_ERROR "interrupted training writes another text:\n${whole}\n---\n${resumed}")
endif()
execute_process(COMMAND ${CMAKE_COMMAND} -E compare_files whole.gpt resumed.gpt COMMAND_ERROR_IS_FATAL ANY)

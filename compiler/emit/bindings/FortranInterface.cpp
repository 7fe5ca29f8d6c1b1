//===- FortranInterface.cpp - how Fortran declares the functions of C -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/FortranText.h"
#include "compiler/emit/bindings/FortranWriter.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace fortran;

void Fortran::writeInterface() {
  auto declare = [&](const std::string &function, const std::string &arguments,
                     const std::string &declarations, StringRef result = "integer(c_int)") {
    add("    function dlc_c_@function@(model@arguments@) bind(C, name='@model@_@function@') result(status)\n "
        "     import\n"
        "      type(c_ptr), value :: model\n@declarations@      @result@ :: status\n    end function\n",
        {{"function", function},
         {"arguments", arguments},
         {"declarations", declarations},
         {"result", result.str()}});
  };
  const std::string byValue = "      type(c_ptr), value :: ",
                    size = "      integer(c_size_t), value :: bytes\n";
  add("  interface\n    function dlc_c_create_checked(abi, print, options, model) bind(C, "
      "name='@model@_create_checked') "
      "result(status)\n      import\n      integer(c_int32_t), value :: abi\n      integer(c_int64_t), value "
      ":: print\n"
      "      type(c_ptr), value :: options\n      type(c_ptr), intent(out) :: model\n      integer(c_int) :: "
      "status\n"
      "    end function\n    subroutine dlc_c_destroy(model) bind(C, name='@model@_destroy')\n      import\n"
      "      type(c_ptr), value :: model\n    end subroutine\n    function strlen(text) bind(C) "
      "result(length)\n      import\n"
      "      type(c_ptr), value :: text\n      integer(c_size_t) :: length\n    end function\n");
  declare("last_error", "", "", "type(c_ptr)");
  declare("last_remark", "", "", "type(c_ptr)");
  for (const char *function : {"save_to_memory", "save_weights_to_memory"})
    declare(function, ", buffer, bytes, needed",
            byValue + "buffer\n" + size + "      integer(c_size_t), intent(out) :: needed\n");
  declare("load_from_memory", ", buffer, bytes", byValue + "buffer\n" + size);
  declare("copy_state", ", from", byValue + "from\n");
  declare("extra_count", "", "", "integer(c_int64_t)");
  declare("extra_name", ", index, entry, is_number",
          "      integer(c_int64_t), value :: index\n      type(c_ptr), intent(out) :: entry\n"
          "      integer(c_int32_t), intent(out) :: is_number\n");
  for (StringRef what : {"parameter", "gradient"})
    for (StringRef verb : {"_read", "_write"})
      if (what == "parameter" || interface.hasLoss)
        declare((what + verb).str(), ", name, buffer, bytes", byValue + "name, buffer\n" + size);
  const std::string real = "      real(c_double), intent(out) :: number\n",
                    single = "      real(c_float), intent(out) :: loss\n";
  if (interface.hasLoss) {
    declare("step_count", "", "", "integer(c_int64_t)");
    declare(
        "train_step_continue", ", microseconds, done",
        "      integer(c_int64_t), value :: microseconds\n      integer(c_int32_t), intent(out) :: done\n");
  }
  for (const Function &function : model.functions) {
    std::string arguments, declarations;
    for (const Value &value : function.values) {
      const bool isArray = value.kind == Taken::Values || value.kind == Taken::Place;
      arguments += ", " + value.name + (isArray ? ", count" : "");
      declarations += value.kind == Taken::Number  ? "      integer(c_int64_t), value :: " + value.name + "\n"
                      : value.kind == Taken::Real  ? "      real(c_double), value :: " + value.name + "\n"
                      : value.kind == Taken::Truth ? "      integer(c_int32_t), value :: " + value.name + "\n"
                                                   : byValue + value.name + "\n";
      declarations += isArray ? "      integer(c_int64_t), value :: count\n" : "";
    }
    if (!function.ofResult.empty()) {
      arguments += ", " + function.ofResult;
      declarations += "      " + typeOfResult(function) + ", intent(out) :: " + function.ofResult + "\n";
    }
    declare(function.name, arguments, declarations);
  }
  for (const StateInterface *state : model.hyperparameters) {
    declare("set_" + state->name, ", number", "      real(c_double), value :: number\n");
    declare("get_" + state->name, ", number", real);
  }
  for (const Step &step : model.steps) {
    std::string arguments, declarations;
    auto append = [&](StringRef declaration, const std::string &argument) {
      arguments += ", " + argument;
      declarations += ("      " + declaration + ", value :: " + argument + "\n").str();
    };
    for (size_t i = 0, count = numbersOf(step).size(); i < count; ++i)
      append("integer(c_int64_t)", "size" + std::to_string(i));
    for (size_t i = 0; i < step.arguments.size(); ++i)
      append("type(c_ptr)", "tensor" + std::to_string(i));
    if (step.result != Result::Nothing) {
      arguments += step.result == Result::Loss ? ", loss" : ", metrics";
      declarations += step.result == Result::Loss
                          ? single
                          : "      type(" + values.back().second + "_metrics), intent(out) :: metrics\n";
    }
    declare(step.name, arguments, declarations);
  }
  text += "  end interface\n\n";
}

} // namespace dlc::emit::bindings

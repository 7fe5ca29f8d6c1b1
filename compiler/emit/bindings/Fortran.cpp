//===- Fortran.cpp - a compiled model as a module of Fortran ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/EntryPatterns.h"
#include "compiler/emit/bindings/FortranPatterns.h"
#include "compiler/emit/bindings/FortranText.h"
#include "compiler/emit/bindings/FortranWriter.h"
#include "compiler/emit/bindings/Languages.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace fortran;

namespace {

// Fortran has no words that are taken, but what a procedure refers to, none of its arguments can be called.
const NameRules rules{
    "self loss metrics rows stat errmsg status copies keep kept storage_size size move_alloc c_loc c_float "
    "c_double c_int8_t c_int16_t c_int32_t c_int64_t "
    "c_bool c_ptr shape int wrong_shape wrong_size raise "
    "dlc_c_train_step dlc_c_grad_step dlc_c_accumulate dlc_c_train_step_n dlc_c_grad_step_n "
    "dlc_c_accumulate_n dlc_c_eval_step dlc_c_predict dlc_c_vjp dlc_c_jvp dlc_c_hvp dlc_c_train_step_begin "
    "dlc_c_train_step_begin_n dlc_c_jacobian",
    "t", /*foldsCase=*/true, /*longest=*/60};

/// The names that a module must not have, because something in it has them.
const NameRules moduleRules{
    "create destroy finish refuse_copy last_remark train_step grad_step accumulate "
    "train_step_n grad_step_n accumulate_n "
    "train_step_begin train_step_begin_n train_step_continue parameters_read_all "
    "parameters_write_all gradients_read_all gradients_write_all vjp jvp hvp jacobian keep "
    "kept_bytes eval_step predict apply sync grad_norm step_count set_seed use_average save "
    "save_weights load save_to_memory step_metrics extra_write_number extra_write_text "
    "extra_read_number extra_read_text extra_remove extra_count extra_name "
    "save_weights_to_memory load_from_memory copy_state wrong_shape wrong_size "
    "wrong_text raise check text_of known "
    "keep_bytes iso_c_binding c_options strlen",
    "m", /*foldsCase=*/true, /*longest=*/40};

} // namespace

Fortran::Fortran(const Description &model) : Writer(model, rules) {}

std::map<std::string, std::vector<std::string>> Fortran::specifics() const {
  std::map<std::string, std::vector<std::string>> result;
  for (const std::string &dtype : model.dtypes)
    result[typeOf(dtype).str()].push_back(dtype);
  return result;
}

void Fortran::writeConstants() {
  if (interface.batch)
    add("  integer, parameter, public :: @module@_batch = @batch@ ! rows of a full batch\n");
  Names constants(rules);
  for (const DimInterface &dim : interface.openDims)
    add("  ! The largest size of '@dim@'.\n  integer, parameter, public :: @module@_@constant@ = @bound@\n",
        {{"constant", constants.unique(StringRef(constantOf(dim, interface)).lower())},
         {"bound", std::to_string(dim.bound)},
         {"dim", inAnyComment(dim.name)}});
  text += "  ! What stat may be, but 0.\n";
  for (const Status &status : Description::statuses())
    add("  integer, parameter, public :: @module@_@name@ = @number@ ! @about@\n",
        {{"name", status.name}, {"number", std::to_string(status.number)}, {"about", status.about}});
  add(commonTypes, {{"hexadecimal", utohexstr(interface.fingerprint(), true)}});
}

void Fortran::writeType() {
  if (interface.hasLoss)
    add("  type :: kept_bytes\n    integer(c_int8_t), allocatable :: bytes(:)\n  end type\n\n");
  add("  ! A model with its state: create it first.\n  type :: @module@_model\n    private\n"
      "    type(c_ptr) :: handle = c_null_ptr\n@kept@  contains\n",
      {{"kept",
        interface.hasLoss
            ? "    type(kept_bytes), allocatable :: kept(:) ! copies of the inputs of a step in slices\n"
            : ""}});
  auto bind = [&](StringRef procedure) { text += "    procedure :: " + procedure.str() + "\n"; };
  for (const char *procedure :
       {"create", "destroy", "last_remark", "save_to_memory", "save_weights_to_memory", "load_from_memory",
        "copy_state", "extra_remove", "extra_count", "extra_name"})
    bind(procedure);
  for (const Step &step : model.steps)
    bind(step.name);
  for (const Function &function : model.functions)
    bind(function.name);
  if (interface.hasLoss)
    for (const char *procedure : {"step_count", "train_step_continue"})
      bind(procedure);
  for (const StateInterface *state : model.hyperparameters) {
    bind("set_" + state->name);
    bind("get_" + state->name);
  }
  std::vector<StringRef> kinds{"parameter"};
  if (interface.hasLoss)
    kinds.push_back("gradient");
  for (StringRef what : kinds)
    for (StringRef verb : {"read", "write"}) {
      std::vector<std::string> all;
      for (const auto &[type, dtypes] : specifics())
        all.push_back((verb + "_" + what + "_" + dtypes.front()).str());
      if (all.empty())
        continue;
      text += "    procedure, private :: " + joined(all) + "\n    generic :: " + (verb + "_" + what).str() +
              " => " + joined(all) + "\n";
    }
  text += "    procedure, private :: refuse_copy\n    generic :: assignment(=) => refuse_copy\n    final :: "
          "finish\n  end type\n\n";
}

void Fortran::writeTable() {
  add("  ! Parameter or buffer number index, from 1 to @module@_parameter_count.\n"
      "  function @module@_parameter_at(index) result(info)\n    integer, intent(in) :: index\n"
      "    type(@module@_parameter) :: info\n    select case (index)\n");
  std::vector<const StateInterface *> all = model.parameters;
  if (model.gradientWeight)
    all.push_back(model.gradientWeight);
  for (const auto &[index, state] : enumerate(all)) {
    std::string extents;
    for (int64_t bound : llvm::reverse(state->bounds))
      extents += (extents.empty() ? " " : ", ") + std::to_string(bound) + "_c_int64_t";
    auto truth = [](bool value) { return std::string(value ? ".true." : ".false."); };
    text += "    case (" + std::to_string(index + 1) + ")\n      info%name = " + quoted(state->name) +
            "\n      info%dtype = " + values.back().second + "_" + state->dtype +
            "\n      allocate (info%extents, source=[integer(c_int64_t) ::" + extents +
            "])\n      info%trainable = " + truth(state->trainable) +
            "\n      info%buffer = " + truth(state->kind == train::StateKind::Buffer) + "\n";
  }
  text += "    end select\n  end function\n\n";
}

void Fortran::writeMemory() {
  add(toMemory, {{"function", "save_to_memory"}, {"about", "The bytes that save would write."}});
  add(toMemory,
      {{"function", "save_weights_to_memory"}, {"about", "The bytes that save_weights would write."}});
  add(fromMemory);
}

void Fortran::writeOne(StringRef function, StringRef about, StringRef argument, StringRef declaration,
                       StringRef passed) {
  add(result,
      {{"function", function.str()},
       {"about", about.str()},
       {"argument", argument.empty() ? "" : (", " + argument).str()},
       {"declaration", declaration.empty() ? "" : ("    " + declaration + " :: " + argument + "\n").str()},
       {"passed", argument.empty() ? "" : (", " + (passed.empty() ? argument : passed)).str()}});
}

void Fortran::writeSettings() {
  add("  ! Updates of the parameters so far.\n  function step_count(self) result(count)\n"
      "    class(@module@_model), intent(in) :: self\n    integer(c_int64_t) :: count\n"
      "    count = dlc_c_step_count(self%handle)\n  end function\n\n");
  add(slices);
  for (const StateInterface *state : model.hyperparameters) {
    writeOne("set_" + state->name, rangeOf(*state), "value", "real(c_double), intent(in)");
    writeOne("get_" + state->name, "The present value.", "value", "real(c_double), intent(out)");
  }
}

void Fortran::writeNamed(StringRef what) {
  for (const auto &[type, dtypes] : specifics())
    for (bool reads : {true, false}) {
      std::vector<std::string> numbers;
      for (const std::string &dtype : dtypes)
        numbers.push_back(values.back().second + "_" + dtype);
      add(named, {{"what", what.str()},
                  {"verb", reads ? "read" : "write"},
                  {"about", reads ? "Copies" : "Sets"},
                  {"intent", reads ? "inout" : "in"},
                  {"suffix", dtypes.front()},
                  {"type", type},
                  {"dtypes", joined(numbers)},
                  {"gradients", what == "gradient" ? ".true." : ".false."},
                  {"bytes", StringSwitch<const char *>(dtypes.front())
                                .Cases({"f64", "i64"}, "8")
                                .Cases({"f32", "i32"}, "4")
                                .Cases({"bf16", "f16"}, "2")
                                .Default("1")}});
    }
}

void Fortran::writeStep(const Step &step) {
  for (const std::string &line : about(step))
    text += "  ! " + inAnyComment(line) + "\n";
  constexpr size_t mostDimensions = 15;
  std::string arguments, declarations, checks, copies, passed;
  size_t count = 0;
  for (const Size &size : sizes(step)) {
    arguments += ", " + size.name;
    declarations += "    integer, intent(in) :: " + size.name + "\n";
    checks += "    if (wrong_size('" + step.name + "', '" + size.name + "', " + size.name + ", " +
              std::to_string(size.largest) + "_c_int64_t, stat, errmsg)) return\n";
  }
  for (const Number &number : numbersOf(step))
    passed +=
        ", " + (number.name.empty() ? number.literal + "_c_int64_t" : "int(" + number.name + ", c_int64_t)");
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    std::vector<std::string> shape;
    for (const std::string &extent : reversed(extents(*argument.tensor, step)))
      shape.push_back(wide(extent));
    if (shape.size() > mostDimensions) // more have no array of Fortran: one dimension with all elements
      shape = {joined(shape, " * ")};
    std::string dimensions;
    for (size_t i = 0; i < shape.size(); ++i)
      dimensions += i ? ", :" : ":";
    if (!shape.empty())
      text += "  ! In Fortran: " + local + "(" + joined(reversed(extents(*argument.tensor, step))) + ")\n";
    arguments += ", " + local;
    declarations += "    " + typeOf(argument.tensor->dtype).str() + (shape.empty() ? "" : ", contiguous") +
                    ", target, intent(" + (argument.isOutput ? "inout" : "in") + ") :: " + local +
                    (shape.empty() ? "" : "(" + dimensions + ")") + "\n";
    if (!shape.empty())
      checks += "    if (wrong_shape('" + step.name + "', " + quoted(argument.tensor->name) + ", shape(" +
                local + ", kind=c_int64_t), [" + joined(shape) + "], stat, errmsg)) return\n";
    if (!step.keepsInputs) {
      passed += ", c_loc(" + local + ")";
      continue;
    }
    const std::string copy = "copies(" + std::to_string(++count) + ")";
    copies += "    call keep(" + copy + ", c_loc(" + local + "), " +
              (shape.empty() ? "" : "size(" + local + ", kind=c_int64_t) * ") + "(storage_size(" + local +
              ", kind=c_int64_t) / 8))\n";
    passed += ", c_loc(" + copy + "%bytes)";
  }
  if (step.result != Result::Nothing) {
    const std::string variable = by(step.result, "loss", "metrics", "");
    arguments += ", " + variable;
    passed += ", " + variable;
    declarations += by(step.result, "    real(c_float), intent(out) :: loss\n",
                       "    type(" + values.back().second + "_metrics), intent(out) :: metrics\n", "");
  }
  const Values all = {{"step", step.name}, {"arguments", arguments}, {"declarations", declarations},
                      {"checks", checks},  {"copies", copies},       {"count", std::to_string(count)},
                      {"passed", passed}};
  add(procedure, all);
  add(step.keepsInputs ? keeping : calling, all);
}

void Fortran::writeFunction(const Function &function) {
  for (const std::string &line : about(function))
    text += "  ! " + line + "\n";
  std::string arguments, declarations, locals, checks, passed;
  for (const Value &value : function.values) {
    arguments += ", " + value.name;
    switch (value.kind) {
    case Taken::Path:
    case Taken::Text:
      declarations += "    character(len=*), intent(in) :: " + value.name + "\n";
      locals += "    character(kind=c_char, len=:), allocatable, target :: c_" + value.name + "\n";
      checks += "    if (wrong_text('the " + value.name + "', " + value.name +
                ", stat, errmsg)) return\n    c_" + value.name + " = " + value.name + "//c_null_char\n";
      passed += ", c_loc(c_" + value.name + ")";
      break;
    case Taken::Real:
    case Taken::Number:
      declarations += std::string("    ") +
                      (value.kind == Taken::Real ? "real(c_double)" : "integer(c_int64_t)") +
                      ", intent(in) :: " + value.name + "\n";
      passed += ", " + value.name;
      break;
    case Taken::Truth:
      declarations += "    logical, intent(in) :: " + value.name + "\n";
      passed += ", merge(1_c_int32_t, 0_c_int32_t, " + value.name + ")";
      break;
    case Taken::Values:
    case Taken::Place:
      declarations += "    " + typeOf(model.all.dtype).str() + ", contiguous, target, intent(" +
                      (value.kind == Taken::Place ? "inout" : "in") + ") :: values(:)\n";
      checks += "    if (wrong_shape('" + function.name +
                "', 'values', shape(values, kind=c_int64_t), &\n      [int(" +
                countOf(function, "merge(@, #, trainable_only)") + ", c_int64_t)], stat, errmsg)) return\n";
      passed += ", c_loc(values), size(values, kind=c_int64_t)";
      break;
    }
  }
  const bool givesText = function.result == "text";
  if (!function.ofResult.empty()) {
    arguments += ", " + function.ofResult;
    declarations += "    " + (givesText ? "character(len=:), allocatable" : typeOfResult(function)) +
                    ", intent(out) :: " + function.ofResult + "\n";
    passed += ", " + (givesText ? "found" : function.ofResult);
  }
  const Values all = {{"step", function.name},
                      {"arguments", arguments},
                      {"declarations", declarations},
                      {"passed", passed},
                      {"locals", locals},
                      {"checks", givesText ? checks : locals + checks},
                      {"content", function.ofResult}};
  add(procedure, all);
  add(givesText ? reading : calling, all);
}

std::string Fortran::typeOfResult(const Function &function) const {
  return by(function, "type(c_ptr)", "type(" + values.back().second + "_metrics)",
            typeOf(function.result).str());
}

std::string Fortran::write() {
  auto number = [](StringRef name) {
    return std::to_string(llvm::find_if(Description::statuses(), [&](const Status &status) {
                            return status.name == name;
                          })->number);
  };
  values.push_back({"invalid", number("invalid_argument")});
  values.push_back({"not found", number("not_found")});
  values.push_back({"weights of gradients", model.gradientWeight ? "1" : "0"});
  values.push_back({"module", Names(moduleRules).unique(name)}); // the last one, which values.back() is
  add(preamble);
  add("  integer, parameter :: @module@_parameter_count = @count@ ! parameters and buffers\n",
      {{"count", std::to_string(model.parameters.size())}});
  writeConstants();
  if (interface.hasLoss)
    add(metricsType);
  writeType();
  writeInterface();
  add(helpers);
  writeTable();
  add(life);
  for (const Step &step : model.steps)
    writeStep(step);
  for (const Function &function : model.functions)
    writeFunction(function);
  if (interface.hasLoss)
    writeSettings();
  writeMemory();
  add(entries);
  writeNamed("parameter");
  if (interface.hasLoss)
    writeNamed("gradient");
  add("end module\n");
  return wrapped(text);
}

File writeFortran(const Description &model) {
  return {model.interface.name + ".f90", Fortran(model).write()};
}

} // namespace dlc::emit::bindings

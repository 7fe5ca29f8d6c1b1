//===- Fortran.cpp - a compiled model as a module of Fortran ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/FortranPatterns.h"
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace fortran;

namespace {

// Fortran has no words that are taken, but what a procedure refers to, none of its arguments can be called.
const NameRules rules{
    "self loss metrics rows stat errmsg status c_loc c_float c_double c_int8_t c_int16_t c_int32_t c_int64_t "
    "c_bool c_ptr shape int wrong_shape wrong_size raise "
    "dlc_c_train_step dlc_c_grad_step dlc_c_accumulate dlc_c_train_step_n dlc_c_grad_step_n "
    "dlc_c_accumulate_n dlc_c_eval_step dlc_c_predict",
    "t", /*foldsCase=*/true, /*longest=*/60};

/// Of modules: everything that one has has another name.
const NameRules moduleRules{"create destroy finish refuse_copy last_remark train_step grad_step accumulate "
                            "train_step_n grad_step_n accumulate_n "
                            "eval_step predict apply sync grad_norm step_count set_seed use_average save "
                            "save_weights load save_to_memory "
                            "save_weights_to_memory load_from_memory copy_state wrong_shape wrong_size "
                            "wrong_text raise check text_of known "
                            "keep_bytes iso_c_binding c_options strlen",
                            "m", /*foldsCase=*/true, /*longest=*/40};

StringRef typeOf(StringRef dtype) {
  return StringSwitch<StringRef>(dtype)
      .Case("f32", "real(c_float)")
      .Case("f64", "real(c_double)")
      .Case("i32", "integer(c_int32_t)")
      .Case("i64", "integer(c_int64_t)")
      .Cases({"bf16", "f16"}, "integer(c_int16_t)")
      .Default("logical(c_bool)");
}

std::string quoted(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\''    ? "''"
              : isPrint(c) ? std::string(1, c)
                           : "'//char(" + std::to_string(uint8_t(c)) + ")//'";
  return result + "'";
}

/// Where a comment begins, which is not inside of a text.
size_t commentOf(StringRef line) {
  bool isText = false;
  for (size_t i = 0; i < line.size(); ++i) {
    isText ^= line[i] == '\'';
    if (line[i] == '!' && !isText)
      return i;
  }
  return line.size();
}

/// No line may be longer than 132 characters; a line can go on anywhere, if & ends it and begins the next. A
/// comment behind a longer one stands before it.
std::string wrapped(StringRef text) {
  constexpr size_t longest = 130;
  std::string result;
  auto add = [&](StringRef line, const char *next) {
    for (; line.size() > longest; line = line.drop_front(longest))
      result += line.take_front(longest).str() + next;
    result += line.str() + "\n";
  };
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    const size_t comment = line.size() > longest ? commentOf(line) : line.size();
    if (comment < line.size())
      add(line.drop_front(comment), "\n! ");
    StringRef code = line.take_front(comment).rtrim();
    if (!code.empty() || comment == line.size())
      add(code, "&\n&");
  }
  return result;
}

class Fortran : Writer {
public:
  explicit Fortran(const Description &model) : Writer(model, rules) {}
  std::string write() override;

private:
  void writeConstants();
  void writeType();
  void writeInterface();
  void writeTable();
  void writeFiles();
  void writeSettings();
  void writeNamed(StringRef what);
  void writeStep(const Step &step);
  /// (self, argument, stat, errmsg) with one number, which goes in or comes out.
  void writeOne(StringRef function, StringRef about, StringRef argument = "", StringRef declaration = "",
                StringRef passed = "");
  std::map<std::string, std::vector<std::string>> specifics() const; ///< dtypes by type of Fortran
};

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
  add("  ! A model with its state: create it first.\n  type :: @module@_model\n    private\n"
      "    type(c_ptr) :: handle = c_null_ptr\n  contains\n");
  auto bind = [&](StringRef procedure) { text += "    procedure :: " + procedure.str() + "\n"; };
  for (const char *procedure : {"create", "destroy", "last_remark", "save", "save_weights", "load",
                                "save_to_memory", "save_weights_to_memory", "load_from_memory", "copy_state"})
    bind(procedure);
  for (const Step &step : model.steps)
    bind(step.name);
  if (interface.hasLoss)
    for (const char *procedure : {"apply", "sync", "grad_norm", "step_count", "set_seed"})
      bind(procedure);
  if (model.hasAverages)
    bind("use_average");
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
  for (const char *function : {"save", "save_weights", "load"})
    declare(function, ", path", byValue + "path\n");
  for (const char *function : {"save_to_memory", "save_weights_to_memory"})
    declare(function, ", buffer, bytes, needed",
            byValue + "buffer\n" + size + "      integer(c_size_t), intent(out) :: needed\n");
  declare("load_from_memory", ", buffer, bytes", byValue + "buffer\n" + size);
  declare("copy_state", ", from", byValue + "from\n");
  for (StringRef what : {"parameter", "gradient"})
    for (StringRef verb : {"_read", "_write"})
      if (what == "parameter" || interface.hasLoss)
        declare((what + verb).str(), ", name, buffer, bytes", byValue + "name, buffer\n" + size);
  const std::string real = "      real(c_double), intent(out) :: number\n",
                    single = "      real(c_float), intent(out) :: loss\n";
  if (interface.hasLoss) {
    declare("apply", "", "");
    declare("sync", ", loss", single);
    declare("grad_norm", ", number", real);
    declare("step_count", "", "", "integer(c_int64_t)");
    declare("set_seed", ", seed", "      integer(c_int64_t), value :: seed\n");
  }
  if (model.hasAverages)
    declare("use_average", ", use", "      integer(c_int32_t), value :: use\n");
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
    if (step.rows != Rows::Full)
      append("integer(c_int64_t)", "rows");
    if (step.takesSizes)
      for (size_t i = 0; i < interface.openDims.size(); ++i)
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

void Fortran::writeFiles() {
  add(file, {{"function", "save"},
             {"about", "Writes the whole state to a safetensors file, which appears whole or not at all."}});
  add(file, {{"function", "save_weights"},
             {"about", "Writes parameters and buffers alone, as state_dict of PyTorch holds them."}});
  add(file, {{"function", "load"},
             {"about", "Reads a file that save has written, after which training goes on as without an "
                       "interruption, or one of\n"
                       "  ! parameters and buffers alone."}});
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
  writeOne("apply", "The optimizer's update with the gradients that the model keeps.");
  writeOne("sync", "The loss of the last training step, gradient step or accumulation.", "loss",
           "real(c_float), intent(out)");
  writeOne("grad_norm", "The Euclidean norm of all gradients.", "norm", "real(c_double), intent(out)");
  writeOne("set_seed", "Starts the random numbers of dropout again.", "seed",
           "integer(c_int64_t), intent(in)");
  add("  ! Updates of the parameters so far.\n  function step_count(self) result(count)\n"
      "    class(@module@_model), intent(in) :: self\n    integer(c_int64_t) :: count\n"
      "    count = dlc_c_step_count(self%handle)\n  end function\n\n");
  if (model.hasAverages)
    writeOne("use_average",
             "Puts the moving averages into the places of the parameters for evaluation, or back.", "use",
             "logical, intent(in)", "merge(1_c_int32_t, 0_c_int32_t, use)");
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

/// 64-bit arithmetic: "784" as "784_c_int64_t", "rows * seq" as "1_c_int64_t * rows * seq".
std::string wide(StringRef extent) {
  StringRef digits = extent.take_while(isDigit);
  return ((digits.empty() ? "1" : digits) + "_c_int64_t" + (digits.empty() ? " * " : "") +
          extent.drop_front(digits.size()))
      .str();
}

std::vector<std::string> reversed(std::vector<std::string> extents) {
  std::reverse(extents.begin(), extents.end());
  return extents;
}

void Fortran::writeStep(const Step &step) {
  for (const std::string &line : about(step))
    text += "  ! " + inAnyComment(line) + "\n";
  constexpr size_t mostDimensions = 15;
  std::string arguments, declarations, checks, passed;
  for (const Size &size : sizes(step)) {
    arguments += ", " + size.name;
    declarations += "    integer, intent(in) :: " + size.name + "\n";
    checks += "    if (wrong_size('" + step.name + "', '" + size.name + "', " + size.name + ", " +
              std::to_string(size.largest) + "_c_int64_t, stat, errmsg)) return\n";
  }
  if (step.rows != Rows::Full)
    passed += step.rows == Rows::Given
                  ? ", int(rows, c_int64_t)"
                  : ", " + std::to_string(interface.batch ? interface.batch : 1) + "_c_int64_t";
  if (step.takesSizes)
    for (const DimInterface &dim : interface.openDims)
      passed += ", int(" + nameOf(dim) + ", c_int64_t)";
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
    passed += ", c_loc(" + local + ")";
  }
  if (step.result != Result::Nothing) {
    const std::string variable = step.result == Result::Loss ? "loss" : "metrics";
    arguments += ", " + variable;
    passed += ", " + variable;
    declarations += step.result == Result::Loss
                        ? "    real(c_float), intent(out) :: loss\n"
                        : "    type(" + values.back().second + "_metrics), intent(out) :: metrics\n";
  }
  add("  subroutine @step@(self@arguments@, stat, errmsg)\n    class(@module@_model), intent(inout) :: "
      "self\n@declarations@"
      "    integer, intent(out), optional :: stat\n    character(len=*), intent(inout), optional :: "
      "errmsg\n@checks@"
      "    call check(self, dlc_c_@step@(self%handle@passed@), stat, errmsg)\n  end subroutine\n\n",
      {{"step", step.name},
       {"arguments", arguments},
       {"declarations", declarations},
       {"checks", checks},
       {"passed", passed}});
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
  if (interface.hasLoss)
    writeSettings();
  writeFiles();
  writeNamed("parameter");
  if (interface.hasLoss)
    writeNamed("gradient");
  add("end module\n");
  return wrapped(text);
}

} // namespace

File writeFortran(const Description &model) {
  return {model.interface.name + ".f90", Fortran(model).write()};
}

} // namespace dlc::emit::bindings

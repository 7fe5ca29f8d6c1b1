//===- Rust.cpp - a compiled model as a module of Rust ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/EntryPatterns.h"
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/RustPatterns.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace rust;

namespace {

const NameRules rules{"abstract as async await become box break const continue crate do dyn else enum extern "
                      "false final fn for gen if "
                      "impl in let loop macro match mod move mut override priv pub ref return self Self "
                      "static struct super trait true "
                      "try type typeof union unsafe unsized use virtual where while yield _ "
                      "loss metrics rows Ok Err Some None BATCH ARENA_BYTES FINGERPRINT ABI_VERSION "
                      "PARAMETERS GRADIENT_WEIGHT"};

/// Constants, which parameters of functions cannot be called like.
std::string constants(const Interface &interface) {
  std::string result;
  for (const DimInterface &dim : interface.openDims)
    result += dim.maxName.substr(interface.upperName.size() + 1) + " ";
  return result;
}

StringRef typeOf(StringRef dtype) {
  return StringSwitch<StringRef>(dtype).Cases({"bf16", "f16"}, "u16").Default(dtype);
}

std::string quoted(StringRef text) {
  return "\"" + literal(text, [](uint32_t character) { return "\\u{" + utohexstr(character, true) + "}"; }) +
         "\"";
}

class Rust : Writer {
public:
  explicit Rust(const Description &model) : Writer(model, rules, constants(model.interface)) {}
  std::string write() override;

private:
  void writeConstants();
  void writeStatus();
  void writeTable();
  void writeStep(const Step &step);
  void writeFunction(const Function &function);
  void declare(const Function &function);
  void writeDeclarations();
};

void Rust::writeConstants() {
  if (interface.batch)
    add("/// Rows of a full batch.\npub const BATCH: usize = @batch@;\n");
  for (const DimInterface &dim : interface.openDims)
    add("/// The largest size of '@dim@'.\npub const @constant@: usize = @bound@;\n",
        {{"dim", inAnyComment(dim.name)},
         {"constant", constantOf(dim, interface)},
         {"bound", std::to_string(dim.bound)}});
  add(commonTypes);
  add(entryType);
}

void Rust::writeStatus() {
  std::string variants, numbers;
  for (const Status &status : Description::statuses()) {
    variants += "    /// " + std::string(status.about) + "\n    " + camel(status.name, true) + ",\n";
    numbers +=
        "            " + std::to_string(status.number) + " => Status::" + camel(status.name, true) + ",\n";
  }
  add(R"(/// What kind of error it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Status {
@variants@    /// One that this file does not know.
    Other(i32),
}

impl Error {
    fn of(status: i32, sentence: *const c_char) -> Error {
        let status = match status {
@numbers@            other => Status::Other(other),
        };
        let message = text_of(sentence);
        Error { status, message: if message.is_empty() { format!("@model@: {:?}", status) } else { message } }
    }
}

)",
      {{"variants", variants}, {"numbers", numbers}});
}

void Rust::writeTable() {
  auto row = [&](const StateInterface &state) {
    return "Parameter { name: " + quoted(state.name) + ", dtype: Dtype::" + camel(state.dtype, true) +
           ", shape: &[" + shapeText(state) + "], trainable: " + (state.trainable ? "true" : "false") +
           ", buffer: " + (state.kind == train::StateKind::Buffer ? "true" : "false") + " }";
  };
  std::string rows;
  for (const StateInterface *parameter : model.parameters)
    rows += "    " + row(*parameter) + ",\n";
  add("/// All parameters and buffers.\npub static PARAMETERS: &[Parameter] = &[\n@rows@];\n\n",
      {{"rows", rows}});
  if (model.gradientWeight)
    add("/// What gradients are the mean over; `read_gradient` knows it by this name.\n"
        "pub static GRADIENT_WEIGHT: Parameter = @row@;\n\n",
        {{"row", row(*model.gradientWeight)}});
}

void Rust::writeStep(const Step &step) {
  for (const std::string &line : about(step))
    text += "    /// " + inAnyComment(line) + "\n";
  const std::string result = by(step.result, "f32", "Metrics", "()");
  std::string parameters, checks, copies, kept, passed;
  for (const Size &size : sizes(step)) {
    parameters += ", " + size.name + ": usize";
    checks += "        check::within(\"" + step.name + "\", \"" + size.name + "\", " + size.name + ", " +
              std::to_string(size.largest) + ")?;\n";
  }
  for (const Number &number : numbersOf(step))
    passed += ", " + (number.name.empty() ? number.literal : number.name + " as i64");
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    const bool isOutput = argument.isOutput;
    parameters +=
        ", " + local + ": &" + (isOutput ? "mut [" : "[") + typeOf(argument.tensor->dtype).str() + "]";
    checks += "        check::exact(\"" + step.name + "\", " + quoted(argument.tensor->name) + ", " + local +
              ".len(), &[" + joined(extents(*argument.tensor, step)) + "])?;\n";
    passed += ", " + local + (isOutput ? ".as_mut_ptr()" : ".as_ptr()");
    if (step.keepsInputs) {
      copies += "        let " + local + " = " + local + ".to_vec();\n";
      kept += (kept.empty() ? "Box::new(" : ", Box::new(") + local + ")";
    }
  }
  const std::string variable = by(step.result, "loss", "metrics", "");
  if (!variable.empty())
    passed += ", &mut " + variable;
  const char *self = step.result == Result::Loss || step.keepsInputs ? "&mut self" : "&self";
  add("    pub fn @step@(@self@@parameters@) -> Result<@result@, Error> {\n@checks@@copies@",
      {{"step", step.name},
       {"self", self},
       {"parameters", parameters},
       {"result", result},
       {"checks", checks},
       {"copies", copies}});
  if (!variable.empty())
    text += "        let mut " + variable + " = " + by(step.result, "0.0", "Metrics::default()", "") + ";\n";
  add("        self.check(unsafe { ffi::@model@_@step@(self.handle@passed@) })",
      {{"step", step.name}, {"passed", passed}});
  if (step.keepsInputs)
    text += "?;\n        self.kept = vec![" + kept + "];\n        Ok(())\n    }\n\n";
  else
    text += variable.empty() ? "\n    }\n\n" : "?;\n        Ok(" + variable + ")\n    }\n\n";
}

void Rust::writeFunction(const Function &function) {
  for (const std::string &line : about(function))
    text += "    /// " + line + "\n";
  const std::string number = model.all.dtype;
  std::string parameters, prepared, passed;
  for (const Value &value : function.values) {
    const bool isPlace = value.kind == Taken::Place;
    switch (value.kind) {
    case Taken::Path:
      parameters += ", " + value.name + ": impl AsRef<Path>";
      prepared += "        let path = check::text(\"the path\", path.as_ref().as_os_str().as_bytes())?;\n";
      passed += ", path.as_ptr()";
      break;
    case Taken::Text:
      parameters += ", " + value.name + ": &str";
      prepared += "        let " + value.name + " = check::text(\"the " + value.name + "\", " + value.name +
                  ".as_bytes())?;\n";
      passed += ", " + value.name + ".as_ptr()";
      break;
    case Taken::Real:
    case Taken::Number:
      parameters += ", " + value.name + (value.kind == Taken::Real ? ": f64" : ": u64");
      passed += ", " + value.name;
      break;
    case Taken::Truth:
      parameters += ", " + value.name + ": bool";
      passed += ", " + value.name + " as i32";
      break;
    case Taken::Values:
    case Taken::Place:
      parameters += ", " + value.name + (isPlace ? ": &mut [" : ": &[") + number + "]";
      prepared += "        check::exact(\"" + function.name + "\", \"values\", values.len(), &[" +
                  countOf(function, "if trainable_only { @ } else { # }") + "])?;\n";
      passed +=
          isPlace ? ", values.as_mut_ptr(), values.len() as i64" : ", values.as_ptr(), values.len() as i64";
      break;
    }
  }
  const std::string &result = function.ofResult;
  if (!result.empty()) {
    prepared +=
        "        let mut " + result + " = " + by(function, "null()", "Metrics::default()", "0.0") + ";\n";
    passed += ", &mut " + result;
  }
  add("    pub fn @function@(@self@@parameters@) -> Result<@type@, Error> {\n@prepared@"
      "        self.check(unsafe { ffi::@model@_@function@(self.handle@passed@) })@end@\n    }\n\n",
      {{"function", function.name},
       {"self", function.changes ? "&mut self" : "&self"},
       {"parameters", parameters},
       {"type", result.empty() ? "()" : by(function, "String", "Metrics", function.result)},
       {"prepared", prepared},
       {"passed", passed},
       {"end", result.empty()
                   ? ""
                   : "?;\n        Ok(" + by(function, "text_of(" + result + ")", result, result) + ")"}});
}

void Rust::declare(const Function &function) {
  std::string parameters;
  for (const Value &value : function.values)
    switch (value.kind) {
    case Taken::Path:
    case Taken::Text:
      parameters += ", " + value.name + ": *const c_char";
      break;
    case Taken::Real:
    case Taken::Number:
      parameters += ", " + value.name + (value.kind == Taken::Real ? ": f64" : ": u64");
      break;
    case Taken::Truth:
      parameters += ", " + value.name + ": i32";
      break;
    case Taken::Values:
      parameters += ", values: *const " + model.all.dtype + ", count: i64";
      break;
    case Taken::Place:
      parameters += ", values: *mut " + model.all.dtype + ", count: i64";
      break;
    }
  if (!function.ofResult.empty())
    parameters += ", " + function.ofResult + ": *mut " +
                  by(function, "*const c_char", "super::Metrics", function.result);
  add("        pub fn @model@_@function@(model: *mut Handle@parameters@) -> i32;\n",
      {{"function", function.name}, {"parameters", parameters}});
}

void Rust::writeDeclarations() {
  add(declarations);
  add(entryDeclarations);
  add(namedDeclarations, {{"what", "parameter"}});
  if (interface.hasLoss) {
    add(namedDeclarations, {{"what", "gradient"}});
    add(trainingDeclarations);
  }
  for (const Function &function : model.functions)
    declare(function);
  for (const StateInterface *state : model.hyperparameters)
    add("        pub fn @model@_set_@setting@(model: *mut Handle, value: f64) -> i32;\n"
        "        pub fn @model@_get_@setting@(model: *mut Handle, value: *mut f64) -> i32;\n",
        {{"setting", state->name}});
  for (const Step &step : model.steps) {
    std::string parameters;
    for (const Number &number : numbersOf(step))
      parameters += ", " + (number.name.empty() ? "rows" : number.name) + ": i64";
    for (const Argument &argument : step.arguments)
      parameters += ", " + nameOf(*argument.tensor) + (argument.isOutput ? ": *mut " : ": *const ") +
                    typeOf(argument.tensor->dtype).str();
    parameters += by(step.result, ", loss: *mut f32", ", metrics: *mut super::Metrics", "");
    add("        pub fn @model@_@step@(model: *mut Handle@parameters@) -> i32;\n",
        {{"step", step.name}, {"parameters", parameters}});
  }
  text += "    }\n}\n";
}

std::string Rust::write() {
  add(preamble);
  writeConstants();
  writeStatus();
  if (interface.hasLoss)
    add(metricsType);
  writeTable();
  const bool hasWeight = model.gradientWeight;
  add(checks, {{"weight parameter", hasWeight ? ", gradients: bool" : ""},
               {"weight chain", hasWeight ? ".chain(gradients.then(|| &super::GRADIENT_WEIGHT))" : ""}});
  add(life,
      {{"kept", interface.hasLoss
                    ? "    /// Inputs of a step in slices.\n    kept: Vec<Box<dyn std::any::Any + Send>>,\n"
                    : ""},
       {"no inputs", interface.hasLoss ? ", kept: Vec::new()" : ""}});
  for (const Step &step : model.steps)
    writeStep(step);
  if (interface.hasLoss)
    add(training);
  for (const Function &function : model.functions)
    writeFunction(function);
  add(entries);
  for (const StateInterface *state : model.hyperparameters)
    add(hyperparameter, {{"setting", state->name}, {"range", rangeOf(*state)}});
  add(memory);
  add(named, {{"what", "parameter"}, {"weight", hasWeight ? ", false" : ""}});
  if (interface.hasLoss)
    add(named, {{"what", "gradient"}, {"weight", hasWeight ? ", true" : ""}});
  text += "}\n\n";
  writeDeclarations();
  return text;
}

} // namespace

File writeRust(const Description &model) { return {model.interface.name + ".rs", Rust(model).write()}; }

} // namespace dlc::emit::bindings

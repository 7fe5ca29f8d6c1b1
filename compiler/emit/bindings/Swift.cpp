//===- Swift.cpp - a compiled model as a class of Swift --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/EntryPatterns.h"
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/SwiftPatterns.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace swift;

namespace {

const NameRules rules{
    "associatedtype class deinit enum extension fileprivate func import init inout "
    "internal let open operator private "
    "precedencegroup protocol public rethrows static struct subscript typealias var break "
    "case catch continue default "
    "defer do else fallthrough for guard if in repeat return throw switch where while Any "
    "as await catch false is nil self "
    "Self super throw throws true try actor async "
    "loss metrics rows handle copies kept copy forget error exact within check Int64 Float Metrics _"};

StringRef typeOf(StringRef dtype) {
  return StringSwitch<StringRef>(dtype)
      .Case("f32", "Float")
      .Case("f64", "Double")
      .Case("i32", "Int32")
      .Case("i64", "Int64")
      .Cases({"bf16", "f16"}, "UInt16")
      .Default("UInt8");
}

std::string quoted(StringRef text) {
  return "\"" + literal(text, [](uint32_t character) { return "\\u{" + utohexstr(character, true) + "}"; }) +
         "\"";
}

/// What Swift has of `metrics`, which C has filled in.
const std::string metricsOfC = "Metrics(lossSum: metrics.loss_sum, lossWeight: metrics.loss_weight,\n"
                               "                   correct: metrics.correct, count: metrics.count)";

class Swift : Writer {
public:
  explicit Swift(const Description &model) : Writer(model, rules, "C" + model.interface.name) {}
  std::string write() override;

private:
  void writeStatus();
  void writeLife();
  void writeStep(const Step &step);
  void writeFunction(const Function &function);
};

void Swift::writeStatus() {
  text += "/// What kind of error it is.\npublic enum Status: UInt32 {\n";
  for (const Status &status : Description::statuses())
    text += "  /// " + std::string(status.about) + "\n  case " + camel(status.name, false) + " = " +
            std::to_string(status.number) + "\n";
  text += "  /// One that this file does not know.\n  case other = 4294967295\n}\n\n";
}

void Swift::writeLife() {
  auto row = [&](const StateInterface &state) {
    return "    Parameter(name: " + quoted(state.name) + ", dtype: ." + state.dtype + ", shape: [" +
           shapeText(state) + "], trainable: " + (state.trainable ? "true" : "false") +
           ", buffer: " + (state.kind == train::StateKind::Buffer ? "true" : "false") + "),\n";
  };
  std::string constants, parameters;
  if (interface.batch)
    constants +=
        "  /// Rows of a full batch.\n  public static let batch = " + std::to_string(interface.batch) + "\n";
  Names unique({"batch arenaBytes abiVersion fingerprint parameters gradients"});
  for (const DimInterface &dim : interface.openDims)
    constants += "  /// The largest size of '" + inAnyComment(dim.name) + "'.\n  public static let " +
                 unique.unique(camel(StringRef(constantOf(dim, interface)).lower(), false)) + " = " +
                 std::to_string(dim.bound) + "\n";
  for (const StateInterface *parameter : model.parameters)
    parameters += row(*parameter);
  add(life, {{"constants", constants},
             {"parameters", parameters},
             {"forget", interface.hasLoss ? "    forget(&kept)\n" : ""},
             {"gradients", model.gradientWeight ? row(*model.gradientWeight) : ""}});
}

void Swift::writeStep(const Step &step) {
  for (const std::string &line : about(step))
    text += "  /// " + inAnyComment(line) + "\n";
  std::string parameters, checks, passed;
  auto separate = [&] { return parameters.empty() ? "" : ", "; };
  for (const Size &size : sizes(step)) {
    parameters += separate() + size.name + ": Int";
    checks += "    try within(\"" + step.name + "\", \"" + size.name + "\", " + size.name + ", " +
              std::to_string(size.largest) + ")\n";
  }
  for (const Number &number : numbersOf(step))
    passed += ", " + (number.name.empty() ? number.literal : "Int64(" + number.name + ")");
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    parameters += separate() + local + ": " + (argument.isOutput ? "inout [" : "[") +
                  typeOf(argument.tensor->dtype).str() + "]";
    checks += "    try exact(\"" + step.name + "\", " + quoted(argument.tensor->name) + ", " + local +
              ".count, [" + joined(extents(*argument.tensor, step)) + "])\n";
    passed +=
        step.keepsInputs ? ", copy(" + local + ", &copies)" : (argument.isOutput ? ", &" : ", ") + local;
  }
  const std::string call = "try check(C" + name + "." + name + "_" + step.name + "(handle" + passed;
  const std::string result = by(step.result, " -> Float", " -> Metrics", "");
  add("  public func @method@(@parameters@) throws@result@ {\n@checks@", {{"method", camel(step.name, false)},
                                                                          {"parameters", parameters},
                                                                          {"result", result},
                                                                          {"checks", checks}});
  if (step.keepsInputs)
    text += "    var copies: [UnsafeMutableRawPointer] = []\n    do {\n      " + call +
            "))\n    } catch {\n      forget(&copies)\n      throw error\n    }\n    kept = copies\n  }\n\n";
  else if (step.result == Result::Nothing)
    text += "    " + call + "))\n  }\n\n";
  else if (step.result == Result::Loss)
    text += "    var loss: Float = 0\n    " + call + ", &loss))\n    return loss\n  }\n\n";
  else
    text += "    var metrics = dlc_metrics()\n    " + call + ", &metrics))\n    return " + metricsOfC +
            "\n  }\n\n";
}

void Swift::writeFunction(const Function &function) {
  for (const std::string &line : about(function))
    text += "  /// " + line + "\n";
  const std::string number = typeOf(model.all.dtype).str();
  std::string parameters, checks, passed;
  for (const Value &value : function.values) {
    const std::string local = camel(value.name, false);
    parameters += (parameters.empty() ? "_ " : ", ") + local;
    switch (value.kind) {
    case Taken::Path:
    case Taken::Text:
      parameters += ": String";
      passed += ", try text(\"the " + local + "\", " + local + ")";
      break;
    case Taken::Real:
    case Taken::Number:
      parameters += value.kind == Taken::Real ? ": Double" : ": UInt64";
      passed += ", " + local;
      break;
    case Taken::Truth:
      parameters += ": Bool";
      passed += ", " + local + " ? 1 : 0";
      break;
    case Taken::Values:
    case Taken::Place:
      parameters += (value.kind == Taken::Place ? ": inout [" : ": [") + number + "]";
      checks += "    let count = Int64(values.count)\n    try exact(\"" + function.name +
                "\", \"values\", values.count, [" + countOf(function, "trainableOnly ? @ : #") + "])\n";
      passed += (value.kind == Taken::Place ? ", &values" : ", values") + std::string(", count");
      break;
    }
  }
  std::string returned;
  if (!function.result.empty()) {
    const std::string &result = function.ofResult, type = typeOf(function.result).str();
    checks += "    var " + result +
              by(function, ": UnsafePointer<CChar>?", " = dlc_metrics()", ": " + type + " = 0") + "\n";
    passed += ", &" + result;
    parameters += ") throws -> " + by(function, "String", "Metrics", type);
    returned = "    return " +
               by(function, result + ".map { String(cString: $0) } ?? \"\"", metricsOfC, result) + "\n";
  } else {
    parameters += ") throws";
  }
  add("  public func @method@(@parameters@ {\n@checks@"
      "    try check(C@model@.@model@_@function@(handle@passed@))\n@return@  }\n\n",
      {{"method", camel(function.name, false)},
       {"parameters", parameters},
       {"checks", checks},
       {"function", function.name},
       {"passed", passed},
       {"return", returned}});
}

std::string Swift::write() {
  add(preamble);
  writeStatus();
  add(commonTypes);
  if (interface.hasLoss)
    add(metricsType);
  add(entryType);
  writeLife();
  for (const Step &step : model.steps)
    writeStep(step);
  if (interface.hasLoss)
    add(training);
  for (const Function &function : model.functions)
    writeFunction(function);
  add(entries);
  for (const StateInterface *state : model.hyperparameters)
    add(hyperparameter,
        {{"setting", state->name}, {"Setting", camel(state->name, true)}, {"range", rangeOf(*state)}});
  for (const char *saved : {"save", "save_weights"}) {
    const std::string function = std::string(saved) + "_to_memory";
    add(toMemory,
        {{"function", function}, {"method", camel(function, false)}, {"saved", camel(saved, false)}});
  }
  add(fromMemory);
  add(named, {{"what", "parameter"}, {"What", "Parameter"}, {"table", "parameters"}});
  if (interface.hasLoss)
    add(named, {{"what", "gradient"}, {"What", "Gradient"}, {"table", "gradients"}});
  text += "}\n";
  return text;
}

} // namespace

File writeSwift(const Description &model) { return {model.interface.name + ".swift", Swift(model).write()}; }

} // namespace dlc::emit::bindings

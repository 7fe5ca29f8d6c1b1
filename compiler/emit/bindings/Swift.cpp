//===- Swift.cpp - a compiled model as a class of Swift --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/SwiftPatterns.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace swift;

namespace {

const NameRules rules{"associatedtype class deinit enum extension fileprivate func import init inout "
                      "internal let open operator private "
                      "precedencegroup protocol public rethrows static struct subscript typealias var break "
                      "case catch continue default "
                      "defer do else fallthrough for guard if in repeat return throw switch where while Any "
                      "as await catch false is nil self "
                      "Self super throw throws true try actor async "
                      "loss metrics rows handle exact within check Int64 Float Metrics _"};

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

class Swift : Writer {
public:
  explicit Swift(const Description &model) : Writer(model, rules, "C" + model.interface.name) {}
  std::string write() override;

private:
  void writeStatus();
  void writeLife();
  void writeStep(const Step &step);
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
  if (step.rows != Rows::Full)
    passed += step.rows == Rows::Given ? ", Int64(rows)"
                                       : ", " + std::to_string(interface.batch ? interface.batch : 1);
  if (step.takesSizes)
    for (const DimInterface &dim : interface.openDims)
      passed += ", Int64(" + nameOf(dim) + ")";
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    parameters += separate() + local + ": " + (argument.isOutput ? "inout [" : "[") +
                  typeOf(argument.tensor->dtype).str() + "]";
    checks += "    try exact(\"" + step.name + "\", " + quoted(argument.tensor->name) + ", " + local +
              ".count, [" + joined(extents(*argument.tensor, step)) + "])\n";
    passed += (argument.isOutput ? ", &" : ", ") + local;
  }
  const std::string call = "try check(C" + name + "." + name + "_" + step.name + "(handle" + passed;
  const char *result = step.result == Result::Loss      ? " -> Float"
                       : step.result == Result::Metrics ? " -> Metrics"
                                                        : "";
  add("  public func @method@(@parameters@) throws@result@ {\n@checks@", {{"method", camel(step.name, false)},
                                                                          {"parameters", parameters},
                                                                          {"result", result},
                                                                          {"checks", checks}});
  if (step.result == Result::Nothing)
    text += "    " + call + "))\n  }\n\n";
  else if (step.result == Result::Loss)
    text += "    var loss: Float = 0\n    " + call + ", &loss))\n    return loss\n  }\n\n";
  else
    text += "    var metrics = dlc_metrics()\n    " + call +
            ", &metrics))\n    return Metrics(lossSum: metrics.loss_sum, lossWeight: metrics.loss_weight,\n"
            "                   correct: metrics.correct, count: metrics.count)\n  }\n\n";
}

std::string Swift::write() {
  add(preamble);
  writeStatus();
  add(commonTypes);
  if (interface.hasLoss)
    add(metricsType);
  writeLife();
  for (const Step &step : model.steps)
    writeStep(step);
  if (interface.hasLoss)
    add(training);
  if (model.hasAverages)
    add(averages);
  for (const StateInterface *state : model.hyperparameters)
    add(hyperparameter,
        {{"setting", state->name}, {"Setting", camel(state->name, true)}, {"range", rangeOf(*state)}});
  add(files);
  add(named, {{"what", "parameter"}, {"What", "Parameter"}, {"table", "parameters"}});
  if (interface.hasLoss)
    add(named, {{"what", "gradient"}, {"What", "Gradient"}, {"table", "gradients"}});
  text += "}\n";
  return text;
}

} // namespace

File writeSwift(const Description &model) { return {model.interface.name + ".swift", Swift(model).write()}; }

} // namespace dlc::emit::bindings

//===- CSharp.cpp - a compiled model as a class of C# ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/CSharpPatterns.h"
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace csharp;

namespace {

const NameRules rules{
    "abstract as base bool break byte case catch char checked class const continue decimal default delegate "
    "do double else "
    "enum event explicit extern false finally fixed float for foreach goto if implicit in int interface "
    "internal is lock "
    "long namespace new null object operator out override params private protected public readonly ref "
    "return sbyte sealed "
    "short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked "
    "unsafe ushort using "
    "virtual void volatile while async await dynamic nameof var value yield "
    "handle loss metrics rows status pins Pins Checks Native Metrics ArraySegment Enter Leave Raise _"};

StringRef typeOf(StringRef dtype) {
  return StringSwitch<StringRef>(dtype)
      .Case("f32", "float")
      .Case("f64", "double")
      .Case("i32", "int")
      .Case("i64", "long")
      .Cases({"bf16", "f16"}, "ushort")
      .Default("byte");
}

std::string quoted(StringRef text) {
  auto escape = [](uint32_t character) {
    return character < 0x10000 ? "\\u" + hexadecimal(character, 4) : "\\U" + hexadecimal(character, 8);
  };
  return "\"" + literal(text, escape) + "\"";
}

class CSharp : Writer {
public:
  explicit CSharp(const Description &model) : Writer(model, rules) {}
  std::string write() override;

private:
  void writeStatus();
  void writeNative();
  void writeModel();
  void writeStep(const Step &step);
};

void CSharp::writeStatus() {
  text += "    /// <summary>What kind of error it is.</summary>\n    public enum Status\n    {\n";
  for (const Status &status : Description::statuses())
    text += "        /// <summary>" + inMarkup(status.about) + "</summary>\n        " +
            camel(status.name, true) + " = " + std::to_string(status.number) + ",\n";
  text += "    }\n\n";
}

void CSharp::writeNative() {
  add(native);
  if (interface.hasLoss)
    add(nativeTraining);
  auto declare = [&](const std::string &function, const std::string &parameters) {
    text += "        [DllImport(Library)] internal static extern int " + name + "_" + function +
            "(Handle model" + parameters + ");\n";
  };
  if (model.hasAverages)
    declare("use_average", ", int use");
  for (const StateInterface *state : model.hyperparameters) {
    declare("set_" + state->name, ", double value");
    declare("get_" + state->name, ", out double value");
  }
  for (const Step &step : model.steps) {
    std::string parameters;
    if (step.rows != Rows::Full)
      parameters += ", long rows";
    if (step.takesSizes)
      for (const DimInterface &dim : interface.openDims)
        parameters += ", long " + nameOf(dim);
    for (const Argument &argument : step.arguments)
      parameters += ", IntPtr " + nameOf(*argument.tensor);
    if (step.result != Result::Nothing)
      parameters += step.result == Result::Loss ? ", out float loss" : ", out Metrics metrics";
    declare(step.name, parameters);
  }
  text += "    }\n\n";
}

void CSharp::writeModel() {
  auto row = [&](const StateInterface &state) {
    return "            new Parameter(" + quoted(state.name) + ", Dtype." + camel(state.dtype, true) + ", " +
           (state.trainable ? "true" : "false") + ", " +
           (state.kind == train::StateKind::Buffer ? "true" : "false") + (state.bounds.empty() ? "" : ", ") +
           shapeText(state) + "),\n";
  };
  std::string constants, parameters;
  if (interface.batch)
    constants += "        /// <summary>Rows of a full batch.</summary>\n        public const int Batch = " +
                 std::to_string(interface.batch) + ";\n";
  Names unique({"Batch ArenaBytes Fingerprint AbiVersion Parameters Model"});
  for (const DimInterface &dim : interface.openDims)
    constants += "        /// <summary>The largest size of '" + inMarkup(dim.name) +
                 "'.</summary>\n        public const int " +
                 unique.unique(camel(StringRef(constantOf(dim, interface)).lower(), true)) + " = " +
                 std::to_string(dim.bound) + ";\n";
  for (const StateInterface *parameter : model.parameters)
    parameters += row(*parameter);
  add(life, {{"constants", constants},
             {"parameters", parameters},
             {"gradients", parameters + (model.gradientWeight ? row(*model.gradientWeight) : "")}});
}

void CSharp::writeStep(const Step &step) {
  const std::string method = camel(step.name, true);
  std::string comment, numbers, parts, wholes, checks, passed, given;
  for (const std::string &line : about(step))
    comment += "        /// " + std::string(comment.empty() ? "<summary>" : "") + inMarkup(line) + "\n";
  comment.insert(comment.size() - 1, "</summary>");
  for (const Size &size : sizes(step)) {
    numbers += (numbers.empty() ? "int " : ", int ") + size.name;
    given += (given.empty() ? "" : ", ") + size.name;
    checks += "            Checks.Within(\"" + step.name + "\", \"" + size.name + "\", " + size.name + ", " +
              std::to_string(size.largest) + ");\n";
  }
  if (step.rows != Rows::Full)
    passed +=
        step.rows == Rows::Given ? ", rows" : ", " + std::to_string(interface.batch ? interface.batch : 1);
  if (step.takesSizes)
    for (const DimInterface &dim : interface.openDims)
      passed += ", " + nameOf(dim);
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    const std::string type = typeOf(argument.tensor->dtype).str(), key = quoted(argument.tensor->name);
    std::string shape;
    for (const std::string &extent : extents(*argument.tensor, step))
      shape += ", " + std::string(isDigit(extent[0]) ? "" : "(long)") + extent;
    parts += (numbers.empty() && parts.empty() ? "" : ", ") + ("ArraySegment<" + type + "> ") + local;
    wholes += (numbers.empty() && wholes.empty() ? "" : ", ") + type + "[] " + local;
    checks +=
        "            Checks.Exact(\"" + step.name + "\", " + key + ", " + local + ".Count" + shape + ");\n";
    given +=
        (given.empty() ? "" : ", ") + ("Checks.Whole(\"" + step.name + "\", ") + key + ", " + local + ")";
    passed += ", pins.Of(" + local + ")";
  }
  const char *result = step.result == Result::Loss      ? "float"
                       : step.result == Result::Metrics ? "Metrics"
                                                        : "void";
  const std::string variable = step.result == Result::Loss      ? "loss"
                               : step.result == Result::Metrics ? "metrics"
                                                                : "";
  if (!variable.empty())
    passed += ", out " + variable;
  add(R"(@comment@        public @result@ @method@(@numbers@@parts@)
        {
@checks@@declaration@            Enter("@step@");
            try { using (Pins pins = new Pins()) Raise(Native.@model@_@step@(handle@passed@)); } finally { Leave(); }
@return@        }

)",
      {{"comment", comment},
       {"result", result},
       {"method", method},
       {"numbers", numbers},
       {"parts", parts},
       {"checks", checks},
       {"declaration", variable.empty() ? "" : "            " + std::string(result) + " " + variable + ";\n"},
       {"step", step.name},
       {"passed", passed},
       {"return", variable.empty() ? "" : "            return " + variable + ";\n"}});
  if (!step.arguments.empty())
    add("        /// <summary>The same for whole arrays.</summary>\n"
        "        public @result@ @method@(@numbers@@wholes@)\n        {\n            "
        "@return@@method@(@given@);\n        }\n\n",
        {{"result", result},
         {"method", method},
         {"numbers", numbers},
         {"wholes", wholes},
         {"return", variable.empty() ? "" : "return "},
         {"given", given}});
}

std::string CSharp::write() {
  values.push_back({"Name", camel(name, true)});
  add(preamble);
  writeStatus();
  add(commonTypes);
  if (interface.hasLoss)
    add(metricsType);
  add(helpers);
  writeNative();
  writeModel();
  for (const Step &step : model.steps)
    writeStep(step);
  if (interface.hasLoss)
    add(training);
  if (model.hasAverages)
    add(averages);
  for (const StateInterface *state : model.hyperparameters)
    add(hyperparameter, {{"setting", state->name},
                         {"Setting", camel(state->name, true)},
                         {"range", inMarkup(rangeOf(*state))}});
  add(files);
  text += "        static UIntPtr Bytes<T>(T[] values) { return (UIntPtr)((ulong)values.LongLength * "
          "(ulong)Marshal.SizeOf(typeof(T))); }\n\n";
  add(named, {{"what", "parameter"}, {"What", "Parameter"}, {"table", "Parameters"}});
  if (interface.hasLoss)
    add(named, {{"what", "gradient"}, {"What", "Gradient"}, {"table", "gradients"}});
  text += "    }\n}\n";
  return text;
}

} // namespace

File writeCSharp(const Description &model) { return {model.interface.name + ".cs", CSharp(model).write()}; }

} // namespace dlc::emit::bindings

//===- CSharp.cpp - a compiled model as a class of C# ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/CSharpPatterns.h"
#include "compiler/emit/bindings/CSharpTypes.h"
#include "compiler/emit/bindings/EntryPatterns.h"
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
    "handle loss metrics rows status pins kept Pins Checks Native Metrics ArraySegment Enter Leave Raise _"};

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
  void writeFunction(const Function &function);
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
  add(entryDeclarations);
  if (interface.hasLoss)
    add(nativeTraining);
  auto declare = [&](const std::string &function, const std::string &parameters) {
    text += "        [DllImport(Library)] internal static extern int " + name + "_" + function +
            "(Handle model" + parameters + ");\n";
  };
  for (const Function &function : model.functions) {
    std::string parameters;
    for (const Value &value : function.values)
      parameters += value.kind == Taken::Path || value.kind == Taken::Text ? ", byte[] " + value.name
                    : value.kind == Taken::Real                            ? ", double " + value.name
                    : value.kind == Taken::Number                          ? ", ulong " + value.name
                    : value.kind == Taken::Truth                           ? ", int " + value.name
                                                                           : ", IntPtr values, long count";
    if (!function.ofResult.empty())
      parameters += ", out " + by(function, "IntPtr", "Metrics", typeOf(function.result).str()) + " " +
                    function.ofResult;
    declare(function.name, parameters);
  }
  for (const StateInterface *state : model.hyperparameters) {
    declare("set_" + state->name, ", double value");
    declare("get_" + state->name, ", out double value");
  }
  for (const Step &step : model.steps) {
    std::string parameters;
    for (const Number &number : numbersOf(step))
      parameters += ", long " + (number.name.empty() ? "rows" : number.name);
    for (const Argument &argument : step.arguments)
      parameters += ", IntPtr " + nameOf(*argument.tensor);
    parameters += by(step.result, ", out float loss", ", out Metrics metrics", "");
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
             {"forget", interface.hasLoss ? " kept.Dispose();" : ""},
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
  for (const Number &number : numbersOf(step))
    passed += ", " + (number.name.empty() ? number.literal : number.name);
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
    passed += (step.keepsInputs ? ", pins.Copy(" : ", pins.Of(") + local + ")";
  }
  const std::string result = by(step.result, "float", "Metrics", "void"),
                    variable = by(step.result, "loss", "metrics", "");
  if (!variable.empty())
    passed += ", out " + variable;
  add(R"(@comment@        public @result@ @method@(@numbers@@parts@)
        {
@checks@@declaration@            Enter("@step@");
@call@@return@        }

)",
      {{"comment", comment},
       {"result", result},
       {"method", method},
       {"numbers", numbers},
       {"parts", parts},
       {"checks", checks},
       {"declaration", variable.empty() ? "" : "            " + result + " " + variable + ";\n"},
       {"step", step.name},
       {"call", filled(step.keepsInputs ? keeping : calling,
                       {{"model", name}, {"step", step.name}, {"passed", passed}})},
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

void CSharp::writeFunction(const Function &function) {
  std::string comment, parameters, checks, passed;
  for (const std::string &line : about(function))
    comment += "        /// " + std::string(comment.empty() ? "<summary>" : "") + inMarkup(line) + "\n";
  comment.insert(comment.size() - 1, "</summary>");
  for (const Value &value : function.values) {
    const std::string local = camel(value.name, false);
    parameters += parameters.empty() ? "" : ", ";
    switch (value.kind) {
    case Taken::Path:
    case Taken::Text:
      parameters += "string " + local;
      checks += "            byte[] " + local + "Bytes = Given(\"" + local + "\", " + local + ");\n";
      passed += ", " + local + "Bytes";
      break;
    case Taken::Real:
    case Taken::Number:
      parameters += (value.kind == Taken::Real ? "double " : "ulong ") + local;
      passed += ", " + local;
      break;
    case Taken::Truth:
      parameters += "bool " + local;
      passed += ", " + local + " ? 1 : 0";
      break;
    case Taken::Values:
    case Taken::Place:
      parameters += typeOf(model.all.dtype).str() + "[] values";
      checks += "            Checks.Exact(\"" + function.name + "\", \"values\", Checks.Whole(\"" +
                function.name + "\", \"values\", values).Count, " +
                countOf(function, "trainableOnly ? @ : #") + ");\n";
      passed += ", pins.Of(values), values.LongLength";
      break;
    }
  }
  const std::string &variable = function.ofResult, number = typeOf(function.result).str(),
                    type = variable.empty() ? "void" : by(function, "string", "Metrics", number);
  const bool givesText = function.result == "text";
  if (!variable.empty()) {
    checks += "            " + by(function, "IntPtr", "Metrics", number) + " " + variable + ";\n";
    passed += ", out " + variable;
  }
  add("@comment@        public @type@ @method@(@parameters@)\n        {\n@checks@            "
      "Enter(\"@function@\");\n@call@@return@        }\n\n",
      {{"comment", comment},
       {"type", type},
       {"method", camel(function.name, true)},
       {"parameters", parameters},
       {"checks", checks},
       {"function", function.name},
       {"call",
        filled(givesText ? reading : calling,
               {{"model", name}, {"step", function.name}, {"passed", passed}, {"variable", variable}})},
       {"return", variable.empty() || givesText ? "" : "            return " + variable + ";\n"}});
}

std::string CSharp::write() {
  values.push_back({"Name", camel(name, true)});
  add(preamble);
  writeStatus();
  add(commonTypes);
  if (interface.hasLoss)
    add(metricsType);
  add(entryType);
  add(helpers);
  writeNative();
  writeModel();
  for (const Step &step : model.steps)
    writeStep(step);
  if (interface.hasLoss)
    add(training);
  for (const Function &function : model.functions)
    writeFunction(function);
  add(entries);
  for (const StateInterface *state : model.hyperparameters)
    add(hyperparameter, {{"setting", state->name},
                         {"Setting", camel(state->name, true)},
                         {"range", inMarkup(rangeOf(*state))}});
  for (const char *saved : {"save", "save_weights"}) {
    const std::string function = std::string(saved) + "_to_memory";
    add(toMemory, {{"function", function}, {"Method", camel(function, true)}, {"Saved", camel(saved, true)}});
  }
  add(fromMemory);
  add(named, {{"what", "parameter"}, {"What", "Parameter"}, {"table", "Parameters"}});
  if (interface.hasLoss)
    add(named, {{"what", "gradient"}, {"What", "Gradient"}, {"table", "gradients"}});
  text += "    }\n}\n";
  return text;
}

} // namespace

File writeCSharp(const Description &model) { return {model.interface.name + ".cs", CSharp(model).write()}; }

} // namespace dlc::emit::bindings

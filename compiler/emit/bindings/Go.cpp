//===- Go.cpp - a compiled model as a package of Go ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/EntryPatterns.h"
#include "compiler/emit/bindings/GoPatterns.h"
#include "compiler/emit/bindings/GoTypes.h"
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace go;

namespace {

const NameRules rules{"break case chan const continue default defer else fallthrough for func go goto if "
                      "import interface map package "
                      "range return select struct switch type var "
                      "bool byte complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune "
                      "string uint uint8 uint16 uint32 "
                      "uint64 uintptr true false iota nil append cap close complex copy delete imag len make "
                      "new panic print println real "
                      "recover any comparable init main "
                      "C unsafe runtime sync m err loss metrics rows status exact within keep kept forget _"};

StringRef typeOf(StringRef dtype) {
  return StringSwitch<StringRef>(dtype)
      .Case("f32", "float32")
      .Case("f64", "float64")
      .Case("i32", "int32")
      .Case("i64", "int64")
      .Cases({"bf16", "f16"}, "uint16")
      .Case("u8", "uint8")
      .Default("bool");
}

std::string quoted(StringRef text) {
  auto escape = [](uint32_t character) {
    return character < 0x10000 ? "\\u" + hexadecimal(character, 4) : "\\U" + hexadecimal(character, 8);
  };
  return "\"" + literal(text, escape) + "\"";
}

/// What Go has of `metrics`, which C has filled in.
const std::string metricsOfC = "Metrics{float64(metrics.loss_sum), float64(metrics.loss_weight), "
                               "int64(metrics.correct), int64(metrics.count)}";

class Go : Writer {
public:
  explicit Go(const Description &model) : Writer(model, rules) {}
  std::string write() override;

private:
  void writeConstants();
  void writeStatus();
  void writeTable();
  void writeStep(const Step &step);
  void writeFunction(const Function &function);
};

void Go::writeConstants() {
  if (interface.batch)
    add("// Batch is the number of rows of a full batch.\nconst Batch = @batch@\n\n");
  Names constants({"Batch ArenaBytes Error Options Dtype Parameter Element Extra Metrics Model Status New"});
  for (const DimInterface &dim : interface.openDims)
    add("// @constant@ is the largest size of '@dim@'.\nconst @constant@ = @bound@\n\n",
        {{"dim", inAnyComment(dim.name)},
         {"constant", constants.unique(camel(StringRef(constantOf(dim, interface)).lower(), true))},
         {"bound", std::to_string(dim.bound)}});
  add(commonTypes);
}

void Go::writeStatus() {
  text += "// Status says what kind of error it is.\ntype Status int32\n\n// The statuses of the "
          "runtime.\nconst (\n";
  constexpr size_t longest = 23; // as gofmt lays it out
  for (const Status &status : Description::statuses()) {
    const std::string constant = "Status" + camel(status.name, true), number = std::to_string(status.number);
    text += "\t" + constant + std::string(longest - constant.size(), ' ') + " Status = " + number +
            std::string(3 - number.size(), ' ') + "// " + status.about + "\n";
  }
  text += ")\n\n";
}

void Go::writeTable() {
  auto row = [&](const StateInterface &state) {
    return "\t{" + quoted(state.name) + ", " +
           StringRef(state.dtype == "bool" ? "Bool" : StringRef(state.dtype).upper()).str() + ", []int{" +
           shapeText(state) + "}, " + (state.trainable ? "true" : "false") + ", " +
           (state.kind == train::StateKind::Buffer ? "true" : "false") + "},\n";
  };
  text += "var parameters = []Parameter{\n";
  for (const StateInterface *parameter : model.parameters)
    text += row(*parameter);
  text += "}\n\n// Parameters are all parameters and buffers.\nfunc Parameters() []Parameter {\n"
          "\treturn append([]Parameter(nil), parameters...)\n}\n\n";
  if (model.gradientWeight)
    text += "// gradients also has what they are the mean over, which ReadGradient knows by this name.\n"
            "var gradients = append(Parameters(), []Parameter{\n" +
            row(*model.gradientWeight) + "}...)\n\n";
}

void Go::writeStep(const Step &step) {
  const std::string method = camel(step.name, true);
  text += "// " + method + " is " + step.name + " of the header.\n";
  for (const std::string &line : about(step))
    text += "// " + inAnyComment(line) + "\n";
  const std::string result = by(step.result, "float32", "Metrics", ""),
                    zero = by(step.result, "0, ", "Metrics{}, ", ""),
                    variable = by(step.result, "loss", "metrics", "");
  std::string parameters, checks, copies, passed;
  auto addCheck = [&](const std::string &call) {
    checks += "\tif err := " + call + "; err != nil {\n\t\treturn " + zero + "err\n\t}\n";
  };
  for (const Size &size : sizes(step)) {
    parameters += (parameters.empty() ? "" : ", ") + size.name + " int";
    addCheck("within(\"" + step.name + "\", \"" + size.name + "\", " + size.name + ", " +
             std::to_string(size.largest) + ")");
  }
  for (const Number &number : numbersOf(step))
    passed += ", " + (number.name.empty() ? number.literal : "C.int64_t(" + number.name + ")");
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    parameters += (parameters.empty() ? "" : ", ") + local + " []" + typeOf(argument.tensor->dtype).str();
    std::vector<std::string> shape = extents(*argument.tensor, step);
    addCheck("exact(\"" + step.name + "\", " + quoted(argument.tensor->name) + ", len(" + local + ")" +
             (shape.empty() ? "" : ", ") + joined(shape) + ")");
    passed += ", (*C." + cTypeName(argument.tensor->dtype).str() + ")(" +
              (step.keepsInputs ? "keep(&kept, " + local + ")" : "unsafe.Pointer(&" + local + "[0])") + ")";
  }
  addCheck("m.begin(\"" + step.name + "\")");
  if (!variable.empty())
    passed += ", &" + variable;
  const std::string returned = result.empty() ? "error" : "(" + result + ", error)";
  add("func (m *Model) @method@(@parameters@) @returned@ {\n@checks@\tdefer m.end()\n",
      {{"method", method}, {"parameters", parameters}, {"returned", returned}, {"checks", checks}});
  const std::string call = "m.check(C." + name + "_" + step.name + "(m.handle" + passed + "))";
  if (step.keepsInputs) {
    text += "\tvar kept []unsafe.Pointer\n\tif err := " + call +
            "; err != nil {\n\t\tforget(&kept)\n\t\treturn err\n\t}\n\tm.kept = kept\n\treturn nil\n}\n\n";
    return;
  }
  if (step.result == Result::Nothing) {
    text += "\treturn " + call + "\n}\n\n";
    return;
  }
  text += "\tvar " + variable + by(step.result, " C.float\n", " C.dlc_metrics\n", "") +
          "\tif err := " + call + "; err != nil {\n\t\treturn " + zero + "err\n\t}\n";
  text += "\treturn " + by(step.result, "float32(loss)", metricsOfC, "") + ", nil\n}\n\n";
}

void Go::writeFunction(const Function &function) {
  const std::string method = camel(function.name, true);
  text += "// " + method + " is " + function.name + " of the header.\n";
  for (const std::string &line : about(function))
    text += "// " + line + "\n";
  const std::string number = typeOf(model.all.dtype).str(), cNumber = cTypeName(model.all.dtype).str(),
                    &result = function.ofResult,
                    type = result.empty() ? ""
                                          : by(function, "string", "Metrics", typeOf(function.result).str()),
                    zero = result.empty() ? "" : by(function, "\"\", ", "Metrics{}, ", "0, ");
  std::string parameters, prepared, passed;
  bool hasError = false; // declared
  auto addText = [&](const std::string &made, const std::string &local) {
    prepared += "\t" + made + ", err := text(\"the " + local + "\", " + local +
                ")\n\tif err != nil {\n\t\treturn " + zero + "err\n\t}\n\tdefer C.free(unsafe.Pointer(" +
                made + "))\n";
    passed += ", " + made;
    hasError = true;
  };
  for (const Value &value : function.values) {
    const std::string local = camel(value.name, false);
    parameters += (parameters.empty() ? "" : ", ") + local;
    switch (value.kind) {
    case Taken::Path:
    case Taken::Text:
      parameters += " string";
      addText(camel("c_" + value.name, false), local);
      break;
    case Taken::Real:
      parameters += " float64";
      passed += ", C.double(" + local + ")";
      break;
    case Taken::Number:
      parameters += " uint64";
      passed += ", C.uint64_t(" + local + ")";
      break;
    case Taken::Truth:
      parameters += " bool";
      passed += ", truth(" + local + ")";
      break;
    case Taken::Values:
    case Taken::Place:
      parameters += " []" + number;
      if (function.values.size() > 1)
        prepared += countOf(function, "\tcount := #\n\tif trainableOnly {\n\t\tcount = @\n\t}\n");
      prepared += "\tif err := exact(\"" + function.name + "\", \"values\", len(values), " +
                  countOf(function, "count") + "); err != nil {\n\t\treturn err\n\t}\n";
      passed += ", (*C." + cNumber + ")(first(values)), C.int64_t(len(values))";
      break;
    }
  }
  const bool givesText = function.result == "text";
  if (!result.empty()) {
    prepared += "\tvar " + result + " " +
                by(function, "string", "C.dlc_metrics", "C." + cTypeName(function.result).str()) + "\n";
    passed += ", &" + (givesText ? "found" : result);
  }
  const std::string inC = "C." + name + "_" + function.name + "(m.handle" + passed + ")";
  // C may change a text in its next call, which another goroutine may make.
  const std::string body = givesText ? "var found *C.char\n\t\tstatus := " + inC + "\n\t\t" + result +
                                           " = C.GoString(found)\n\t\treturn status"
                                     : "return " + inC;
  const std::string call = "m.call(\"" + function.name + "\", func() C.dlc_status {\n\t\t" + body + "\n\t})";
  add("func (m *Model) @method@(@parameters@) @returned@ {\n@prepared@@end@}\n\n",
      {{"method", method},
       {"parameters", parameters},
       {"returned", result.empty() ? "error" : "(" + type + ", error)"},
       {"prepared", prepared},
       {"end", result.empty()
                   ? "\treturn " + call + "\n"
                   : (hasError ? "\terr = " : "\terr := ") + call + "\n\treturn " +
                         by(function, result, metricsOfC, type + "(" + result + ")") + ", err\n"}});
}

std::string Go::write() {
  values.push_back({"package", Names(rules).unique(StringRef(name).lower())});
  add(preamble);
  writeConstants();
  writeStatus();
  if (interface.hasLoss)
    add(metricsType);
  add(entryType);
  writeTable();
  add(checks);
  add(life, {{"kept", interface.hasLoss ? "\tkept   []unsafe.Pointer // inputs of a step in slices\n" : ""},
             {"forget", interface.hasLoss ? "\tforget(&m.kept)\n" : ""}});
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
    add(toMemory, {{"function", function}, {"Method", camel(function, true)}, {"Saved", camel(saved, true)}});
  }
  add(fromMemory);
  add(named, {{"what", "parameter"}, {"What", "Parameter"}, {"table", "parameters"}});
  if (interface.hasLoss)
    add(named, {{"what", "gradient"},
                {"What", "Gradient"},
                {"table", model.gradientWeight ? "gradients" : "parameters"}});
  text.pop_back(); // gofmt has no empty line at the end
  return text;
}

} // namespace

File writeGo(const Description &model) { return {model.interface.name + ".go", Go(model).write()}; }

} // namespace dlc::emit::bindings

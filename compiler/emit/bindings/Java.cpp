//===- Java.cpp - a compiled model as a class of Java ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/EntryPatterns.h"
#include "compiler/emit/bindings/JavaPatterns.h"
#include "compiler/emit/bindings/Languages.h"
#include "compiler/emit/bindings/Writer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::emit::bindings {
using namespace java;

namespace {

#define DLC_JAVA_KEYWORDS                                                                                    \
  "abstract assert boolean break byte case catch char class const continue default do double else enum "     \
  "extends final "                                                                                           \
  "finally float for goto if implements import instanceof int interface long native new package private "    \
  "protected "                                                                                               \
  "public return short static strictfp super switch synchronized this throw throws transient try void "      \
  "volatile while "                                                                                          \
  "true false null var yield record sealed permits _ "

const NameRules rules{DLC_JAVA_KEYWORDS
                      "rows handle lock kept copies result Reference ByteOrder Memory Metrics"};

/// The names that a class must not have, because the file defines or uses them.
const NameRules classRules{
    DLC_JAVA_KEYWORDS
    "Status Options Metrics Parameter Extra Dtype ModelException String Object Native NativeLibrary Pointer "
    "Memory Buffer Integer Long Float Double Reference ReentrantLock List Arrays StandardCharsets "
    "IllegalArgumentException RuntimeException AutoCloseable Override ByteOrder Function"};

struct Type {
  const char *element, *buffer;
  int bytes;
};

Type typeOf(StringRef dtype) {
  return StringSwitch<Type>(dtype)
      .Case("f32", {"float", "java.nio.FloatBuffer", 4})
      .Case("f64", {"double", "java.nio.DoubleBuffer", 8})
      .Case("i32", {"int", "java.nio.IntBuffer", 4})
      .Case("i64", {"long", "java.nio.LongBuffer", 8})
      .Cases({"bf16", "f16"}, {"short", "java.nio.ShortBuffer", 2})
      .Default({"byte", "java.nio.ByteBuffer", 1});
}

/// Java reads \u before anything else, so that a line's end or a quote written thus would be one.
std::string quoted(StringRef text) {
  auto escape = [](uint32_t character) -> std::string {
    if (character < 0x80)
      return std::string("\\") + char('0' + character / 64) + char('0' + character / 8 % 8) +
             char('0' + character % 8);
    if (character < 0x10000)
      return "\\u" + hexadecimal(character, 4);
    return "\\u" + hexadecimal(0xd800 + ((character - 0x10000) >> 10), 4) + "\\u" +
           hexadecimal(0xdc00 + ((character - 0x10000) & 0x3ff), 4);
  };
  return "\"" + literal(text, escape) + "\"";
}

class Java : Writer {
public:
  explicit Java(const Description &model)
      : Writer(model, rules), className(Names(classRules).unique(camel(name, true))) {}
  std::string write() override;
  const std::string className;

private:
  std::string constants();
  void writeStatus();
  void writeTable();
  void writeNamed(StringRef what, StringRef table);
  void writeStep(const Step &step, bool ofBuffers);
  void writeFunction(const Function &function, bool ofBuffers);
};

std::string Java::constants() {
  std::string result;
  if (interface.batch)
    result += "    /** Rows of a full batch. */\n    public static final int BATCH = " +
              std::to_string(interface.batch) + ";\n";
  for (const DimInterface &dim : interface.openDims)
    result += "    /** The largest size of '" + inMarkup(dim.name) + "'. */\n    public static final int " +
              constantOf(dim, interface) + " = " + std::to_string(dim.bound) + ";\n";
  return result;
}

void Java::writeStatus() {
  text += "    /** What kind of error it is. */\n    public enum Status {\n";
  for (const Status &status : Description::statuses())
    text += "        /** " + inMarkup(status.about) + " */\n        " + StringRef(status.name).upper() + "(" +
            std::to_string(status.number) + "),\n";
  add(R"(        /** One that this file does not know. */
        OTHER(-1);

        public final int number;
        Status(int number) { this.number = number; }
        static Status of(int number) {
            for (Status status : values()) if (status.number == number) return status;
            return OTHER;
        }
    }

)");
}

void Java::writeTable() {
  auto row = [&](const StateInterface &state) {
    return "            new Parameter(" + quoted(state.name) + ", Dtype." + StringRef(state.dtype).upper() +
           ", " + (state.trainable ? "true" : "false") + ", " +
           (state.kind == train::StateKind::Buffer ? "true" : "false") + (state.bounds.empty() ? "" : ", ") +
           shapeText(state) + ")";
  };
  std::vector<std::string> rows;
  for (const StateInterface *parameter : model.parameters)
    rows.push_back(row(*parameter));
  const char *pattern = "    /** @about@ */\n    @access@ static final List<Parameter> @table@ = "
                        "Collections.unmodifiableList(Arrays.asList(new Parameter[] {\n@rows@}));\n\n";
  add(pattern, {{"about", "All parameters and buffers."},
                {"access", "public"},
                {"table", "PARAMETERS"},
                {"rows", joined(rows, ",\n")}});
  if (!model.gradientWeight)
    return;
  rows.push_back(row(*model.gradientWeight));
  add(pattern, {{"about", "And what gradients are the mean over."},
                {"access", "private"},
                {"table", "GRADIENTS"},
                {"rows", joined(rows, ",\n")}});
}

void Java::writeNamed(StringRef what, StringRef table) {
  std::map<std::string, std::vector<std::string>> byElement; // bf16 and f16 are one type of Java
  for (const std::string &dtype : model.dtypes)
    byElement[typeOf(dtype).element].push_back(dtype);
  for (const auto &[element, dtypes] : byElement) {
    const Type type = typeOf(dtypes.front());
    std::vector<std::string> names;
    for (const std::string &dtype : dtypes)
      names.push_back("Dtype." + StringRef(dtype).upper());
    add(named, {{"what", what.str()},
                {"What", camel(what, true)},
                {"table", table.str()},
                {"element", element},
                {"buffer", type.buffer},
                {"bytes", std::to_string(type.bytes)},
                {"order", type.bytes == 1 ? "ByteOrder.nativeOrder()" : "values.order()"},
                {"dtypes", joined(names)}});
  }
}

void Java::writeStep(const Step &step, bool ofBuffers) {
  std::string comment, parameters, checks, copies, passed, fences;
  size_t count = 0;
  for (const std::string &line : about(step))
    comment += comment.empty() ? "     * " + inMarkup(line) + "\n     * <ul>\n"
                               : "     * <li>" + inMarkup(line) + "</li>\n";
  auto separate = [&] { return parameters.empty() ? "" : ", "; };
  for (const Size &size : sizes(step)) {
    parameters += separate() + ("int " + size.name);
    checks += "        within(\"" + step.name + "\", \"" + size.name + "\", " + size.name + ", " +
              std::to_string(size.largest) + ");\n";
  }
  for (const Number &number : numbersOf(step))
    passed += ", " + (number.name.empty() ? number.literal + "L" : "(long) " + number.name);
  for (const Argument &argument : step.arguments) {
    const std::string &local = nameOf(*argument.tensor);
    const Type type = typeOf(argument.tensor->dtype);
    const std::string key = quoted(argument.tensor->name);
    std::string shape;
    for (const std::string &extent : extents(*argument.tensor, step))
      shape += ", " + std::string(isDigit(extent[0]) ? extent + "L" : "(long) " + extent);
    parameters +=
        separate() + std::string(ofBuffers ? type.buffer : std::string(type.element) + "[]") + " " + local;
    checks += "        exact(\"" + step.name + "\", " + key + ", " + local +
              (ofBuffers ? ".remaining()" : ".length") + shape + ");\n";
    const std::string order = type.bytes == 1 ? "ByteOrder.nativeOrder()" : local + ".order()";
    passed +=
        ", " + (ofBuffers ? "address(\"" + step.name + "\", " + key + ", " + local + ", " + order + ", " +
                                std::to_string(type.bytes) + (argument.isOutput ? ", true)" : ", false)")
                : step.keepsInputs ? "copies[" + std::to_string(count++) + "]"
                                   : local);
    copies += (copies.empty() ? "copy(" : ", copy(") + local + ")";
    if (ofBuffers)
      fences += "        Reference.reachabilityFence(" + local + ");\n";
  }
  const std::string result = by(step.result, "float", "Metrics", "void");
  if (step.result != Result::Nothing)
    passed += ", result";
  if (ofBuffers)
    comment = "     * The same with direct buffers, which are not copied.\n";
  add(R"(    /**
@comment@     */
    public @result@ @method@(@parameters@) {
@checks@@memory@        @call@("@step@"@passed@);
@fences@@return@    }

)",
      {{"comment", comment + (ofBuffers ? "" : "     * </ul>\n")},
       {"result", result},
       {"method", camel(step.name, false)},
       {"parameters", parameters},
       {"checks", checks},
       {"memory", step.keepsInputs ? "        Memory[] copies = {" + copies + "};\n"
                                   : by(step.result, "        Memory result = new Memory(4);\n",
                                        "        Memory result = new Memory(32);\n", "")},
       {"call", step.keepsInputs ? "begin" : "call"},
       {"step", step.name},
       {"passed", (step.keepsInputs ? ", copies" : "") + passed},
       {"fences", fences},
       {"return", by(step.result, "        return result.getFloat(0);\n",
                     "        return new Metrics(result);\n", "")}});
}

void Java::writeFunction(const Function &function, bool ofBuffers) {
  std::string comment, parameters, checks, passed, fences;
  for (const std::string &line : about(function))
    comment += "     * " + inMarkup(line) + "\n";
  const Type number = typeOf(model.all.dtype);
  for (const Value &value : function.values) {
    const std::string local = camel(value.name, false);
    parameters += parameters.empty() ? "" : ", ";
    switch (value.kind) {
    case Taken::Path:
      parameters += "String path";
      passed += ", (Object) text(\"the path\", path)";
      break;
    case Taken::Text:
      parameters += "String " + local;
      passed += ", text(\"the " + local + "\", " + local + ")";
      break;
    case Taken::Real:
    case Taken::Number:
      parameters += (value.kind == Taken::Real ? "double " : "long ") + local;
      passed += ", " + local;
      break;
    case Taken::Truth:
      parameters += "boolean " + local;
      passed += ", " + local + " ? 1 : 0";
      break;
    case Taken::Values:
    case Taken::Place: {
      const std::string length = ofBuffers ? "values.remaining()" : "values.length";
      parameters += (ofBuffers ? number.buffer : std::string(number.element) + "[]") + " values";
      checks += "        exact(\"" + function.name + "\", \"values\", " + length + ", " +
                countOf(function, "trainableOnly ? @ : #") + ");\n";
      passed += ", " +
                (ofBuffers ? "address(\"" + function.name + "\", \"values\", values, values.order(), " +
                                 std::to_string(number.bytes) +
                                 (value.kind == Taken::Place ? ", true)" : ", false)")
                           : "values") +
                ", (long) " + length;
      if (ofBuffers)
        fences += "        Reference.reachabilityFence(values);\n";
      break;
    }
    }
  }
  const bool gives = !function.result.empty(), givesText = function.result == "text";
  const std::string &result = function.ofResult,
                    type =
                        gives ? by(function, "String", "Metrics", typeOf(function.result).element) : "void";
  if (gives) {
    checks += "        Memory " + result + " = new Memory(" +
              by(function, "8", "32", std::to_string(typeOf(function.result).bytes)) + ");\n";
    passed += ", " + result;
  }
  if (ofBuffers)
    comment = "     * The same with a direct buffer, which is not copied.\n";
  const std::string returned = gives ? "        return " +
                                           by(function, "", "new Metrics(" + result + ")",
                                              result + ".get" + camel(type, true) + "(0)") +
                                           ";\n"
                                     : "";
  add("    /**\n@comment@     */\n    public @type@ @method@(@parameters@) {\n@checks@@call@@fences@@return@ "
      "   "
      "}\n\n",
      {{"comment", comment},
       {"type", type},
       {"method", camel(function.name, false)},
       {"parameters", parameters},
       {"checks", checks},
       {"call", filled(givesText ? reading : "        call(\"@function@\"@passed@);\n",
                       {{"function", function.name}, {"passed", passed}, {"result", result}})},
       {"fences", fences},
       {"return", givesText ? "" : returned}});
}

std::string Java::write() {
  values.push_back({"class", className});
  values.push_back({"package", Names(rules).unique(StringRef(name).lower())});
  add(preamble, {{"constants", constants()}});
  writeStatus();
  add(commonTypes);
  if (interface.hasLoss)
    add(metricsType);
  add(entryType);
  writeTable();
  add(life);
  for (const Step &step : model.steps)
    for (bool ofBuffers : {false, true})
      if (!ofBuffers || !(step.arguments.empty() || step.keepsInputs)) // what is copied is no buffer
        writeStep(step, ofBuffers);
  if (interface.hasLoss)
    add(training);
  auto takesArray = [](const Value &value) {
    return value.kind == Taken::Values || value.kind == Taken::Place;
  };
  for (const Function &function : model.functions)
    for (bool ofBuffers : {false, true})
      if (!ofBuffers || any_of(function.values, takesArray))
        writeFunction(function, ofBuffers);
  add(entries);
  for (const StateInterface *state : model.hyperparameters)
    add(hyperparameter, {{"setting", state->name},
                         {"Setting", camel(state->name, true)},
                         {"range", inMarkup(rangeOf(*state))}});
  add(memory);
  writeNamed("parameter", "PARAMETERS");
  if (interface.hasLoss)
    writeNamed("gradient", model.gradientWeight ? "GRADIENTS" : "PARAMETERS");
  text += "}\n";
  return text;
}

} // namespace

File writeJava(const Description &model) {
  Java writer(model);
  std::string text = writer.write();
  return {writer.className + ".java", text};
}

} // namespace dlc::emit::bindings

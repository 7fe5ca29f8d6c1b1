//===- CustomSources.cpp - users' functions as object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each source is compiled behind the declarations of its functions. So clang itself says, at the user's line,
// where a definition does not fit; and the names that the linker sees are chosen there, so that models of
// several libraries may have functions of the same names.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/support/Programs.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace dlc::codegen {

using Functions = SmallVector<train::CustomFunctionOp>;

std::string customSymbol(train::CustomFunctionOp function) {
  return (function->getParentOfType<train::ProgramOp>().getSymName() + ".custom." + function.getFunction())
      .str();
}

static StringRef elementName(Type element) {
  return element.isF32()                 ? "float"
         : element.isF64()               ? "double"
         : element.isSignlessInteger(32) ? "int32_t"
         : element.isSignlessInteger(64) ? "int64_t"
                                         : "uint8_t"; // one byte for a truth value, 0 or 1
}

std::string customPrototype(train::CustomFunctionOp function) {
  std::vector<std::string> parameters;
  for (train::CustomTensor tensor : function.inputTensors())
    parameters.push_back(("const " + elementName(tensor.getElement()) + " *" + tensor.getName()).str());
  for (train::CustomTensor tensor : function.outputTensors())
    parameters.push_back((elementName(tensor.getElement()) + " *" + tensor.getName()).str());
  for (StringRef name : function.sizeNames())
    parameters.push_back(("int64_t " + name).str());
  for (train::CustomSetting setting : function.settingList())
    parameters.push_back((elementName(setting.getType()) + " " + setting.getName()).str());
  return ("void " + function.getFunction() + "(" + llvm::join(parameters, ", ") + ")").str();
}

/// What stands in front of a source. The types are those of <stdint.h>, without a header that another
/// machine's C library would have to have.
static std::string declarationsOf(ArrayRef<train::CustomFunctionOp> functions) {
  std::string text = "#line 1 \"the declarations that dlc makes of the operations' file\"\n"
                     "typedef __UINT8_TYPE__ uint8_t; typedef __INT32_TYPE__ int32_t; "
                     "typedef __INT64_TYPE__ int64_t;\n";
  for (train::CustomFunctionOp function : functions)
    text += customPrototype(function) + " __asm__(\"" + customSymbol(function) +
            "\") __attribute__((visibility(\"hidden\")));\n";
  return text;
}

static llvm::Expected<std::string> findClang(StringRef given, train::CustomFunctionOp function) {
  if (!given.empty() && !llvm::sys::fs::can_execute(given))
    return llvm::createStringError("--clang=" + given + ": no program is there");
  if (!given.empty())
    return given.str();
  for (StringRef name : {"clang-22", "clang"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return llvm::createStringError(
      "the custom operation '" + function.getSymName() +
      "' has C source, which clang compiles, and there is no clang on PATH; --clang "
      "names the file");
}

/// Each source in the order in which functions name it, with its functions.
static llvm::MapVector<StringAttr, Functions> sourcesOf(train::ProgramOp program) {
  llvm::MapVector<StringAttr, Functions> sources;
  for (auto function : program.getBody().getOps<train::CustomFunctionOp>()) {
    Functions &functions = sources[function.getSourceAttr()];
    // Two operations may have one function, as long as it is declared alike.
    if (llvm::none_of(functions,
                      [&](auto other) { return customPrototype(other) == customPrototype(function); }))
      functions.push_back(function);
  }
  return sources;
}

static std::vector<std::string> argumentsFor(StringRef clang, const CpuTarget &target,
                                             const ObjectOptions &options) {
  std::vector<std::string> arguments{clang.str(),
                                     options.output == ObjectOptions::Output::Object ? "-c" : "-S",
                                     "-x",
                                     "c",
                                     "-std=gnu17",
                                     "-O" + std::to_string(options.optLevel),
                                     "-fPIC",
                                     "-fno-math-errno",
                                     "-fno-asynchronous-unwind-tables",
                                     "-fno-color-diagnostics",
                                     "-Qn", // no version in the object
                                     "--target=" + target.triple};
  if (options.output == ObjectOptions::Output::LLVMIR)
    arguments.push_back("-emit-llvm");
  auto pass = [&](StringRef flag, StringRef value) {
    for (StringRef text : {StringRef("-Xclang"), flag, StringRef("-Xclang"), value})
      arguments.push_back(text.str());
  };
  pass("-target-cpu", target.cpu);
  for (StringRef feature : llvm::split(target.features, ','))
    if (!feature.empty())
      pass("-target-feature", feature);
  return arguments;
}

/// All functions are there, and nothing else that another library could have, too.
static llvm::Error checkSymbols(StringRef object, StringRef source,
                                ArrayRef<train::CustomFunctionOp> functions) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, source));
  if (!file)
    return file.takeError();
  llvm::StringSet<> defined;
  for (const llvm::object::SymbolRef &symbol : (*file)->symbols()) {
    auto flags = symbol.getFlags();
    if (!flags)
      return flags.takeError();
    auto name = symbol.getName();
    if (!name)
      return name.takeError();
    if ((*flags & llvm::object::SymbolRef::SF_Global) && !(*flags & llvm::object::SymbolRef::SF_Undefined))
      defined.insert(*name);
  }
  for (train::CustomFunctionOp function : functions)
    if (!defined.erase(customSymbol(function)))
      return llvm::createStringError(source + ": expected a definition of the function '" +
                                     function.getFunction() + "' of the custom operation '" +
                                     function.getSymName() + "':\n" + customPrototype(function));
  if (defined.empty())
    return llvm::Error::success();
  std::vector<StringRef> names(defined.keys().begin(), defined.keys().end());
  return llvm::createStringError(source + ": '" + *llvm::min_element(names) +
                                 "' would meet functions and variables of that name in the program that uses "
                                 "the library; make it static");
}

static llvm::Expected<std::string> compileSource(StringRef source,
                                                 ArrayRef<train::CustomFunctionOp> functions,
                                                 std::vector<std::string> arguments, bool isObject) {
  train::CustomFunctionOp first = functions.front();
  // A name that begins with "-" or "@" would be no file to clang.
  SmallString<256> path(source);
  if (std::error_code error = llvm::sys::fs::make_absolute(path))
    return llvm::createStringError(error, source + ": " + error.message());
  if (!llvm::sys::fs::is_regular_file(path))
    return llvm::createStringError("the source '" + source + "' of the custom operation '" +
                                   first.getSymName() + "' is no file");
  auto declarations = TemporaryFile::create("h", declarationsOf(functions)),
       output = TemporaryFile::create("o");
  for (auto *file : {&declarations, &output})
    if (!*file)
      return file->takeError();
  for (const std::string &argument : {std::string("-include"), declarations->path, std::string("-o"),
                                      output->path, std::string("--"), path.str().str()})
    arguments.push_back(argument);
  if (llvm::Error error = runProgram(arguments))
    return llvm::createStringError("the source of the custom operation '" + first.getSymName() +
                                   "' does not compile; " + arguments.front() + " says\n" +
                                   llvm::toString(std::move(error)));
  auto bytes = output->read();
  if (bytes && isObject)
    if (llvm::Error error = checkSymbols(*bytes, source, functions))
      return std::move(error);
  return bytes;
}

llvm::Expected<std::vector<std::pair<std::string, std::string>>>
compileCustomSources(train::ProgramOp program, const CpuTarget &target, const ObjectOptions &options,
                     StringRef clang) {
  std::vector<std::pair<std::string, std::string>> compiled;
  llvm::StringSet<> names;
  for (auto &[source, functions] : sourcesOf(program)) {
    llvm::Expected<std::string> compiler = findClang(clang, functions.front());
    if (!compiler)
      return compiler.takeError();
    llvm::Expected<std::string> code =
        compileSource(source.getValue(), functions, argumentsFor(*compiler, target, options),
                      options.output == ObjectOptions::Output::Object);
    if (!code)
      return code.takeError();
    std::string stem = ("custom." + llvm::sys::path::stem(source.getValue())).str(), name = stem;
    for (unsigned i = 1; !names.insert(name).second; ++i)
      name = stem + "_" + std::to_string(i);
    compiled.emplace_back(name, std::move(*code));
  }
  return compiled;
}

} // namespace dlc::codegen

//===- UserSources.cpp - sources of users' functions, compiled by clang ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/UserSources.h"
#include "compiler/support/Programs.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace mlir;

namespace dlc::codegen {

static StringRef elementName(Type element) {
  return element.isF32()                 ? "float"
         : element.isF64()               ? "double"
         : element.isSignlessInteger(32) ? "int32_t"
         : element.isSignlessInteger(64) ? "int64_t"
                                         : "uint8_t"; // one byte for a truth value, 0 or 1
}

static std::string prototypeOf(train::CustomFunctionOp function, StringRef name) {
  std::vector<std::string> parameters;
  for (train::CustomTensorAttr tensor : function.inputTensors())
    parameters.push_back(("const " + elementName(tensor.getElement()) + " *" + tensor.getName()).str());
  for (train::CustomTensorAttr tensor : function.outputTensors())
    parameters.push_back((elementName(tensor.getElement()) + " *" + tensor.getName()).str());
  for (StringRef size : function.sizeNames())
    parameters.push_back(("int64_t " + size).str());
  for (train::CustomSettingAttr setting : function.settingList())
    parameters.push_back((elementName(setting.getType()) + " " + setting.getName()).str());
  return ("void " + name + "(" + llvm::join(parameters, ", ") + ")").str();
}

std::vector<UserSource> userSources(train::ProgramOp program, CodeOf codeOf) {
  std::vector<UserSource> sources;
  for (auto op : program.getBody().getOps<train::CustomFunctionOp>()) {
    auto [path, name] = codeOf(op);
    if (path.empty())
      continue;
    auto source = llvm::find_if(sources, [&, p = path](const UserSource &known) { return known.path == p; });
    if (source == sources.end())
      source = sources.insert(source, UserSource{path.str(), {}});
    // Two operations may have one function, as long as it is declared alike.
    std::string prototype = prototypeOf(op, name);
    if (llvm::none_of(source->functions, [&](const auto &known) { return known.prototype == prototype; }))
      source->functions.push_back({op, op.getSymName().str(), name.str(), prototype});
  }
  return sources;
}

std::string userDeclarations(StringRef declarations) {
  return "#line 1 \"the declarations that dlc makes of the operations' file\"\n"
         "typedef __UINT8_TYPE__ uint8_t; typedef __INT32_TYPE__ int32_t; "
         "typedef __INT64_TYPE__ int64_t;\n" +
         declarations.str();
}

static std::string operationOf(const UserSource &source) {
  return "the custom operation '" + source.functions.front().operation + "'";
}

llvm::Expected<std::string> findClang(StringRef given, const UserSource &source) {
  if (!given.empty() && !llvm::sys::fs::can_execute(given))
    return llvm::createStringError("--clang=" + given + ": no program is there");
  if (!given.empty())
    return given.str();
  for (StringRef name : {"clang-22", "clang"})
    if (auto found = llvm::sys::findProgramByName(name))
      return *found;
  return llvm::createStringError(operationOf(source) +
                                 " has source that clang compiles, and there is no clang on PATH; --clang "
                                 "names the file");
}

llvm::Expected<std::string> runClang(const UserSource &source, StringRef declarations,
                                     std::vector<std::string> arguments) {
  // A name that begins with "-" or "@" would be no file to clang.
  SmallString<256> path(source.path);
  if (std::error_code error = llvm::sys::fs::make_absolute(path))
    return llvm::createStringError(error, source.path + ": " + error.message());
  if (!llvm::sys::fs::is_regular_file(path))
    return llvm::createStringError("the source '" + source.path + "' of " + operationOf(source) +
                                   " is no file");
  auto header = TemporaryFile::create("h", declarations), output = TemporaryFile::create("o");
  for (auto *file : {&header, &output})
    if (!*file)
      return file->takeError();
  for (const std::string &argument : {std::string("-include"), header->path, std::string("-o"), output->path,
                                      std::string("--"), path.str().str()})
    arguments.push_back(argument);
  if (llvm::Error error = runProgram(arguments))
    return llvm::createStringError("the source of " + operationOf(source) + " does not compile; " +
                                   arguments.front() + " says\n" + llvm::toString(std::move(error)));
  return output->read();
}

llvm::Error notDefined(const UserSource &source, const UserFunction &function) {
  return llvm::createStringError(source.path + ": expected a definition of the function '" + function.name +
                                 "' of the custom operation '" + function.operation + "':\n" +
                                 function.prototype);
}

} // namespace dlc::codegen

//===- CustomSources.cpp - users' functions as object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names that the linker sees are chosen in the declarations in front of a source, so that models of
// several libraries may have functions of the same names.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/codegen/kernel/UserSources.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::codegen {

std::string customSymbol(train::CustomFunctionOp function) {
  return (function->getParentOfType<train::ProgramOp>().getSymName() + ".custom." + *function.getFunction())
      .str();
}

static std::string declarationsOf(const UserSource &source) {
  std::string text;
  for (const UserFunction &function : source.functions)
    text += function.prototype + " __asm__(\"" + customSymbol(function.op) +
            "\") __attribute__((visibility(\"hidden\")));\n";
  return userDeclarations(text);
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

/// Checks that the object defines all functions, and nothing else that another library could define, too.
static llvm::Error checkSymbols(StringRef object, const UserSource &source) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, source.path));
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
  for (const UserFunction &function : source.functions)
    if (!defined.erase(customSymbol(function.op)))
      return notDefined(source, function);
  if (defined.empty())
    return llvm::Error::success();
  std::vector<StringRef> names(defined.keys().begin(), defined.keys().end());
  return llvm::createStringError(source.path + ": '" + *llvm::min_element(names) +
                                 "' would meet functions and variables of that name in the program that uses "
                                 "the library; make it static");
}

static std::pair<StringRef, StringRef> codeForCpus(train::CustomFunctionOp function) {
  return {function.getSource().value_or(""), function.getFunction().value_or("")};
}

llvm::Expected<std::vector<std::pair<std::string, std::string>>>
compileCustomSources(train::ProgramOp program, const CpuTarget &target, const ObjectOptions &options,
                     StringRef clang) {
  std::vector<std::pair<std::string, std::string>> compiled;
  llvm::StringSet<> names;
  for (const UserSource &source : userSources(program, codeForCpus)) {
    llvm::Expected<std::string> compiler = findClang(clang, source);
    if (!compiler)
      return compiler.takeError();
    llvm::Expected<std::string> code =
        runClang(source, declarationsOf(source), argumentsFor(*compiler, target, options));
    if (!code)
      return code.takeError();
    if (options.output == ObjectOptions::Output::Object)
      if (llvm::Error error = checkSymbols(*code, source))
        return std::move(error);
    std::string stem = ("custom." + llvm::sys::path::stem(source.path)).str(), name = stem;
    for (unsigned i = 1; !names.insert(name).second; ++i)
      name = stem + "_" + std::to_string(i);
    compiled.emplace_back(name, std::move(*code));
  }
  return compiled;
}

} // namespace dlc::codegen

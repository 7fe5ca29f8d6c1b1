//===- UserSources.h - sources of users' functions, compiled by clang ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each source is compiled behind the declarations of its functions, which dlc makes. So clang itself says, at
// the user's line, where a definition does not fit.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_USERSOURCES_H
#define DLC_COMPILER_CODEGEN_KERNEL_USERSOURCES_H

#include "dialects/train/Custom.h"
#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace dlc::codegen {

/// The code of a user's function for one kind of machine.
struct UserFunction {
  train::CustomFunctionOp op;
  std::string operation, name;
  std::string prototype; ///< the declaration that it must fit, in C
};

struct UserSource {
  std::string path;
  std::vector<UserFunction> functions; ///< no two of the same declaration
};

/// The sources of the program's functions, in the order in which these name them. `codeOf` gives a source and
/// the function in it; an empty source where the machine has none.
using CodeOf = std::pair<llvm::StringRef, llvm::StringRef> (*)(train::CustomFunctionOp);
std::vector<UserSource> userSources(train::ProgramOp program, CodeOf codeOf);

/// What stands in front of a source: the types of <stdint.h>, without a header that another machine's C
/// library would have to have, and declarations.
std::string userDeclarations(llvm::StringRef declarations);

/// clang: `given`, or one on PATH. The error says that the source needs it.
llvm::Expected<std::string> findClang(llvm::StringRef given, const UserSource &source);

/// What clang makes of a source behind `declarations`, with `arguments` but for the files. An error has what
/// clang says.
llvm::Expected<std::string> runClang(const UserSource &source, llvm::StringRef declarations,
                                     std::vector<std::string> arguments);

/// The error that a source does not define a function.
llvm::Error notDefined(const UserSource &source, const UserFunction &function);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_USERSOURCES_H

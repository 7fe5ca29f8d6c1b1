//===- Verify.h - a compiled program, proved by the interpreter -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program is compiled and runs beside the interpreter, which knows nothing of decomposition, fusion and
// code generation and computes in double precision. What both share, the rules of gradients, is held to
// finite differences of the loss of the model as it was imported. docs/verifying.md says what is compared.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_VERIFY_H
#define DLC_COMPILER_VERIFY_VERIFY_H

#include "compiler/interpret/Tensor.h"
#include "compiler/pipeline/Options.h"
#include "compiler/verify/ProgramInstance.h"
#include "compiler/verify/Report.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <functional>
#include <memory>

namespace dlc::verify {

struct Settings {
  int64_t steps = 10;    ///< training steps that are followed
  double seconds = 0;    ///< of comparing, after which nothing new is begun; 0: no limit
  uint64_t seed = 0;     ///< of the inputs
  bool evaluates = true; ///< predictions, evaluation, accumulated gradients and other sizes too
  llvm::StringMap<interpret::Tensor> inputs;         ///< values in place of random ones
  std::function<void(const std::string &)> progress; ///< may be empty
};

/// Compiles a copy of the module's program; null after an error, which was reported.
using MakeInstance = llvm::function_ref<std::unique_ptr<ProgramInstance>(mlir::ModuleOp)>;

/// Compares what `makeInstance` makes of the imported program with the interpreter. The module stays as it
/// is.
Report verify(mlir::ModuleOp imported, const pipeline::Options &options, const Settings &settings,
              MakeInstance makeInstance);

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_VERIFY_H

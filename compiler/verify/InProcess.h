//===- InProcess.h - a program compiled into this process, which runs ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_INPROCESS_H
#define DLC_COMPILER_VERIFY_INPROCESS_H

#include "compiler/pipeline/Options.h"
#include "compiler/verify/ProgramInstance.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace dlc::verify {

/// The device and the number of threads that an instance runs on.
struct DeviceChoice {
  std::string device; ///< "cpu", "gpu", "gpu:1"; empty: the first of the targets that this machine has
  int32_t threads = 0; ///< 0: one per core
};

/// Compiles a copy of the module's program for this machine and makes an instance of it. Null after an error,
/// which was reported.
std::unique_ptr<ProgramInstance> compileInProcess(mlir::ModuleOp module, const pipeline::Options &options,
                                       const DeviceChoice &place);

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_INPROCESS_H

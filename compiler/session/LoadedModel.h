//===- LoadedModel.h - a program compiled into this process ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In place of a library: the object files of the pipeline are linked in memory, and the description of the
// model is what the runtime (dlc_instance_create) takes. Nothing is written to files.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SESSION_LOADEDMODEL_H
#define DLC_COMPILER_SESSION_LOADEDMODEL_H

#include "compiler/pipeline/Options.h"
#include "dlc/abi.h"
#include "mlir/IR/BuiltinOps.h"
#include <memory>

namespace dlc::session {

/// Code and description; both must live as long as the instances that were created of the model.
class LoadedModel {
public:
  ~LoadedModel();
  /// The initial values of its parameters are in memory. Those of large tensors lie in the context that the
  /// program was compiled in.
  const dlc_model *model() const;
  /// What was compiled, as JSON.
  const std::string &manifest() const;
  /// The address of a C function of the header, such as `mlp_train_step`, where load was asked for them; null
  /// where there is none of this name. Those that create an instance are not among them: the code has no
  /// initial values, which are with `model`.
  const void *function(llvm::StringRef name);

  struct Parts; ///< known to LoadedModel.cpp
  explicit LoadedModel(std::unique_ptr<Parts> parts);

private:
  std::unique_ptr<Parts> parts;
};

/// Compiles the module's program, which becomes the planned one, for this machine. Null after an error, which
/// was reported. Of the options, those about files have no effect.
/// With `functions`, those of the C header are there, too.
std::unique_ptr<LoadedModel> load(mlir::ModuleOp module, const pipeline::Options &options,
                                  bool functions = false);

} // namespace dlc::session

#endif // DLC_COMPILER_SESSION_LOADEDMODEL_H

//===- LoadedModel.h - a model, compiled and in memory ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_LOADEDMODEL_H
#define DLC_TOOLS_DLC_TRAIN_LOADEDMODEL_H

#include "tools/dlc/profile/CompiledModel.h"
#include "tools/dlc/train/Train.h"
#include <memory>

namespace dlc::tool::training {

/// Compiles a model to a library and loads it: the only place that knows how. The library lies in the output
/// folder if it is to be kept, else in a temporary one.
class LoadedModel {
public:
  LoadedModel(const TrainOptions &options, const Compiler &compiler);
  LoadedModel(const LoadedModel &) = delete;
  LoadedModel &operator=(const LoadedModel &) = delete;
  ~LoadedModel() { removeFiles(); }

  const dlc_model &model() const { return compiled->model(); }
  /// The file of initial parameters, which is there until removeFiles(); empty where the model has none.
  const std::string &weights() const { return compiled->weights(); }
  const std::string &loss() const { return files.loss; }
  /// After an instance was made: what is loaded needs no files.
  void removeFiles();

private:
  std::string temporary; ///< a folder, empty where it is gone
  CompiledFiles files;
  std::unique_ptr<CompiledModel> compiled;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_LOADEDMODEL_H

//===- ChosenTarget.h - the machines that a compilation is for -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_CHOSENTARGET_H
#define DLC_COMPILER_PIPELINE_CHOSENTARGET_H

#include "compiler/pipeline/KernelTarget.h"
#include "compiler/pipeline/Options.h"
#include <optional>
#include <string>
#include <vector>

namespace dlc::pipeline {

struct ChosenTarget {
  std::string name; ///< as --target names it
  CpuTarget cpu;    ///< of the kernels, or of what is around those of a GPU
  std::optional<GpuTarget> gpu;
  std::string ptxas; ///< empty where nothing is assembled

  /// The machine of the kernels.
  std::shared_ptr<const KernelTarget> kernels() const {
    return gpu ? KernelTarget::of(*gpu) : KernelTarget::of(cpu);
  }

  /// What the options name, in their order; an error where dlc has no code for it, or what shall be made does
  /// not fit it.
  static llvm::Expected<std::vector<ChosenTarget>> of(const Options &options);
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_CHOSENTARGET_H

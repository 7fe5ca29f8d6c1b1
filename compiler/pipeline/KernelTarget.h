//===- KernelTarget.h - a machine that kernels are made for ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_KERNELTARGET_H
#define DLC_COMPILER_PIPELINE_KERNELTARGET_H

#include "compiler/machine/GpuTarget.h"
#include "compiler/machine/MachineModel.h"
#include "mlir/Pass/PassManager.h"
#include <memory>

namespace dlc::pipeline {

/// What tells the targets apart on the way from the stage layout to the stage plan. A new kind of machine is
/// a new class in KernelTarget.cpp; the pipeline itself names none.
class KernelTarget {
public:
  virtual ~KernelTarget() = default;
  const MachineModel &model() const { return known; }
  /// Adds the passes of the stage schedule: the choice for each kernel, and its verifier.
  virtual void addSchedulePasses(mlir::OpPassManager &passes) const = 0;

  static std::shared_ptr<const KernelTarget> of(const CpuTarget &cpu);
  static std::shared_ptr<const KernelTarget> of(const GpuTarget &gpu);

protected:
  explicit KernelTarget(MachineModel model) : known(std::move(model)) {}

private:
  MachineModel known;
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_KERNELTARGET_H

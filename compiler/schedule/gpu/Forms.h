//===- Forms.h - the forms of kernels on GPUs ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All that the stage schedule knows of a form is in one file, which ends with its `GpuForm`. A new form is a
// new file, and a line of `forms` (Schedule.cpp); what its code is, codegen/gpu/Kernels.cpp says.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_GPU_FORMS_H
#define DLC_COMPILER_SCHEDULE_GPU_FORMS_H

#include "compiler/machine/gpu/Schedule.h"
#include "dialects/train/Train.h"

namespace dlc::schedule {

struct GpuForm {
  /// Whether the form is for this kernel. Of several, the first of `forms` is taken.
  bool (*fits)(train::KernelOp kernel);
  /// Null where the kernel cannot run on GPUs, which is told. `warpGroups`: all GPUs multiply in groups of
  /// warps.
  gpu::ScheduleAttr (*schedule)(train::KernelOp kernel, bool warpGroups);
  /// Whether a schedule is of this form.
  bool (*is)(gpu::ScheduleAttr schedule);
  /// Tells what does not go together in a kernel and a schedule of this form.
  mlir::LogicalResult (*verify)(train::KernelOp kernel, gpu::ScheduleAttr schedule);
  /// The shared memory of a block.
  int64_t (*sharedBytes)(train::KernelOp kernel, gpu::ScheduleAttr schedule);
};

extern const GpuForm attentionForm, transientForm, callForm, tiledForm, scatterForm, transposeForm,
    pointsForm;

/// The form of a schedule.
const GpuForm &formOf(gpu::ScheduleAttr schedule);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_GPU_FORMS_H

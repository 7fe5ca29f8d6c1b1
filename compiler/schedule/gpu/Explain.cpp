//===- Explain.cpp - what was decided of a kernel on a GPU, in words --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads decisions off the schedule, as schedule/cpu/Explain.cpp does for CPUs.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/schedule/gpu/Forms.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include "compiler/support/Remarks.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using mlir::remark::metric;

namespace dlc::schedule {
namespace {

/// How many blocks run, and whether these are enough for a large GPU.
void explainGrid(train::KernelOp kernel, gpu::ScheduleAttr schedule) {
  const bool areFew = schedule.getGrid() < GpuTarget::multiprocessors;
  auto remark = areFew ? remarks::missed(kernel, remarks::schedule, "grid")
                       : remarks::done(kernel, remarks::schedule, "grid");
  remark << "blocks of " << metric("threads", schedule.getThreads())
         << " threads: " << metric("blocks", schedule.getGrid());
  if (areFew)
    remark << ", fewer than the " << metric("multiprocessors", GpuTarget::multiprocessors)
           << " multiprocessors of a large GPU";
  if (const int64_t bytes = formOf(schedule).sharedBytes(kernel, schedule); bytes > 0)
    remark << "; each has " << metric("shared_bytes", bytes) << " bytes of shared memory";
}

/// How an operand of a product comes to shared memory.
void explainCopy(train::KernelOp kernel, linalg::GenericOp root, unsigned operand, gpu::CopyAttr copy) {
  const int64_t element = elementBytes(root.getDpsInputs()[operand]);
  const StringRef which = operand == 0 ? "left" : "right";
  const StringRef side = copy.getAlongSteps() ? "steps" : operand == 0 ? "rows" : "columns";
  if (copy.getBytes() > element)
    remarks::done(kernel, remarks::schedule, "copied")
        << "the " << which << " operand comes to shared memory in copies of "
        << metric("bytes", copy.getBytes()) << " bytes along its " << side;
  else if (copy.getBytes() > 0)
    remarks::missed(kernel, remarks::schedule, "copied")
        << "the " << which << " operand comes to shared memory in copies of one element of "
        << metric("bytes", copy.getBytes())
        << " bytes: its neighbours do not lie side by side, or its rows do not begin at multiples of wider "
           "copies";
  else
    remarks::missed(kernel, remarks::schedule, "copied")
        << "the " << which << " operand is brought to shared memory by threads, through their registers: "
        << "elements of " << metric("element_bytes", element)
        << " bytes cannot be copied one by one, and its rows do not begin at multiples of wider copies";
}

/// The rounds in which both operands of a tile come.
template <typename Form> void explainRounds(train::KernelOp kernel, Form form) {
  linalg::GenericOp root = analysis::contractionOf(kernel);
  if (form.getStages() > 1)
    remarks::done(kernel, remarks::schedule, "rounds")
        << "shared memory holds " << metric("stages", form.getStages()) << " rounds of "
        << metric("steps", form.getSteps()) << " steps: one is multiplied while the next ones come";
  explainCopy(kernel, root, 0, form.getLeft());
  explainCopy(kernel, root, 1, form.getRight());
}

void explainContraction(train::KernelOp kernel, gpu::ContractionAttr form) {
  remarks::done(kernel, remarks::schedule, "tile")
      << "a product in tiles of " << metric("rows", form.getRows()) << " rows x "
      << metric("columns", form.getColumns()) << " columns for a block, of which a thread makes "
      << metric("thread_rows", form.getThreadRows()) << " x "
      << metric("thread_columns", form.getThreadColumns()) << " sums in its registers";
  remarks::missed(kernel, remarks::schedule, "tensor-cores")
      << "no tensor cores: these multiply bf16, f16 and tf32, and the operands are "
      << llvm::to_string(getElementTypeOrSelf(analysis::contractionOf(kernel).getDpsInputs()[0]));
  explainRounds(kernel, form);
}

void explainMma(train::KernelOp kernel, gpu::MmaAttr form, bool isGroup) {
  {
    auto tile = remarks::done(kernel, remarks::schedule, "tile");
    tile << "a product in tiles of " << metric("rows", form.getRows()) << " rows x "
         << metric("columns", form.getColumns()) << " columns for a block, by tensor cores: ";
    if (isGroup)
      tile << "its four warps multiply together, as GPUs with groups of warps do";
    else
      tile << "a warp makes " << metric("warp_rows", form.getWarpRows()) << " x "
           << metric("warp_columns", form.getWarpColumns()) << " sums";
  }
  explainRounds(kernel, form);
}

void explainPoints(train::KernelOp kernel, gpu::PointsAttr form) {
  if (form.getMembers() == 1) {
    auto remark = remarks::done(kernel, remarks::schedule, "points");
    remark << "a thread computes all of a point of the common loops";
    if (form.getElements() > 1)
      remark << ", and " << metric("elements", form.getElements())
             << " neighbouring points, which it reads and writes at once";
    return;
  }
  {
    auto remark = remarks::done(kernel, remarks::schedule, "points");
    remark << metric("members", form.getMembers()) << " threads share a point of the common loops: ";
    if (form.getAcross())
      remark << "each makes a part of its sums, and neighbours of it are at neighbouring points";
    else
      remark << "they take its elements, and the terms of its sums, in turn";
  }
  if (form.getTurns() > 0)
    remarks::done(kernel, remarks::schedule, "kept")
        << "each thread keeps " << metric("turns", form.getTurns())
        << " elements of a row in registers, from one loop nest to the next";
  if (form.getShared() > 0)
    remarks::done(kernel, remarks::schedule, "handed")
        << "what one loop nest hands to the next lies in shared memory, " << metric("bytes", form.getShared())
        << " bytes for a point";
}

void explainForm(train::KernelOp kernel, gpu::ScheduleAttr schedule, bool warpGroups) {
  if (gpu::ContractionAttr form = schedule.contraction())
    explainContraction(kernel, form);
  else if (gpu::MmaAttr form = schedule.mma())
    explainMma(kernel, form,
               warpGroups && gpu::isOfWarpGroup(form.getRows(), schedule.getThreads(),
                                                analysis::lowTypeOf(analysis::contractionOf(kernel))));
  else if (gpu::AttentionAttr form = schedule.attention())
    remarks::done(kernel, remarks::schedule, "attention")
        << "an attention: a block has " << metric("rows", form.getRows()) << " queries, and goes through "
        << metric("keys", form.getKeys()) << " keys at a time; probabilities exist in registers only";
  else if (gpu::TransientAttr form = schedule.transient())
    remarks::done(kernel, remarks::schedule, "transient")
        << "matrices of which only tiles exist, in registers: a block has " << metric("rows", form.getRows())
        << " positions of one side, and makes their elements for " << metric("along", form.getAlong())
        << " positions of the other at a time";
  else if (gpu::TransposeAttr form = schedule.transpose())
    remarks::done(kernel, remarks::schedule, "transpose")
        << "transposes squares of " << metric("size", form.getSize()) << " rows and columns in shared memory";
  else if (gpu::ScatterAttr form = schedule.scatter())
    remarks::done(kernel, remarks::schedule, "scatter")
        << "a block owns " << metric("rows", form.getRows()) << " rows x "
        << metric("columns", form.getColumns())
        << " columns of the result, and adds what goes there in the order of the steps";
  else
    explainPoints(kernel, schedule.points());
}

} // namespace

void explainOnGpu(train::KernelOp kernel, bool warpGroups) {
  if (!remarks::areWanted(kernel))
    return;
  auto schedule = cast<gpu::ScheduleAttr>(kernel.getScheduleAttr());
  if (schedule.call())
    return;
  explainForm(kernel, schedule, warpGroups);
  explainGrid(kernel, schedule);
}

} // namespace dlc::schedule

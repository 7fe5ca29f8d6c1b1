//===- Explain.cpp - what was decided of a kernel on a CPU, in words --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads decisions off the schedule. Their reasons are those of the functions of Contraction.h, which are
// asked again.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/cpu/Chunks.h"
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/support/Elements.h"
#include "compiler/support/Remarks.h"

using namespace mlir;
using mlir::remark::metric;

namespace dlc::schedule {
namespace {

std::string timesOf(ArrayRef<int64_t> sizes) {
  std::string text;
  for (int64_t size : sizes)
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

/// Says how threads share the kernel, or why they do not.
void explainThreads(train::KernelOp kernel, cpu::ScheduleAttr schedule, int64_t work, int64_t least) {
  if (schedule.getSplit().empty()) {
    remarks::missed(kernel, remarks::schedule, "threads")
        << "runs on one thread: "
        << (work <= least ? "its work is less than it takes to wake others: "
                          : "no loop could be cut so that each thread has enough: ")
        << metric("work", work) << " of at least " << metric("least", least)
        << (analysis::productOf(kernel) ? " multiply-adds" : " elements");
    return;
  }
  std::string loops;
  for (cpu::SplitAttr cut : schedule.getSplit())
    loops += (loops.empty() ? "" : " and ") + std::string("loop ") + std::to_string(cut.getLoop()) +
             " in pieces of " + std::to_string(cut.getSize());
  remarks::done(kernel, remarks::schedule, "threads")
      << "cut into " << metric("chunks", schedule.chunks()) << " chunks for threads, along " << loops;
}

/// Says why an operand is packed into panels before it is multiplied, or is read where it lies.
void explainCopy(const Product &product, cpu::TileAttr tile, OpOperand *operand, bool isCopied,
                 StringRef which) {
  SmallVector<unsigned> reductions;
  product.root.getReductionDims(reductions);
  const int64_t bytes = elementBytes(operand->get());
  const int64_t apart = product.stride(operand, reductions.back()).value_or(0) * bytes;
  const int64_t across = product.stride(operand, product.lane).value_or(0);
  if (isCopied && across > 1)
    remarks::done(product.kernel, remarks::schedule, "copied")
        << "the operand of " << which
        << " is transposed into panels before it is multiplied: neighbours in a vector lie "
        << metric("bytes_apart", across * bytes) << " bytes apart, and "
        << metric("tiles", tilesOfColumns(product, tile)) << " tiles read each column";
  else if (isCopied)
    remarks::done(product.kernel, remarks::schedule, "copied")
        << "the operand of " << which << " is copied into panels before it is multiplied: its steps lie "
        << metric("bytes_apart", apart) << " bytes apart, and "
        << metric("tiles", tilesOfColumns(product, tile)) << " tiles read each column";
  else if (apart > bytes * product.widthOf(tile))
    remarks::missed(product.kernel, remarks::schedule, "copied")
        << "the operand of " << which << " is read where it lies, in steps of "
        << metric("bytes_apart", apart) << " bytes: "
        << (isLarge(product, tile) ? "these are near enough for the caches to fetch ahead"
                                   : "a copy would be read too few times to be worth it");
}

void explainEpilogue(train::KernelOp kernel, cpu::EpilogueAttr form) {
  if (form.getPipeline() > 0)
    remarks::done(kernel, remarks::schedule, "pipelined")
        << "what follows the product runs inside the next tile's reduction, "
        << metric("steps", form.getPipeline())
        << " steps for each vector: it waits for memory or computes functions meanwhile";
  if (form.getSideBySide())
    remarks::done(kernel, remarks::schedule, "side-by-side")
        << "what follows the product computes functions, and runs on all vectors of a row at once, behind "
           "the tile";
  if (form.getMasks())
    remarks::done(kernel, remarks::schedule, "masks")
        << "what is decided at random is decided before the tiles run, and kept on the stack";
}

void explainContraction(train::KernelOp kernel, cpu::ScheduleAttr schedule, const CpuTarget &target) {
  cpu::ContractionAttr form = schedule.contraction();
  const Product product(kernel, target);
  const cpu::TileAttr shape = form.getTile();
  {
    auto tile = remarks::done(kernel, remarks::schedule, "tile");
    tile << "a product of " << timesOf(product.bounds) << " in tiles of " << metric("rows", shape.getRows())
         << " rows x " << metric("columns", shape.width(schedule.getLanes())) << " columns";
    if (form.getReduction().getAmx())
      tile << " by the matrix unit: four of its registers hold sums";
    else
      tile << ": " << metric("sums", shape.getRows() * shape.getVectors()) << " of "
           << metric("registers", target.registers) << " registers hold sums";
    if (form.getReduction().addsPairs())
      tile << ", two terms at a time by instructions for pairs of bfloat16";
  }
  if (std::string blocks; !form.getNest().empty()) {
    for (cpu::BlockAttr block : form.getNest())
      blocks += (blocks.empty() ? "" : ", ") + std::string("loop ") + std::to_string(block.getLoop()) +
                " by " + std::to_string(block.getSize());
    remarks::done(kernel, remarks::schedule, "blocks")
        << "in blocks, from the outside in: " << blocks << ", so that caches of "
        << metric("l1_bytes", target.costs.l1Bytes) << " and " << metric("l2_bytes", target.costs.l2Bytes)
        << " bytes hold what tiles read again";
  }
  if (product.columns) {
    explainCopy(product, shape, product.columns, form.getPacking().packsColumns(), "columns");
    explainCopy(product, shape, product.rows, form.getPacking().packsRows(), "rows");
  }
  explainEpilogue(kernel, form.getEpilogue());
  explainThreads(kernel, schedule, product.products(), parallelProducts);
}

/// A product that runs without register tiles.
void explainWithoutTiles(train::KernelOp kernel, const CpuTarget &target) {
  const Product product(kernel, target);
  auto remark = remarks::missed(kernel, remarks::schedule, "tile");
  remark << "a product of " << timesOf(product.bounds) << " has no tiles: ";
  if (product.lane < 0)
    remark << "its result is one number, or has no dim along which vectors could lie";
  else
    remark << "its operands' neighbours lie apart in memory, and vectors run along the reduction of "
           << metric("steps", product.steps()) << " steps instead";
}

void explainLoops(train::KernelOp kernel, cpu::ScheduleAttr schedule) {
  int64_t elements = 0;
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    int64_t size = 1;
    for (int64_t bound : analysis::loopBounds(kernel, op))
      size *= bound;
    elements += size;
  }
  if (schedule.getLanes() <= 1)
    remarks::missed(kernel, remarks::schedule, "vectors")
        << "computes one element at a time: it has no loop, or the machine no vectors";
  else if (schedule.rows())
    remarks::done(kernel, remarks::schedule, "vectors")
        << "vectors of " << metric("lanes", schedule.getLanes())
        << " run along rows, of one row after the other";
  else if (isTranspose(kernel))
    remarks::done(kernel, remarks::schedule, "vectors")
        << "transposes squares of " << metric("lanes", schedule.getLanes())
        << " rows and columns in registers";
  else
    remarks::done(kernel, remarks::schedule, "vectors")
        << "vectors of " << metric("lanes", schedule.getLanes()) << " run along the last common loop, "
        << "whose iterations are neighbours in memory";
  explainThreads(kernel, schedule, elements, parallelElements);
}

} // namespace

void explain(train::KernelOp kernel, const CpuTarget &target) {
  if (!remarks::areWanted(kernel))
    return;
  auto schedule = cast<cpu::ScheduleAttr>(kernel.getScheduleAttr());
  if (cpu::StepsAttr form = schedule.steps()) {
    remarks::done(kernel, remarks::schedule, "steps")
        << metric("steps", form.getSteps().size()) << " steps run for " << metric("block", form.getBlock())
        << " iterations of the innermost common loop at a time, and hand "
        << metric("handed", form.getPlaces().size()) << " tensors on in scratch of "
        << metric("scratch", schedule.scratchBytes()) << " bytes";
    return;
  }
  if (cpu::isCall(schedule) || schedule.scatter())
    return;
  if (schedule.contraction())
    return explainContraction(kernel, schedule, target);
  if (analysis::productOf(kernel))
    explainWithoutTiles(kernel, target);
  explainLoops(kernel, schedule);
}

} // namespace dlc::schedule

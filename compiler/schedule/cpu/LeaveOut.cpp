//===- LeaveOut.cpp - steps that leave out what a mask hides ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one step leaves out, another must not read. So all of them leave out whole blocks of the same size, or
// none does.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/schedule/cpu/Stages.h"
#include "dialects/train/Nonzero.h"
#include <numeric>

using namespace mlir;

namespace dlc::schedule {
namespace {

class Blocks {
public:
  Blocks(train::KernelOp kernel, MutableArrayRef<cpu::ScheduleAttr> schedules)
      : kernel(kernel), steps(analysis::stepsOf(kernel)), schedules(schedules) {}

  int64_t choose() {
    int64_t longest = 0;
    for (auto [step, schedule] : llvm::zip_equal(steps, schedules)) {
      bool all = schedule.contraction() ? tilesLeaveOut(step, schedule) : rowsLeaveOut(step, schedule);
      if (!all)
        return 0;
      for (linalg::GenericOp op : step)
        if (std::optional<train::Triangle> triangle = train::triangleOf(op)) {
          SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
          longest = std::max(longest, bounds[triangle->beyond] - triangle->offset);
        }
    }
    return longest > unit ? unit : 0;
  }

  void forget() {
    for (const analysis::Step &step : steps)
      for (linalg::GenericOp op : step)
        if (train::triangleOf(op))
          train::dropNonzeroTerms(op);
  }

  /// Tiles must not prefetch iterations that may be left out.
  void readNothingAhead() {
    for (auto [step, schedule] : llvm::zip_equal(steps, schedules)) {
      cpu::ContractionAttr tiles = schedule.contraction();
      if (!tiles || !train::triangleOf(step.front()))
        continue;
      auto form = cpu::ContractionAttr::get(
          schedule.getContext(), tiles.getTile(), tiles.getReduction(), tiles.getNest(), tiles.getPacking(),
          tiles.getPrefetch().epilogueAlone(), tiles.getEpilogue().notPipelined());
      schedule = cpu::ScheduleAttr::get(schedule.getContext(), form, schedule.getLanes(), {},
                                        schedule.getScratch(), {});
    }
  }

private:
  /// A block of the two loops leaves out all of its work, or a range of its reduction.
  bool tilesLeaveOut(ArrayRef<linalg::GenericOp> step, cpu::ScheduleAttr schedule) {
    linalg::GenericOp root = step.front();
    std::optional<train::Triangle> triangle = train::triangleOf(root);
    if (!triangle)
      return true;
    cpu::ContractionAttr tiles = schedule.contraction();
    cpu::TileAttr tile = tiles.getTile();
    bool isOneReduction = root.getNumReductionLoops() == 1;
    int64_t reduction = root.getNumParallelLoops();
    auto isTaken = [&](int64_t loop) { // sums may be cut into blocks, of which some have nothing to add
      if (loop == reduction)
        return isOneReduction;
      return (loop == tile.getRow() || loop == tile.getLane()) && tiles.depthOf(loop) < 0;
    };
    if (tile.getRow() < 0 || tiles.getPacking().packsRows() || !isTaken(triangle->upTo) ||
        !isTaken(triangle->beyond))
      return false;
    unit = std::lcm(unit, tile.getRows());
    if (isOneReduction)
      unit = std::lcm(unit, tiles.getReduction().perStep(reduction));
    bool isReduced = triangle->upTo == reduction || triangle->beyond == reduction;
    if (isReduced && (triangle->upTo == tile.getLane() || triangle->beyond == tile.getLane()))
      unit = std::lcm(unit, tile.width(schedule.getLanes()));
    return true;
  }

  /// Vectors along a row end where the row ends. An operation that is no sum may compute elements that do not
  /// count.
  bool rowsLeaveOut(ArrayRef<linalg::GenericOp> step, cpu::ScheduleAttr schedule) {
    cpu::RowsAttr rows = schedule.rows();
    for (auto [number, member] : llvm::enumerate(step)) {
      linalg::GenericOp op = member;
      std::optional<train::Triangle> triangle = train::triangleOf(op);
      if (!triangle)
        continue;
      unit = std::lcm(unit, schedule.getLanes());
      if (rows && triangle->upTo < analysis::sharedIn(step) && triangle->beyond == rows.getAlong()[number])
        continue;
      if (op.getNumReductionLoops() > 0)
        return false;
      train::dropNonzeroTerms(op);
    }
    return true;
  }

  train::KernelOp kernel;
  SmallVector<analysis::Step> steps;
  MutableArrayRef<cpu::ScheduleAttr> schedules;
  int64_t unit = 1;
};

} // namespace

int64_t leaveOutInBlocks(train::KernelOp kernel, MutableArrayRef<cpu::ScheduleAttr> steps) {
  Blocks blocks(kernel, steps);
  int64_t unit = blocks.choose();
  if (unit > 0)
    blocks.readNothingAhead();
  else
    blocks.forget();
  return unit;
}

} // namespace dlc::schedule

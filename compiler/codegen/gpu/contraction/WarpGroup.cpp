//===- WarpGroup.cpp - contractions by groups of warps ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tiles of Mma.cpp, where a block is one group of four warps, on GPUs that multiply in such groups: 64
// rows at a time, by all columns of the tile. Tensor cores read both operands from shared memory, whichever
// way they lie, while threads wait for the copies of later rounds.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/WarpGroup.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/contraction/Contraction.h"
#include "compiler/machine/GpuTarget.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// The rows and steps of a wgmma instruction, the rows of one of its warps, and how many sums of a square of
/// 16 rows by 8 columns each lane holds.
constexpr int64_t groupRows = 64, groupSteps = 16, warpRows = 16, square = 8, laneSums = 4;

class WarpGroupCode : public ContractionCode {
public:
  WarpGroupCode(KernelFunction &kernel, dlc::gpu::MmaAttr form)
      : ContractionCode(kernel, form), form(form), group(kernel, analysis::lowTypeOf(root)) {}

private:
  int64_t sumsOfProduct() const { return form.getColumns() / 2; }

  void placeThread() override;
  Type broughtType(Type) const override { return b.getI16Type(); } // as bits
  Tile::Order orderOf(const Side &) const override { return Tile::Order::byRows; }
  int64_t sumsOfThread() const override { return form.getRows() / groupRows * sumsOfProduct(); }
  std::pair<Index, Index> placeOfSum(int64_t i) override;
  int64_t neighbouringSums() const override { return 2; }
  void beforeMeeting(bool again) override;
  Values multiply(Index stage, Values sums) override;
  Values results(Values sums) override { return group.results(sums); }
  GroupOperand operandAt(const Side &side, Index stage, int64_t position, int64_t step);

  dlc::gpu::MmaAttr form;
  WarpGroup group;
  Index row, column; ///< of the thread's first sum
};

void WarpGroupCode::placeThread() {
  Index warp = divide(b, thread, GpuTarget::warp), lane = remainder(b, thread, GpuTarget::warp);
  Index ofWarp = mul(b, warp, warpRows);
  row = add(b, ofWarp, divide(b, lane, 4));
  column = mul(b, remainder(b, lane, 4), 2);
}

std::pair<Index, Index> WarpGroupCode::placeOfSum(int64_t i) {
  const int64_t product = i / sumsOfProduct(), inProduct = i % sumsOfProduct(), inLane = inProduct % laneSums;
  return {row + (product * groupRows + inLane / 2 * square),
          column + (inProduct / laneSums * square + inLane % 2)};
}

/// Copies and stores are of another kind than what products read: each thread says of its own that they come
/// first, and the barrier says it of the others'.
void WarpGroupCode::beforeMeeting(bool again) {
  group.show();
  if (again)
    group.wait();
}

GroupOperand WarpGroupCode::operandAt(const Side &side, Index stage, int64_t position, int64_t step) {
  const Tile &tile = side.tile;
  const int64_t bytes = side.isAlongSteps()
                            ? position * tile.rowBytes() + step * 2
                            : position * 2 / tile.rowBytes() * tile.panelBytes() + step * tile.rowBytes();
  return {tile.address(b, stage, Index(bytes)), tile.rowBytes(), tile.panelBytes(), side.isAlongSteps()};
}

Values WarpGroupCode::multiply(Index stage, Values sums) {
  group.begin();
  for (int64_t step = 0; step < form.getSteps(); step += groupSteps) {
    const GroupOperand columns = operandAt(right, stage, 0, step);
    for (int64_t first = 0; first < form.getRows(); first += groupRows) {
      auto *begin = sums.begin() + first / groupRows * sumsOfProduct();
      ArrayRef<Value> before(begin, sumsOfProduct());
      llvm::copy(group.multiplyAdd(operandAt(left, stage, first, step), columns, before), begin);
    }
  }
  group.end();
  return sums;
}

} // namespace

bool isOfWarpGroup(KernelFunction &kernel) {
  auto schedule = cast<dlc::gpu::ScheduleAttr>(kernel.schedule());
  linalg::GenericOp root = kernel.operations().front();
  return dlc::gpu::isOfWarpGroup(schedule.mma().getRows(), schedule.getThreads(),
                                 getElementTypeOrSelf(root.getDpsInputs()[0].getType()));
}

void emitWarpGroup(KernelFunction &kernel) {
  WarpGroupCode(kernel, cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).mma()).emit();
}

} // namespace dlc::codegen::gpu

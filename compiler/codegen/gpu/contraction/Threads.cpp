//===- Threads.cpp - contractions by single threads ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For elements of any type: each thread multiplies some rows by some columns, in the order of the steps. It
// reads 16 bytes at once where elements have a register's width: neighbouring rows or columns of a step, or
// neighbouring steps of a row or column. Which rows and columns a thread has is chosen so that the lanes of a
// warp read from all banks.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/contraction/Contraction.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

class ThreadsCode : public ContractionCode {
public:
  ThreadsCode(KernelFunction &kernel, dlc::gpu::ContractionAttr form)
      : ContractionCode(kernel, form), form(form),
        ofRows{form.getRows() / form.getThreadRows(), form.getThreadRows(), {}},
        ofColumns{form.getColumns() / form.getThreadColumns(), form.getThreadColumns(), {}} {}

private:
  /// The positions along one side: this thread's number among `threads`, each of which has `count`.
  struct Share {
    int64_t threads, count;
    Index number;
  };

  void placeThread() override {
    ofRows.number = divide(b, thread, ofColumns.threads);
    ofColumns.number = remainder(b, thread, ofColumns.threads);
  }
  Type broughtType(Type element) const override { return element; }
  Tile::Order orderOf(const Side &side) const override {
    return side.isAlongSteps() ? Tile::Order::byRows : Tile::Order::kept;
  }
  int64_t sumsOfThread() const override { return ofRows.count * ofColumns.count; }
  std::pair<Index, Index> placeOfSum(int64_t i) override {
    return {position(left, ofRows, i / ofColumns.count), position(right, ofColumns, i % ofColumns.count)};
  }
  int64_t neighbouringSums() const override {
    return right.isAlongSteps() ? 1 : neighbours(right, ofColumns.count);
  }
  Values multiply(Index stage, Values sums) override;

  int64_t neighbours(const Side &side, int64_t most) const;
  int64_t stepsAtOnce(const Side &side) const {
    return side.isAlongSteps() ? neighbours(side, form.getSteps()) : 1;
  }
  Index position(const Side &side, const Share &share, int64_t i);
  /// Elements of a round that are in registers, by step and number.
  using Elements = SmallVector<Values>;
  Value element(const Side &side, const Share &share, Index stage, int64_t step, int64_t i, Elements &known);

  dlc::gpu::ContractionAttr form;
  Share ofRows, ofColumns;
};

/// How many elements are read at once, of `most` that lie side by side.
int64_t ThreadsCode::neighbours(const Side &side, int64_t most) const {
  Type type = side.tile.element;
  bool isRegister = type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
  return isRegister ? std::min(side.tile.perPiece(), most) : 1;
}

/// Threads take turns: with one position each along steps, else with those that one reads at once.
Index ThreadsCode::position(const Side &side, const Share &share, int64_t i) {
  int64_t together = side.isAlongSteps() ? 1 : neighbours(side, share.count);
  return mul(b, share.number, together) + (i / together * share.threads * together + i % together);
}

/// An element, which is read with its neighbours when one of them is asked for.
Value ThreadsCode::element(const Side &side, const Share &share, Index stage, int64_t step, int64_t i,
                           Elements &known) {
  if (known.empty())
    known.assign(form.getSteps(), Values(share.count));
  if (known[step][i])
    return known[step][i];
  const int64_t together = side.isAlongSteps() ? stepsAtOnce(side) : neighbours(side, share.count);
  OperandBlock::Coordinates first{Index(step), position(side, share, i)};
  for (auto [number, value] : llvm::enumerate(side.tile.load(b, stage, side.place(b, first), together)))
    (side.isAlongSteps() ? known[step + number][i] : known[step][i + number]) = value;
  return known[step][i];
}

Values ThreadsCode::multiply(Index stage, Values sums) {
  const bool isFloat = isa<FloatType>(sums[0].getType());
  const int64_t together = std::max(stepsAtOnce(left), stepsAtOnce(right)), columns = ofColumns.count;
  Elements ofLeft, ofRight;
  for (int64_t first = 0; first < form.getSteps(); first += together)
    for (int64_t i = 0; i < together * columns; ++i) {
      // Where a column comes with some of its steps, these are used up before the next one comes: then fewer
      // elements are in registers at the same time.
      const int64_t step = first + (right.isAlongSteps() ? i % together : i / columns);
      const int64_t column = right.isAlongSteps() ? i / together : i % columns;
      for (int64_t row = 0; row < ofRows.count; ++row) {
        Value x = element(left, ofRows, stage, step, row, ofLeft);
        Value y = element(right, ofColumns, stage, step, column, ofRight);
        Value &sum = sums[row * columns + column];
        sum = isFloat ? math::FmaOp::create(b, x, y, sum).getResult()
                      : arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y)).getResult();
      }
    }
  return sums;
}

} // namespace

void emitContraction(KernelFunction &kernel) {
  ThreadsCode(kernel, cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).contraction()).emit();
}

} // namespace dlc::codegen::gpu

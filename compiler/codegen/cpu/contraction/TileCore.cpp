//===- TileCore.cpp - sums in vector registers -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/TileCore.h"
#include "compiler/codegen/cpu/contraction/Pairs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

TileCore::TileCore(KernelFunction &kernel, TileOperands &operands)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()), operands(operands) {}

namespace {

/// Each vector of sums is a value, in the order of the tile's points.
class RegisterCore : public TileCore {
public:
  using TileCore::TileCore;
  Values begin(const RegisterTile &tile, bool, llvm::function_ref<Value(const Point &)> startAt) override {
    Values sums;
    for (const Point &point : tile.points)
      sums.push_back(startAt(point));
    return sums;
  }
  Values multiply(const RegisterTile &tile, Values sums) override;
  void keep(const RegisterTile &, const Values &sums, WaitingSums &waiting) override { waiting.keep(sums); }
  void drain(const RegisterTile &tile, const Values &sums,
             llvm::function_ref<void(const Point &, int64_t, Value)> body) override {
    for (auto [number, point] : llvm::enumerate(tile.points))
      body(point, number % tile.vectors, sums[number]);
  }

protected:
  /// An operand's elements, as this core reads them.
  virtual Memory memoryOf(OpOperand &operand) { return *kernel.memoryOf(operand.get()); }
  /// What is multiplied at a point of a step: where the operand lies, and in a copy of it `count` neighbours
  /// from number `first` on.
  virtual Value factor(const Access &access, const Point &point) = 0;
  virtual Value factor(CopiedOperand &copy, Value address, const Point &point, int64_t first,
                       int64_t count) = 0;
  virtual Value addProduct(Value x, Value y, Value sum) = 0;

private:
  Value factorAt(OpOperand &operand, const Access &access, const RegisterTile &tile, int64_t row,
                 int64_t vector);
};

Value RegisterCore::factorAt(OpOperand &operand, const Access &access, const RegisterTile &tile, int64_t row,
                             int64_t vector) {
  const Point &point = tile.at(row, vector);
  if (operands.columns && operands.columns->isOf(operand))
    return factor(*operands.columns, tile.columnsAt, point, vector * point.lanes, point.lanes);
  if (operands.rows && operands.rows->isOf(operand))
    return factor(*operands.rows, tile.rowsAt, point, row, 1);
  return factor(access, point);
}

/// Each element of an operand is loaded once for all points that see it.
Values RegisterCore::multiply(const RegisterTile &tile, Values sums) {
  Values factors[2];
  for (auto [which, operand] : llvm::enumerate(root.getDpsInputOperands())) {
    Access access(b, memoryOf(*operand), root.getMatchingIndexingMap(operand));
    const int64_t row = shape().getRow();
    bool perRow = row >= 0 && access.dependsOn(row), perVector = access.dependsOn(shape().getLane());
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v) {
        int64_t same = (perRow ? r : 0) * tile.vectors + (perVector ? v : 0);
        if (same < int64_t(factors[which].size())) {
          factors[which].push_back(factors[which][same]);
          continue;
        }
        factors[which].push_back(asVector(b, tile.at(r, v), factorAt(*operand, access, tile, r, v)));
      }
  }
  for (size_t i = 0; i < sums.size(); ++i)
    sums[i] = addProduct(factors[0][i], factors[1][i], sums[i]);
  return sums;
}

/// One product for each lane, of elements of any type.
class VectorCore : public RegisterCore {
public:
  using RegisterCore::RegisterCore;

private:
  Value factor(const Access &access, const Point &point) override { return access.load(b, point); }
  Value factor(CopiedOperand &copy, Value address, const Point &point, int64_t first,
               int64_t count) override {
    return copy.load(address, point, first, count);
  }
  Value addProduct(Value x, Value y, Value sum) override {
    if (!isa<FloatType>(getElementTypeOrSelf(sum.getType())))
      return arith::AddIOp::create(b, sum, arith::MulIOp::create(b, x, y));
    if (isa<VectorType>(x.getType()))
      return vector::FMAOp::create(b, x, y, sum);
    return math::FmaOp::create(b, x, y, sum);
  }
};

/// Adds two products of bf16 in each lane (vdpbf16ps of AVX512-BF16). First the product of the later step of
/// k is added, then that of the earlier one, each rounded once; denormal numbers count as zero.
class PairCore : public RegisterCore {
public:
  using RegisterCore::RegisterCore;

private:
  Memory memoryOf(OpOperand &operand) override { return asBits(b, RegisterCore::memoryOf(operand)); }
  Value factor(const Access &access, const Point &point) override {
    return pairsAt(b, access, point, reduction().getPairs());
  }
  Value factor(CopiedOperand &copy, Value address, const Point &point, int64_t first,
               int64_t count) override {
    return copy.loadPairs(address, point, first, count);
  }
  Value addProduct(Value x, Value y, Value sum) override {
    int64_t lanes = cast<VectorType>(sum.getType()).getNumElements();
    auto pairs = VectorType::get({2 * lanes}, b.getBF16Type());
    Value left = LLVM::BitcastOp::create(b, pairs, x), right = LLVM::BitcastOp::create(b, pairs, y);
    StringRef instruction =
        lanes == 16 ? "llvm.x86.avx512bf16.dpbf16ps.512" : "llvm.x86.avx512bf16.dpbf16ps.256";
    return LLVM::CallIntrinsicOp::create(b, sum.getType(), b.getStringAttr(instruction),
                                         ValueRange{sum, left, right})
        .getResult(0);
  }
};

} // namespace

std::unique_ptr<TileCore> tileCoreOf(KernelFunction &kernel, TileOperands &operands) {
  const cpu::ReductionAttr reduction = scheduleOf(kernel).contraction().getReduction();
  if (reduction.getAmx())
    return amxCore(kernel, operands);
  if (reduction.addsPairs())
    return std::make_unique<PairCore>(kernel, operands);
  return std::make_unique<VectorCore>(kernel, operands);
}

} // namespace dlc::codegen

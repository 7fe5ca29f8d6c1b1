//===- Linear.cpp - linear algebra ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linear algebra: the matrix product as three loops.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

namespace dlc::interpret {
namespace {

/// One matrix product: `stride*` step through `a` and `b` along the loop they are named after.
struct MatrixProduct {
  int64_t rows, columns, depth;
  int64_t aRow, aDepth, bDepth, bColumn;

  template <typename Number, typename Sum> void run(const Number *a, const Number *b, Number *c) const {
    if (bColumn == 1)
      return runAlongRows<Number, Sum>(a, b, c);
    for (int64_t m = 0; m < rows; ++m)
      for (int64_t n = 0; n < columns; ++n) {
        Sum sum = 0;
        for (int64_t k = 0; k < depth; ++k)
          sum += static_cast<Sum>(a[m * aRow + k * aDepth]) * static_cast<Sum>(b[k * bDepth + n * bColumn]);
        c[m * columns + n] = static_cast<Number>(sum);
      }
  }

private:
  /// The same sums, added in the same order, with neighbouring elements of `b` and of the results one after
  /// another.
  template <typename Number, typename Sum>
  void runAlongRows(const Number *a, const Number *b, Number *c) const {
    std::vector<Sum> sums(columns);
    for (int64_t m = 0; m < rows; ++m) {
      std::fill(sums.begin(), sums.end(), Sum(0));
      for (int64_t k = 0; k < depth; ++k) {
        const Sum factor = static_cast<Sum>(a[m * aRow + k * aDepth]);
        for (int64_t n = 0; n < columns; ++n)
          sums[n] += factor * static_cast<Sum>(b[k * bDepth + n]);
      }
      for (int64_t n = 0; n < columns; ++n)
        c[m * columns + n] = static_cast<Number>(sums[n]);
    }
  }
};

void evaluateMatMul(Evaluation &e, bool transposeA, bool transposeB) {
  const Tensor &a = e.operand(0), &b = e.operand(1);
  Tensor &c = e.result();
  int64_t aLast = a.shape.back(), bLast = b.shape.back();
  MatrixProduct product;
  product.rows = c.shape[c.rank() - 2];
  product.columns = c.shape.back();
  product.depth = transposeA ? a.shape[a.rank() - 2] : aLast;
  product.aRow = transposeA ? 1 : aLast;
  product.aDepth = transposeA ? aLast : 1;
  product.bDepth = transposeB ? 1 : bLast;
  product.bColumn = transposeB ? bLast : 1;

  llvm::ArrayRef<int64_t> batch = llvm::ArrayRef<int64_t>(c.shape).drop_back(2);
  auto aStrides = broadcastStrides(llvm::ArrayRef<int64_t>(a.shape).drop_back(2), batch);
  auto bStrides = broadcastStrides(llvm::ArrayRef<int64_t>(b.shape).drop_back(2), batch);
  int64_t aMatrix = aLast * a.shape[a.rank() - 2], bMatrix = bLast * b.shape[b.rank() - 2];
  int64_t cOffset = 0;
  forEachIndex(batch, [&](llvm::ArrayRef<int64_t> index) {
    int64_t aOffset = offsetOf(index, aStrides) * aMatrix, bOffset = offsetOf(index, bStrides) * bMatrix;
    if (e.sumsInFloat())
      product.run<double, float>(a.floats.data() + aOffset, b.floats.data() + bOffset,
                                 c.floats.data() + cOffset);
    else if (c.isFloat())
      product.run<double, double>(a.floats.data() + aOffset, b.floats.data() + bOffset,
                                  c.floats.data() + cOffset);
    else
      product.run<int64_t, uint64_t>(a.ints.data() + aOffset, b.ints.data() + bOffset,
                                     c.ints.data() + cOffset);
    cOffset += product.rows * product.columns;
  });
}

} // namespace

bool evaluateLinear(Evaluation &e) {
  auto matmul = mlir::dyn_cast<nn::MatMulOp>(e.getOperation());
  if (!matmul)
    return false;
  evaluateMatMul(e, matmul.getTransposeA(), matmul.getTransposeB());
  return true;
}

} // namespace dlc::interpret

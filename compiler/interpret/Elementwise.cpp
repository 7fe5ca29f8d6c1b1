//===- Elementwise.cpp - elementwise operations, element by element --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "compiler/interpret/Functions.h"
#include "dialects/nn/NN.h"

#include <cmath>

namespace dlc::interpret {
namespace {

template <typename Number> bool compareNumbers(nn::Comparison predicate, Number a, Number b) {
  switch (predicate) {
  case nn::Comparison::eq:
    return a == b;
  case nn::Comparison::ne:
    return a != b;
  case nn::Comparison::lt:
    return a < b;
  case nn::Comparison::le:
    return a <= b;
  case nn::Comparison::gt:
    return a > b;
  case nn::Comparison::ge:
    return a >= b;
  }
  llvm_unreachable("unknown predicate");
}

/// Calls `body` with the offsets of each result element and of the operands' elements that meet there.
void forEachBroadcast(Evaluation &e, llvm::function_ref<void(int64_t, llvm::ArrayRef<int64_t>)> body) {
  llvm::ArrayRef<int64_t> shape = e.result().shape;
  llvm::SmallVector<llvm::SmallVector<int64_t, 4>, 3> strides;
  for (unsigned i = 0; i < e.numOperands(); ++i)
    strides.push_back(broadcastStrides(e.operand(i).shape, shape));
  int64_t at = 0;
  llvm::SmallVector<int64_t, 3> offsets(e.numOperands());
  forEachIndex(shape, [&](llvm::ArrayRef<int64_t> index) {
    for (unsigned i = 0; i < e.numOperands(); ++i)
      offsets[i] = offsetOf(index, strides[i]);
    body(at++, offsets);
  });
}

void evaluateCast(Evaluation &e) {
  const Tensor &x = e.operand(0);
  Tensor &y = e.result();
  for (int64_t i = 0; i < x.size(); ++i) {
    if (y.isFloat())
      y.floats[i] = x.number(i);
    else if (y.dtype == DType::I1)
      y.ints[i] = x.number(i) != 0;
    else if (!x.isFloat())
      y.ints[i] = x.ints[i];
    else if (double limit = y.dtype == DType::I64 ? 0x1p63 : 0x1p31; // bytes are the whole numbers mod 256
             std::trunc(x.floats[i]) < limit && std::trunc(x.floats[i]) >= -limit)
      y.ints[i] = static_cast<int64_t>(x.floats[i]);
    else
      return e.fail(llvm::Twine("expected numbers that ") + str(y.dtype) + " can hold, found " +
                    std::to_string(x.floats[i]));
  }
}

void evaluateSelect(Evaluation &e) {
  Tensor &y = e.result();
  forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
    unsigned chosen = e.operand(0).ints[in[0]] ? 1 : 2;
    if (y.isFloat())
      y.floats[at] = e.operand(chosen).floats[in[chosen]];
    else
      y.ints[at] = e.operand(chosen).ints[in[chosen]];
  });
}

void evaluateFma(Evaluation &e) {
  forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
    e.result().floats[at] =
        e.operand(0).floats[in[0]] * e.operand(1).floats[in[1]] + e.operand(2).floats[in[2]];
  });
}

void evaluateCompare(Evaluation &e, nn::Comparison predicate) {
  const Tensor &a = e.operand(0), &b = e.operand(1);
  forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
    e.result().ints[at] = a.isFloat() ? compareNumbers(predicate, a.floats[in[0]], b.floats[in[1]])
                                      : compareNumbers(predicate, a.ints[in[0]], b.ints[in[1]]);
  });
}

} // namespace

bool evaluateElementwise(Evaluation &e) {
  mlir::Operation *op = e.getOperation();
  Tensor *y = op->getNumResults() == 1 ? &e.result() : nullptr;
  if (mlir::isa<nn::CastOp>(op))
    return evaluateCast(e), true;
  if (mlir::isa<nn::SelectOp>(op))
    return evaluateSelect(e), true;
  if (mlir::isa<nn::FmaOp>(op))
    return evaluateFma(e), true;
  if (auto compare = mlir::dyn_cast<nn::CompareOp>(op))
    return evaluateCompare(e, compare.getPredicate()), true;
  if (!y || e.numOperands() == 0)
    return false;
  const Tensor &x = e.operand(0);
  if (Unary f = x.isFloat() ? floatUnary(op) : nullptr) {
    llvm::transform(x.floats, y->floats.begin(), f);
    return true;
  }
  if (IntUnary f = x.isFloat() ? nullptr : intUnary(op)) {
    llvm::transform(x.ints, y->ints.begin(), f);
    return true;
  }
  if (Binary f = x.isFloat() ? floatBinary(op) : nullptr) {
    forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
      y->floats[at] = f(x.floats[in[0]], e.operand(1).floats[in[1]]);
    });
    return true;
  }
  if (IntBinary f = x.isFloat() ? nullptr : intBinary(op)) {
    forEachBroadcast(e, [&](int64_t at, llvm::ArrayRef<int64_t> in) {
      y->ints[at] = f(x.ints[in[0]], e.operand(1).ints[in[1]]);
    });
    return true;
  }
  return false;
}

} // namespace dlc::interpret

//===- JoinProducts.cpp - sums of products with few terms each -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A weight that a recurrent network applies at each time t has the gradient
//
//     sum over t of transpose(x_t) dy_t  =  transpose([x_1; x_2; ...]) [dy_1; dy_2; ...]
//
// Each product on the left has as few terms as a batch has rows, but writes a matrix of the weight's size,
// which is then read again. The one on the right has all terms, and its operands are rows that lie one behind
// the other.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Differentiate.h"
#include "dialects/nn/Expr.h"

using namespace mlir;

namespace dlc::backward {
namespace {

/// A product of matrices as A B, whose terms are counted along one dim of each operand.
struct Product {
  explicit Product(nn::MatMulOp op) : op(op) {}
  int64_t axisOfA() const { return op.getTransposeA() ? 0 : 1; }
  int64_t axisOfB() const { return op.getTransposeB() ? 1 : 0; }
  RankedTensorType typeOf(Value operand) const { return cast<RankedTensorType>(operand.getType()); }

  /// Whether its operands are smaller than its result, and computed anew in each step.
  bool hasFewTerms() {
    RankedTensorType a = typeOf(op.getA()), b = typeOf(op.getB());
    auto isComputed = [](Value operand) {
      if (auto cast = operand.getDefiningOp<nn::CastOp>())
        operand = cast.getX();
      return !operand.getDefiningOp<train::ReadOp>();
    };
    return a.getRank() == 2 && b.getRank() == 2 && a.hasStaticShape() && b.hasStaticShape() &&
           a.getNumElements() + b.getNumElements() <= typeOf(op.getC()).getNumElements() &&
           isComputed(op.getA()) && isComputed(op.getB());
  }
  bool isLike(const Product &other) const {
    return op->getAttrDictionary() == other.op->getAttrDictionary() &&
           op->getOperandTypes() == other.op->getOperandTypes() && op.getType() == other.op.getType();
  }

  mutable nn::MatMulOp op; ///< mutable, as MLIR's methods are not const
};

bool isSum(Operation *op, Type type) {
  return isa_and_nonnull<nn::AddOp>(op) && llvm::all_of(op->getOperandTypes(), [&](Type operand) {
           return operand == type; // nothing is broadcast
         });
}

/// A sum that is no term of another, and its terms, in order.
SmallVector<Value> termsOf(nn::AddOp root) {
  SmallVector<Value> terms, waiting{root.getB(), root.getA()};
  while (!waiting.empty()) {
    Value value = waiting.pop_back_val();
    Operation *op = value.getDefiningOp();
    if (isSum(op, root.getType()) && value.hasOneUse())
      waiting.append({op->getOperand(1), op->getOperand(0)});
    else
      terms.push_back(value);
  }
  return terms;
}

nn::Expr joined(ImplicitLocOpBuilder &builder, ArrayRef<Product> products) {
  Product first = products.front();
  SmallVector<Value> as, bs;
  for (const Product &product : products) {
    as.push_back(product.op.getA());
    bs.push_back(product.op.getB());
  }
  nn::Expr a(builder, nn::ConcatOp::create(builder, as, first.axisOfA())),
      b(builder, nn::ConcatOp::create(builder, bs, first.axisOfB()));
  return matmul(a, b, first.op.getTransposeA(), first.op.getTransposeB(), first.op.getWide());
}

void joinIn(nn::AddOp root) {
  SmallVector<SmallVector<Product>> groups; // of products that may be one
  SmallVector<Value> others;
  for (Value term : termsOf(root)) {
    auto op = term.getDefiningOp<nn::MatMulOp>();
    if (!op || !term.hasOneUse() || !Product(op).hasFewTerms()) {
      others.push_back(term);
      continue;
    }
    auto group = llvm::find_if(groups, [&](auto &group) { return group.front().isLike(Product(op)); });
    if (group == groups.end())
      group = groups.insert(group, SmallVector<Product>());
    group->push_back(Product(op));
  }
  if (llvm::all_of(groups, [](auto &group) { return group.size() == 1; }))
    return;
  ImplicitLocOpBuilder builder(root.getLoc(), root);
  for (auto &group : groups) {
    ImplicitLocOpBuilder inside(group.front().op.getLoc(), root);
    others.push_back(group.size() == 1 ? Value(group.front().op.getC()) : joined(inside, group).get());
  }
  nn::Expr sum(builder, others.front());
  for (Value term : llvm::drop_begin(others))
    sum = sum + nn::Expr(builder, term);
  root.replaceAllUsesWith(sum.get());
}

} // namespace

void joinProducts(Operation *last) {
  SmallVector<nn::AddOp> sums;
  for (Operation *op = last->getNextNode(); op; op = op->getNextNode()) {
    bool isTerm = op->hasOneUse() && isSum(*op->user_begin(), op->getResult(0).getType());
    if (auto sum = dyn_cast<nn::AddOp>(op); sum && !isTerm && isSum(op, sum.getType()))
      sums.push_back(sum);
  }
  for (nn::AddOp sum : sums)
    joinIn(sum);
}

} // namespace dlc::backward

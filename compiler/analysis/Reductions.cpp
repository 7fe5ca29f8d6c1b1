//===- Reductions.cpp - what a reduction computes --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Reductions.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using train::KernelOp;

namespace dlc::analysis {

/// Whether the body is yield(accumulator + a * b); both factors may be converted first, or rounded to tf32.
static bool multipliesAndAdds(linalg::GenericOp op) {
  auto yield = cast<linalg::YieldOp>(op.getBody()->getTerminator());
  Operation *sum = yield.getValues()[0].getDefiningOp();
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum) || sum->getOperand(0) != op.getRegionOutputArgs()[0])
    return false;
  Operation *product = sum->getOperand(1).getDefiningOp();
  if (!product || !isa<arith::MulFOp, arith::MulIOp>(product))
    return false;
  return llvm::all_of(product->getOperands(), [](Value factor) {
    if (auto extension = factor.getDefiningOp<arith::ExtFOp>())
      factor = extension.getIn();
    if (auto rounding = factor.getDefiningOp<arith::TruncFOp>(); rounding && rounding.getType().isTF32())
      factor = rounding.getIn();
    return isa<BlockArgument>(factor);
  });
}

namespace {
/// Which operands of a multiply-add reduction its parallel loops move.
struct Moves {
  bool left = false, right = false, both = false; ///< whether some loop moves the one alone, or both
};
} // namespace

static std::optional<Moves> movesOf(linalg::GenericOp op) {
  if (op.getNumReductionLoops() == 0 || op.getNumDpsInputs() != 2 || op.getNumResults() != 1 ||
      !multipliesAndAdds(op))
    return std::nullopt;
  auto maps = op.getIndexingMapsArray();
  Moves moves;
  for (unsigned loop = 0; loop < op.getNumParallelLoops(); ++loop) {
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    moves.left |= inLeft && !inRight;
    moves.right |= inRight && !inLeft;
    moves.both |= inLeft && inRight;
  }
  return moves;
}

bool isContraction(linalg::GenericOp op) {
  std::optional<Moves> moves = movesOf(op);
  return moves && moves->left && moves->right;
}

bool isDepthwise(linalg::GenericOp op) {
  std::optional<Moves> moves = movesOf(op);
  auto isUnderWindow = [&](AffineExpr expr) { // read at sums of loops
    return llvm::count_if(llvm::seq(op.getNumLoops()),
                          [&](unsigned loop) { return expr.isFunctionOfDim(loop); }) > 1;
  };
  return moves && moves->both && moves->left != moves->right &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *operand) {
           return llvm::any_of(op.getMatchingIndexingMap(operand).getResults(), isUnderWindow);
         });
}

linalg::GenericOp contractionOf(KernelOp kernel) {
  linalg::GenericOp product = productOf(kernel);
  return product && isContraction(product) ? product : nullptr;
}

linalg::GenericOp productOf(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  if (ops.empty() || ops.size() > 2 || !isProduct(ops[0]) ||
      kernel.getShared() != ops[0].getNumParallelLoops())
    return nullptr;
  bool hasEpilogue = ops.size() == 1 || (ops[1].getNumReductionLoops() == 0 &&
                                         ops[1].getNumLoops() == ops[0].getNumParallelLoops());
  return hasEpilogue ? ops[0] : nullptr;
}

llvm::SetVector<Value> neededFor(linalg::GenericOp op, Value value) {
  llvm::SmallPtrSet<Value, 8> needed{value};
  for (Operation &inner : llvm::reverse(op.getBody()->without_terminator()))
    if (llvm::any_of(inner.getResults(), [&](Value result) { return needed.contains(result); }))
      needed.insert(inner.operand_begin(), inner.operand_end());
  llvm::SetVector<Value> inOrder;
  for (BlockArgument argument : op.getBody()->getArguments())
    if (needed.contains(argument))
      inOrder.insert(argument);
  for (Operation &inner : op.getBody()->without_terminator())
    for (Value result : inner.getResults())
      if (needed.contains(result))
        inOrder.insert(result);
  return inOrder;
}

std::optional<SmallVector<int64_t, 4>> loopsOf(AffineMap map) {
  SmallVector<int64_t, 4> loops;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || llvm::is_contained(loops, int64_t(dim.getPosition())))
      return std::nullopt;
    loops.push_back(dim.getPosition());
  }
  return loops;
}

std::optional<SmallVector<int64_t, 4>> loopsOfReader(linalg::GenericOp op, const LoopsOfDims &dims) {
  SmallVector<int64_t, 4> loops(op.getNumLoops(), -1);
  for (OpOperand *input : op.getDpsInputOperands()) {
    auto known = dims.find(input->get());
    if (known == dims.end())
      continue;
    auto read = loopsOf(op.getMatchingIndexingMap(input));
    if (!read)
      return std::nullopt;
    for (auto [loop, is] : llvm::zip_equal(*read, known->second)) {
      if (loops[loop] >= 0 && loops[loop] != is)
        return std::nullopt;
      loops[loop] = is;
    }
  }
  for (size_t loop = 0; loop < loops.size(); ++loop)
    if (loops[loop] >= 0 && llvm::is_contained(ArrayRef(loops).drop_front(loop + 1), loops[loop]))
      return std::nullopt;
  return loops;
}

bool beginsWithZero(linalg::GenericOp op) {
  auto fill = op.getDpsInits()[0].getDefiningOp<linalg::FillOp>();
  return fill && matchPattern(fill.getInputs()[0], m_AnyZeroFloat());
}

OpOperand *operandOf(linalg::GenericOp op, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && argument.getOwner() == op.getBody() ? op.getMatchingOpOperand(argument) : nullptr;
}

bool dependsOnLoop(linalg::GenericOp op, Value value, unsigned loop) {
  return llvm::any_of(neededFor(op, value), [&](Value part) {
    if (auto argument = dyn_cast<BlockArgument>(part))
      return op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)).isFunctionOfDim(loop);
    auto index = part.getDefiningOp<linalg::IndexOp>();
    return index && index.getDim() == loop;
  });
}

std::optional<Scatter> scatterOf(linalg::GenericOp op) {
  if (op.getNumResults() != 1 || op.getNumReductionLoops() == 0 ||
      !op.getDpsInits()[0].getDefiningOp<linalg::FillOp>())
    return std::nullopt;
  Operation *sum = combinerOf(op, 0);
  if (!sum || !isa<arith::AddFOp, arith::AddIOp>(sum))
    return std::nullopt;
  Value accumulator = op.getRegionOutputArgs()[0];
  auto chosen = sum->getOperand(sum->getOperand(0) == accumulator ? 1 : 0).getDefiningOp<arith::SelectOp>();
  if (!chosen || !(matchPattern(chosen.getFalseValue(), m_PosZeroFloat()) ||
                   matchPattern(chosen.getFalseValue(), m_Zero())))
    return std::nullopt;
  auto isTarget = chosen.getCondition().getDefiningOp<arith::CmpIOp>();
  if (!isTarget || isTarget.getPredicate() != arith::CmpIPredicate::eq)
    return std::nullopt;
  for (auto [position, index] :
       {std::pair(isTarget.getRhs(), isTarget.getLhs()), std::pair(isTarget.getLhs(), isTarget.getRhs())}) {
    auto loop = position.getDefiningOp<linalg::IndexOp>();
    if (loop && loop.getDim() < op.getNumParallelLoops() && !dependsOnLoop(op, index, loop.getDim()))
      return Scatter{unsigned(loop.getDim()), index, chosen.getTrueValue()};
  }
  return std::nullopt;
}

Operation *combinerOf(linalg::GenericOp op, unsigned index) {
  BlockArgument accumulator = op.getRegionOutputArgs()[index];
  Value yielded = op.getBlock()->getTerminator()->getOperand(index);
  Operation *combiner = yielded.getDefiningOp();
  if (!combiner || combiner->getNumOperands() != 2 || !accumulator.hasOneUse() ||
      !llvm::is_contained(combiner->getOperands(), accumulator))
    return nullptr;
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp, arith::AndIOp,
             arith::OrIOp>(combiner)
             ? combiner
             : nullptr;
}

FloatType lowTypeOf(linalg::GenericOp contraction) {
  if (!getElementTypeOrSelf(contraction.getResult(0).getType()).isF32())
    return {};
  // What the factors were before they were extended: yield(sum + a * b).
  Operation *sum = contraction.getBody()->getTerminator()->getOperand(0).getDefiningOp();
  FloatType low;
  for (Value factor : sum->getOperand(1).getDefiningOp()->getOperands()) {
    auto extension = factor.getDefiningOp<arith::ExtFOp>();
    auto type = extension ? cast<FloatType>(extension.getIn().getType()) : FloatType();
    if (!type || !(type.isBF16() || type.isF16() || type.isTF32()) || (low && low != type))
      return {};
    low = type;
  }
  return low;
}

} // namespace dlc::analysis

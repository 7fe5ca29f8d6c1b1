//===- LeaveOutMasked.cpp - what masked matrices leave out -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A causal mask makes the scores of later positions minus infinity, their probabilities zero, and with them
// all products that they enter. So half of the matrices that steps of a kernel hand to each other need not be
// computed: those iterations of an operation in which one position is more than some offset beyond another.
// The operation says so by the set of those that it needs (dialects/train/Nonzero.h).
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "dialects/train/Nonzero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace arith = mlir::arith;

namespace dlc::fuse {

#define GEN_PASS_DEF_LEAVEOUTMASKED
#include "compiler/fuse/Passes.h.inc"

namespace {

/// What is known about a number where positions are outside of a triangle.
enum class Known { Nothing, Zero, NegativeInfinity, True, False };

struct Position {
  unsigned loop;
  int64_t offset;
};

std::optional<Position> positionOf(Value value) {
  int64_t offset = 0;
  while (Operation *op = value.getDefiningOp()) {
    llvm::APInt number;
    if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(op))
      return Position{unsigned(index.getDim()), offset};
    if (mlir::isa<arith::AddIOp>(op) && mlir::matchPattern(op->getOperand(1), mlir::m_ConstantInt(&number)))
      offset += number.getSExtValue();
    else if (!mlir::isa<arith::IndexCastOp>(op))
      return std::nullopt;
    value = op->getOperand(0);
  }
  return std::nullopt;
}

/// Evaluates a comparison of positions that are outside of a triangle.
std::optional<std::pair<train::Triangle, Known>> comparedIn(arith::CmpIOp compare) {
  std::optional<Position> left = positionOf(compare.getLhs()), right = positionOf(compare.getRhs());
  if (!left || !right || left->loop == right->loop)
    return std::nullopt;
  using Predicate = arith::CmpIPredicate;
  Predicate predicate = compare.getPredicate();
  bool isGreater = predicate == Predicate::sgt || predicate == Predicate::sge;
  if (!isGreater && predicate != Predicate::slt && predicate != Predicate::sle)
    return std::nullopt;
  bool isStrict = predicate == Predicate::sgt || predicate == Predicate::slt;
  // Strict comparisons hold outside of the triangle; the others hold inside of it, and so not outside.
  Position beyond = isGreater == isStrict ? *left : *right, upTo = isGreater == isStrict ? *right : *left;
  return std::pair{train::Triangle{upTo.loop, beyond.loop, upTo.offset - beyond.offset},
                   isStrict ? Known::True : Known::False};
}

bool isPositive(Value value) {
  mlir::FloatAttr number;
  return mlir::matchPattern(value, mlir::m_Constant(&number)) && number.getValueAsDouble() > 0;
}

class LeaveOut {
public:
  explicit LeaveOut(mlir::Block &block) : ops(llvm::to_vector(block.getOps<GenericOp>())) {}

  void run() {
    for (GenericOp op : ops)
      follow(op);
    for (GenericOp op : llvm::reverse(ops))
      askReaders(op);
    for (auto [op, triangle] : left)
      if (!train::nonzeroTerms(op))
        train::setTriangle(op, triangle, mlir::cast<GenericOp>(op).getNumLoops());
  }

private:
  /// What is known about a tensor's elements outside of a triangle of its dims.
  struct Outside {
    Known known;
    train::Triangle dims;
  };

  /// The loops that move the dims of an operand.
  static std::optional<train::Triangle> loopsAt(AffineMap map, train::Triangle dims) {
    auto upTo = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(dims.upTo)),
         beyond = mlir::dyn_cast<mlir::AffineDimExpr>(map.getResult(dims.beyond));
    if (!upTo || !beyond)
      return std::nullopt;
    return train::Triangle{upTo.getPosition(), beyond.getPosition(), dims.offset};
  }
  static std::optional<train::Triangle> dimsOf(AffineMap map, train::Triangle loops) {
    auto dimOf = [&](int64_t loop) {
      return map.getResultPosition(mlir::getAffineDimExpr(loop, map.getContext()));
    };
    std::optional<unsigned> upTo = dimOf(loops.upTo), beyond = dimOf(loops.beyond);
    if (!upTo || !beyond)
      return std::nullopt;
    return train::Triangle{*upTo, *beyond, loops.offset};
  }

  /// The triangle of an operation's mask. No row and no column of it may be empty: the softmax of a row
  /// without any number is NaN.
  std::optional<train::Triangle> triangleIn(GenericOp op) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto it = outside.find(input->get()); it != outside.end())
        if (auto loops = loopsAt(op.getMatchingIndexingMap(input), it->second.dims))
          return loops;
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    for (auto compare : op.getBody()->getOps<arith::CmpIOp>())
      if (auto compared = comparedIn(compare)) {
        train::Triangle loops = compared->first;
        int64_t upTo = sizes[loops.upTo], beyond = sizes[loops.beyond];
        if (loops.offset >= 0 && mlir::ShapedType::isStatic(upTo) && mlir::ShapedType::isStatic(beyond) &&
            beyond <= upTo + loops.offset)
          return loops;
      }
    return std::nullopt;
  }

  /// Facts about the values in the body of the operation at hand.
  Known known(GenericOp op, train::Triangle loops, Value value) {
    auto [it, isNew] = numbers.try_emplace(value, Known::Nothing);
    if (!isNew)
      return it->second;
    Known found = find(op, loops, value);
    return numbers[value] = found;
  }
  Known find(GenericOp op, train::Triangle loops, Value value) {
    if (OpOperand *operand = analysis::operandOf(op, value)) {
      auto it = outside.find(operand->get());
      if (it == outside.end() || loopsAt(op.getMatchingIndexingMap(operand), it->second.dims) != loops)
        return Known::Nothing;
      return it->second.known;
    }
    Operation *inner = value.getDefiningOp();
    if (!inner) // a tensor around the operation
      return Known::Nothing;
    auto of = [&](unsigned operand) { return known(op, loops, inner->getOperand(operand)); };
    auto isAny = [&](Known wanted) { return of(0) == wanted || of(1) == wanted; };
    mlir::FloatAttr number;
    if (mlir::matchPattern(value, mlir::m_Constant(&number))) {
      bool isLow = number.getValue().isInfinity() && number.getValue().isNegative();
      return number.getValue().isZero() ? Known::Zero : isLow ? Known::NegativeInfinity : Known::Nothing;
    }
    if (auto compare = mlir::dyn_cast<arith::CmpIOp>(inner)) {
      auto compared = comparedIn(compare);
      return compared && compared->first == loops ? compared->second : Known::Nothing;
    }
    if (mlir::isa<arith::AndIOp>(inner))
      return isAny(Known::False) ? Known::False : Known::Nothing;
    if (mlir::isa<arith::OrIOp>(inner))
      return isAny(Known::True) ? Known::True : Known::Nothing;
    if (mlir::isa<arith::SelectOp>(inner)) {
      Known condition = of(0);
      if (condition == Known::True || condition == Known::False)
        return of(condition == Known::True ? 1 : 2);
      return of(1) == of(2) ? of(1) : Known::Nothing;
    }
    if (mlir::isa<arith::MulFOp>(inner)) {
      if (isAny(Known::Zero))
        return Known::Zero;
      bool isLow = (of(0) == Known::NegativeInfinity && isPositive(inner->getOperand(1))) ||
                   (of(1) == Known::NegativeInfinity && isPositive(inner->getOperand(0)));
      return isLow ? Known::NegativeInfinity : Known::Nothing;
    }
    if (mlir::isa<arith::AddFOp>(inner)) {
      if (isAny(Known::NegativeInfinity))
        return Known::NegativeInfinity;
      return of(0) == Known::Zero && of(1) == Known::Zero ? Known::Zero : Known::Nothing;
    }
    if (mlir::isa<arith::SubFOp>(inner))
      return of(0) == Known::NegativeInfinity ? Known::NegativeInfinity : Known::Nothing;
    if (mlir::isa<arith::DivFOp, arith::NegFOp>(inner))
      return of(0) == Known::Zero ? Known::Zero : Known::Nothing;
    if (mlir::isa<mlir::math::ExpOp>(inner))
      return of(0) == Known::NegativeInfinity ? Known::Zero : Known::Nothing;
    return Known::Nothing;
  }

  /// Whether adding `known` leaves a reduction's result as it is.
  static bool isNeutral(GenericOp op, unsigned result, Known known) {
    Operation *combiner = analysis::combinerOf(op, result);
    return (known == Known::Zero && mlir::isa_and_nonnull<arith::AddFOp>(combiner)) ||
           (known == Known::NegativeInfinity && mlir::isa_and_nonnull<arith::MaximumFOp>(combiner));
  }
  /// The term that a reduction adds to its result in each iteration.
  static Value termOf(GenericOp op, unsigned result) {
    Operation *combiner = analysis::combinerOf(op, result);
    if (!combiner)
      return {};
    return combiner->getOperand(combiner->getOperand(0) == op.getRegionOutputArgs()[result] ? 1 : 0);
  }

  void follow(GenericOp op) {
    std::optional<train::Triangle> loops = triangleIn(op);
    if (!loops)
      return;
    numbers.clear();
    unsigned parallel = op.getNumParallelLoops();
    if (isElementwise(op)) {
      for (OpResult result : op->getResults()) {
        Known all = known(op, *loops, op.getBody()->getTerminator()->getOperand(result.getResultNumber()));
        auto dims = dimsOf(op.getIndexingMapMatchingResult(result), *loops);
        if (dims && (all == Known::Zero || all == Known::NegativeInfinity))
          outside[result] = {all, *dims};
      }
      return;
    }
    bool isReduced = loops->upTo >= parallel || loops->beyond >= parallel;
    auto addsNothing = [&](OpResult result) {
      unsigned number = result.getResultNumber();
      Value term = termOf(op, number);
      return term && isNeutral(op, number, known(op, *loops, term));
    };
    if (isReduced && llvm::all_of(op->getResults(), addsNothing))
      left[op] = *loops;
  }

  /// Leaves out the iterations that no reader needs.
  void askReaders(GenericOp op) {
    if (left.count(op))
      return;
    std::optional<train::Triangle> common;
    for (OpResult result : op->getResults())
      for (OpOperand &use : result.getUses()) {
        auto reader = mlir::dyn_cast<GenericOp>(use.getOwner());
        auto it = reader ? left.find(reader) : left.end();
        if (it == left.end())
          return;
        auto dims = dimsOf(reader.getMatchingIndexingMap(&use), it->second);
        auto loops = dims ? loopsAt(op.getIndexingMapMatchingResult(result), *dims) : std::nullopt;
        if (!loops || (common && *common != *loops))
          return;
        common = loops;
      }
    if (common)
      left[op] = *common;
  }

  SmallVector<GenericOp> ops;
  llvm::DenseMap<Value, Outside> outside;
  llvm::DenseMap<Value, Known> numbers;
  llvm::MapVector<Operation *, train::Triangle> left; ///< what is left out
};

struct LeaveOutMaskedPass : public impl::LeaveOutMaskedBase<LeaveOutMaskedPass> {
  void runOnOperation() override {
    forEachKernel(getOperation(), [](train::KernelOp kernel) {
      if (kernel.getSteps())
        LeaveOut(kernel.getBody().front()).run();
    });
  }
};

} // namespace

} // namespace dlc::fuse

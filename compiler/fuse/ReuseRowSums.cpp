//===- ReuseRowSums.cpp - sums of elements that products know already -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With y[r, c] = sum over k of p[r, k] v[k, c], a program may sum up p[r, k] g[r, k] over k, where g[r, k] is
// the sum over c of h[r, c] v[k, c]. That is the sum over c of h[r, c] y[r, c]. The backward pass of a
// softmax compares the gradient of each share with such a sum, in which an attention's result y and its
// gradient h take the place of two matrices. Where these are made tile by tile only
// (compiler/analysis/Transient.h), the sum would take two products of matrices more.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Generics.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace arith = mlir::arith;

namespace dlc::fuse {

#define GEN_PASS_DEF_REUSEROWSUMS
#include "compiler/fuse/Passes.h.inc"
namespace {

/// A value in the body of a generic, as it is computed at one point of a frame of loops that all such values
/// share: `loops` maps the frame's loops to those of the generic.
struct BodyValue {
  GenericOp op;
  Value value;
  AffineMap loops;

  /// If the value is an argument of the body: the tensor, and the map by which the frame reads it; else null.
  std::pair<Value, AffineMap> tensor() {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
    if (!argument)
      return {};
    OpOperand *operand = op->getOpOperands().begin() + argument.getArgNumber();
    return {operand->get(), op.getMatchingIndexingMap(operand).compose(loops)};
  }
  /// If an elementwise generic computes the element that this argument is: the value in that generic's body.
  std::optional<BodyValue> source() {
    auto [read, map] = tensor();
    auto maker = read ? read.getDefiningOp<GenericOp>() : GenericOp();
    if (!maker || !isElementwise(maker) || maker.getNumResults() != 1)
      return std::nullopt;
    AffineMap written = maker.getIndexingMapMatchingResult(mlir::cast<OpResult>(read));
    if (!written.isPermutation())
      return std::nullopt;
    return BodyValue{maker, maker.getBody()->getTerminator()->getOperand(0),
                     mlir::inversePermutation(written).compose(map)};
  }
};

bool isSame(BodyValue a, BodyValue b) {
  if (a.value == b.value && a.loops == b.loops)
    return true;
  auto [tensorA, mapA] = a.tensor();
  auto [tensorB, mapB] = b.tensor();
  if (tensorA && tensorA == tensorB && mapA == mapB)
    return true;
  if (std::optional<BodyValue> source = a.source())
    return isSame(*source, b);
  if (std::optional<BodyValue> source = b.source())
    return isSame(a, *source);
  Operation *madeA = a.value.getDefiningOp(), *madeB = b.value.getDefiningOp();
  if (!madeA || !madeB || madeA->getName() != madeB->getName() || madeA->getNumRegions() > 0)
    return false;
  // Values from outside of a body, such as captured tensors, are equal only if they are the same value.
  auto isOutside = [](BodyValue &at) { return at.value.getParentBlock() != at.op.getBody(); };
  if (isOutside(a) || isOutside(b))
    return false;
  if (auto indexA = mlir::dyn_cast<mlir::linalg::IndexOp>(madeA))
    return a.loops.getResult(indexA.getDim()) ==
           b.loops.getResult(mlir::cast<mlir::linalg::IndexOp>(madeB).getDim());
  return madeA->getAttrDictionary() == madeB->getAttrDictionary() &&
         madeA->getResultTypes() == madeB->getResultTypes() &&
         llvm::all_of(llvm::zip_equal(madeA->getOperands(), madeB->getOperands()), [&](auto operands) {
           auto [x, y] = operands;
           return x == y || isSame({a.op, x, a.loops}, {b.op, y, b.loops});
         });
}

/// One of the factors of a product: a number, or whether a condition holds.
struct Factor {
  BodyValue at;
  enum Kind { Number, Holds, HoldsNot } kind;
};

/// Collects the factors that a value is a product of, up to roundings.
void addFactors(BodyValue at, SmallVector<Factor> &factors) {
  constexpr size_t most = 16;
  Operation *made = factors.size() < most ? at.value.getDefiningOp() : nullptr;
  auto follow = [&](Value value) { addFactors({at.op, value, at.loops}, factors); };
  if (std::optional<BodyValue> source = at.source(); source && factors.size() < most)
    return addFactors(*source, factors);
  if (mlir::isa_and_nonnull<arith::MulFOp>(made)) {
    follow(made->getOperand(0));
    return follow(made->getOperand(1));
  }
  if (mlir::isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(made))
    return follow(made->getOperand(0));
  if (auto select = mlir::dyn_cast_or_null<arith::SelectOp>(made))
    for (bool holds : {true, false})
      if (mlir::matchPattern(made->getOperand(holds ? 2 : 1), mlir::m_AnyZeroFloat())) {
        BodyValue condition{at.op, select.getCondition(), at.loops};
        factors.push_back({condition, holds ? Factor::Holds : Factor::HoldsNot});
        return follow(made->getOperand(holds ? 1 : 2));
      }
  factors.push_back({at, Factor::Number});
}

class RowProduct {
public:
  explicit RowProduct(GenericOp sum) : sum(sum), parallel(sum.getNumParallelLoops()) {}

  /// Replaces the sum by one over the rows of another product, if there is one.
  void run() {
    Operation *combiner = analysis::combinerOf(sum, 0);
    if (sum.getNumResults() != 1 || !mlir::isa_and_nonnull<arith::AddFOp>(combiner) || isContraction(sum) ||
        sum.getNumReductionLoops() == 0 || !analysis::beginsWithZero(sum) || !isF32(sum.getResult(0)))
      return;
    Value term = combiner->getOperand(combiner->getOperand(0) == sum.getRegionOutputArgs()[0] ? 1 : 0);
    SmallVector<Factor> factors;
    addFactors({sum, term, AffineMap::getMultiDimIdentityMap(sum.getNumLoops(), sum.getContext())}, factors);
    for (size_t i = 0; i < factors.size(); ++i) {
      auto [tensor, map] = factors[i].at.tensor();
      auto maker = tensor ? tensor.getDefiningOp<GenericOp>() : GenericOp();
      if (!maker || factors[i].kind != Factor::Number || !isContraction(maker))
        continue;
      SmallVector<Factor> others(factors);
      others.erase(others.begin() + i);
      for (unsigned rows : {0, 1})
        if (tryMaker(maker, map, rows, others))
          return;
    }
  }

private:
  mlir::AffineExpr dim(unsigned loop) { return mlir::getAffineDimExpr(loop, sum.getContext()); }
  bool isReduced(mlir::AffineExpr expr) {
    return llvm::any_of(llvm::seq(parallel, sum.getNumLoops()),
                        [&](unsigned loop) { return expr.isFunctionOfDim(loop); });
  }

  /// Tries the product's operand number `rows` as the one that the sum's own loops do not move.
  bool tryMaker(GenericOp maker, AffineMap read, unsigned rows, ArrayRef<Factor> others) {
    AffineMap written = maker.getIndexingMapMatchingResult(maker->getResult(0));
    if (!written.isProjectedPermutation() || written.getNumResults() != maker.getNumParallelLoops())
      return false;
    // The producer's loops in a frame that consists of the sum's loops and then the producer's reductions.
    SmallVector<mlir::AffineExpr> loops(maker.getNumLoops());
    for (auto [at, is] : llvm::zip_equal(written.getResults(), read.getResults()))
      loops[mlir::cast<mlir::AffineDimExpr>(at).getPosition()] = is;
    const unsigned frame = sum.getNumLoops() + maker.getNumReductionLoops();
    for (unsigned loop = maker.getNumParallelLoops(), next = sum.getNumLoops(); loop < loops.size(); ++loop)
      loops[loop] = dim(next++);
    AffineMap makers = AffineMap::get(frame, 0, loops, sum.getContext());
    AffineMap ofRows = maker.getIndexingMapsArray()[rows].compose(makers),
              ofOthers = maker.getIndexingMapsArray()[1 - rows].compose(makers);
    if (llvm::any_of(ofRows.getResults(), [&](mlir::AffineExpr expr) { return isReduced(expr); }))
      return false;
    Value other = maker.getInputs()[1 - rows];
    for (OpOperand &use : other.getUses()) {
      auto user = mlir::dyn_cast<GenericOp>(use.getOwner());
      if (!user || user == maker || !isContraction(user) || !user.isDpsInput(&use) ||
          !analysis::beginsWithZero(user) || !isF32(user.getResult(0)) || !user->isBeforeInBlock(sum))
        continue;
      std::optional<AffineMap> users = loopsOfUser(user, use.getOperandNumber(), ofOthers, frame);
      if (users && isWeighedBy(user, 1 - use.getOperandNumber(), *users, others)) {
        replace(maker, rows, ofRows, user, *users);
        return true;
      }
    }
    return false;
  }

  /// The loops of another product that reads the same operand: its loops that move the operand follow from
  /// the element that the producer reads; its other loops are, in order, the loops of the sum that do not
  /// move it.
  std::optional<AffineMap> loopsOfUser(GenericOp user, unsigned operand, AffineMap ofOthers, unsigned frame) {
    SmallVector<mlir::AffineExpr> loops(user.getNumLoops());
    AffineMap read = user.getIndexingMapsArray()[operand];
    for (auto [at, is] : llvm::zip_equal(read.getResults(), ofOthers.getResults())) {
      auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(at);
      if (!loop || !mlir::isa<mlir::AffineDimExpr>(is) || llvm::is_contained(loops, is))
        return std::nullopt;
      loops[loop.getPosition()] = is;
    }
    SmallVector<mlir::AffineExpr> rest;
    for (unsigned loop = 0; loop < parallel; ++loop)
      if (!llvm::is_contained(ofOthers.getResults(), dim(loop)))
        rest.push_back(dim(loop));
    for (auto [loop, is] : llvm::enumerate(loops)) {
      if (!is) {
        if (rest.empty())
          return std::nullopt;
        is = rest.front();
        rest.erase(rest.begin());
      }
      // The other product must reduce along the reductions of the sum.
      if (isReduced(is) != (loop >= user.getNumParallelLoops()))
        return std::nullopt;
    }
    if (!rest.empty() || user.getNumReductionLoops() != sum.getNumReductionLoops())
      return std::nullopt;
    return AffineMap::get(frame, 0, loops, sum.getContext());
  }

  /// Whether a product multiplies the operand by the same factors that the sum multiplies the producer's
  /// elements by.
  bool isWeighedBy(GenericOp user, unsigned operand, AffineMap loops, ArrayRef<Factor> others) {
    SmallVector<Factor> weights;
    addFactors({user, user.getBody()->getArgument(operand), loops}, weights);
    if (weights.size() != others.size())
      return false;
    for (auto [at, kind] : others) {
      const BodyValue wider{at.op, at.value,
                            AffineMap::get(loops.getNumDims(), 0, at.loops.getResults(), sum.getContext())};
      const Factor::Kind wanted = kind;
      auto found = llvm::find_if(
          weights, [&](Factor &weight) { return weight.kind == wanted && isSame(weight.at, wider); });
      if (found == weights.end())
        return false;
      weights.erase(found);
    }
    return true;
  }

  void replace(GenericOp maker, unsigned rows, AffineMap ofRows, GenericOp user, AffineMap users) {
    mlir::OpBuilder b(sum);
    SmallVector<mlir::AffineExpr> loops; // without the sum's reductions
    for (unsigned loop = 0; loop < ofRows.getNumDims(); ++loop)
      loops.push_back(dim(loop < parallel            ? loop
                          : loop < sum.getNumLoops() ? 0
                                                     : loop - sum.getNumReductionLoops()));
    const unsigned count = ofRows.getNumDims() - sum.getNumReductionLoops();
    auto inLoops = [&](AffineMap map) { return map.replaceDimsAndSymbols(loops, {}, count, 0); };
    AffineMap written = sum.getIndexingMapMatchingResult(sum->getResult(0));
    AffineMap ofUser = user.getIndexingMapMatchingResult(user->getResult(0)).compose(users);
    AffineMap maps[] = {inLoops(ofRows), inLoops(ofUser),
                        AffineMap::get(count, 0, written.getResults(), sum.getContext())};
    SmallVector<mlir::utils::IteratorType> kinds(count, mlir::utils::IteratorType::reduction);
    std::fill(kinds.begin(), kinds.begin() + parallel, mlir::utils::IteratorType::parallel);
    auto made = GenericOp::create(
        b, sum.getLoc(), sum.getResultTypes(), ValueRange{maker.getInputs()[rows], user->getResult(0)},
        sum.getOutputs(), maps, kinds, [](mlir::OpBuilder &b, mlir::Location loc, ValueRange arguments) {
          Value row = arguments[0];
          if (row.getType() != arguments[2].getType())
            row = arith::ExtFOp::create(b, loc, arguments[2].getType(), row);
          Value product = arith::MulFOp::create(b, loc, row, arguments[1]);
          mlir::linalg::YieldOp::create(b, loc,
                                        arith::AddFOp::create(b, loc, arguments[2], product).getResult());
        });
    made.setDocAttr(sum.getDocAttr());
    sum.replaceAllUsesWith(made);
    sum.erase();
  }

  GenericOp sum;
  unsigned parallel;
};

} // namespace

/// In a softmax's gradient, rowsum(P * dP) equals rowsum(O * dO), which needs no second product. Replaces the
/// first by the second.
static void reuseRowSums(mlir::Block &block) {
  for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>()))
    RowProduct(op).run();
}

namespace {
struct ReuseRowSumsPass : public impl::ReuseRowSumsBase<ReuseRowSumsPass> {
  void runOnOperation() override {
    forEachFunction(getOperation(), [](train::FunctionOp, mlir::Block &block) {
      reuseRowSums(block);
      eraseUnused(block);
    });
  }
};
} // namespace

} // namespace dlc::fuse

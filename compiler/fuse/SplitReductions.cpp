//===- SplitReductions.cpp - long reductions with few results --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sum of a million elements to one, or of a matrix's long columns, leaves nothing to share among threads,
// and neither does the gradient of a weight with few elements, such as that of a first convolution. It
// becomes two: the first computes partial results, of parts of one loop, and the second combines these in
// order and has what followed. The parts depend on sizes alone, never on the number of threads, and so do the
// bits.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/SplitReductions.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/Nonzero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_SPLITREDUCTIONS
#include "compiler/fuse/Passes.h.inc"

using mlir::AffineDimExpr, mlir::AffineExpr, mlir::RankedTensorType, mlir::utils::IteratorType;

// A reduction of fewer elements ends about when other threads have woken up.
static constexpr int64_t longWork = 1 << 17;
// The same limit for products, whose steps take less time; and the most results of such a product, which then
// make few tiles and whose partial results stay in a cache.
static constexpr int64_t longProduct = 1 << 20, fewProducts = 2048;
// So many results are enough to share among threads: sixteen chunks of two vectors, or of rows, which also
// share loops with their readers.
static constexpr int64_t manyColumns = 512, manyRows = 5;
// Where thousands of threads work at once, sums of more columns are split as well: threads then read whole
// rows, and not the same few columns of each. The reduction must be worth the start of another kernel.
static constexpr int64_t manyColumnsOfThreads = 1 << 14, longColumns = 1 << 20;
// More parts would not balance better; fewer are not worth a second kernel.
static constexpr int64_t mostParts = 64, enoughParts = 16, fewestParts = 4;
// For a single sum, each part is a block of threads; memory is busy when each multiprocessor has two blocks,
// and each of a block's thousand threads must have some terms.
static constexpr int64_t mostPartsOfThreads = 256, leastTermsOfPart = 1 << 14;

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

/// The largest divisor of `size` that is at most `most`.
static int64_t partsOf(int64_t size, int64_t most) {
  int64_t parts = std::min(size, most);
  while (size % parts)
    --parts;
  return parts;
}

bool canSplit(GenericOp op) {
  if (isElementwise(op) || op.hasDynamicShape() || op.hasIndexSemantics())
    return false;
  for (unsigned i = 0; i < op.getNumResults(); ++i)
    if (!analysis::combinerOf(op, i))
      return false;
  return true;
}

// Operands are read along the loop in whole dims only, which can be cut.
bool canSplitAlong(GenericOp op, int64_t loop) {
  for (OpOperand *input : op.getDpsInputOperands())
    for (AffineExpr expr : op.getMatchingIndexingMap(input).getResults())
      if (expr.isFunctionOfDim(loop) && !mlir::isa<AffineDimExpr>(expr))
        return false;
  return true;
}

namespace {

class Split {
public:
  Split(GenericOp op, int64_t loop, int64_t parts)
      : op(op), b(op.getLoc(), op), context(op.getContext()), cut(loop), parts(parts),
        rest(op.getStaticLoopRanges()[loop] / parts) {
    int64_t next = 1;
    for (unsigned old = 0; old < op.getNumLoops(); ++old)
      numbers.push_back(old == cut && rest == 1 ? 0 : next++);
    loops = next;
  }
  void run();

private:
  Value cutDim(Value tensor, int64_t dim);
  GenericOp makePartial();

  GenericOp op;
  mlir::ImplicitLocOpBuilder b;
  mlir::MLIRContext *context;
  unsigned cut;
  int64_t parts, rest; ///< rest: iterations of one part
  SmallVector<unsigned>
      numbers; ///< of the old loops in the first operation, whose loop 0 goes over the parts
  unsigned loops;
};

/// Views the tensor with one dim as two: the number of the part, and the position in it.
Value Split::cutDim(Value tensor, int64_t dim) {
  auto type = mlir::cast<RankedTensorType>(tensor.getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = rest;
  shape.insert(shape.begin() + dim, parts);
  SmallVector<mlir::ReassociationIndices> groups;
  for (int64_t old = 0, now = 0; old < type.getRank(); ++old) {
    groups.push_back({now++});
    if (old == dim)
      groups.back().push_back(now++);
  }
  return mlir::tensor::ExpandShapeOp::create(b, type.clone(shape), tensor, groups);
}

GenericOp Split::makePartial() {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  SmallVector<mlir::Type> types;
  auto renumber = [&](AffineMap map) {
    SmallVector<AffineExpr> dims;
    for (unsigned number : numbers)
      dims.push_back(mlir::getAffineDimExpr(number, context));
    return map.replaceDimsAndSymbols(dims, {}, loops, 0);
  };
  AffineExpr part = mlir::getAffineDimExpr(0, context);
  for (OpOperand *input : op.getDpsInputOperands()) {
    Value tensor = input->get();
    AffineMap map = op.getMatchingIndexingMap(input);
    SmallVector<AffineExpr> results(renumber(map).getResults());
    // Goes from the last dim to the first, since a dim that is cut moves those after it.
    for (int64_t dim = int64_t(map.getNumResults()) - 1; rest > 1 && dim >= 0; --dim)
      if (map.getResult(dim) == mlir::getAffineDimExpr(cut, context)) {
        tensor = cutDim(tensor, dim);
        results.insert(results.begin() + dim, part);
      }
    inputs.push_back(tensor);
    maps.push_back(AffineMap::get(loops, 0, results, context));
  }
  for (auto [index, result] : llvm::enumerate(op.getResults())) {
    auto type = mlir::cast<RankedTensorType>(result.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape.insert(shape.begin(), parts);
    auto neutral = *mlir::arith::getNeutralElement(analysis::combinerOf(op, index));
    Value number = mlir::arith::ConstantOp::create(b, neutral);
    Value empty = mlir::tensor::EmptyOp::create(b, shape, type.getElementType());
    inits.push_back(mlir::linalg::FillOp::create(b, number, empty).getResult(0));
    types.push_back(inits.back().getType());
    SmallVector<AffineExpr> results{part};
    llvm::append_range(results,
                       renumber(op.getMatchingIndexingMap(op.getDpsInitOperand(index))).getResults());
    maps.push_back(AffineMap::get(loops, 0, results, context));
  }
  SmallVector<IteratorType> iterators(loops, IteratorType::parallel);
  for (auto [old, iterator] : llvm::enumerate(op.getIteratorTypesArray()))
    if (old != cut || rest > 1)
      iterators[numbers[old]] = iterator;
  auto partial = GenericOp::create(b, types, inputs, inits, maps, iterators);
  mlir::IRMapping mapping;
  op.getRegion().cloneInto(&partial.getRegion(), mapping);
  if (auto doc = op.getDocAttr())
    partial.setDocAttr(doc);
  if (mlir::IntegerSet terms = train::nonzeroTerms(op)) {
    SmallVector<AffineExpr> dims;
    for (unsigned number : numbers)
      dims.push_back(mlir::getAffineDimExpr(number, context));
    if (rest > 1)
      dims[cut] = part * rest + dims[cut];
    SmallVector<AffineExpr> atLeastZero;
    for (AffineExpr expr : terms.getConstraints())
      atLeastZero.push_back(expr.replaceDims(dims));
    train::setNonzeroTerms(partial, atLeastZero, loops);
  }
  return partial;
}

void Split::run() {
  GenericOp partial = makePartial();
  // The partial results have the old parallel loops, which come first, and one loop over the parts.
  unsigned parallel = op.getNumParallelLoops(), results = op.getNumResults();
  SmallVector<AffineMap> maps(2 * results);
  for (unsigned i = 0; i < results; ++i) {
    ArrayRef<AffineExpr> old = op.getMatchingIndexingMap(op.getDpsInitOperand(i)).getResults();
    SmallVector<AffineExpr> read{mlir::getAffineDimExpr(parallel, context)};
    llvm::append_range(read, old);
    maps[i] = AffineMap::get(parallel + 1, 0, read, context);
    maps[results + i] = AffineMap::get(parallel + 1, 0, old, context);
  }
  SmallVector<IteratorType> iterators(parallel, IteratorType::parallel);
  iterators.push_back(IteratorType::reduction);
  auto total = GenericOp::create(
      b, op.getResultTypes(), partial.getResults(), op.getOutputs(), maps, iterators,
      [&](mlir::OpBuilder &inner, mlir::Location loc, ValueRange arguments) {
        SmallVector<Value> sums;
        for (unsigned i = 0; i < results; ++i) {
          Operation *combiner = analysis::combinerOf(op, i);
          Value sum = op.getBody()->getArgument(op.getNumDpsInputs() + i);
          Operation *made = inner.clone(*combiner);
          for (OpOperand &operand : made->getOpOperands())
            operand.set(arguments[combiner->getOperand(operand.getOperandNumber()) == sum ? results + i : i]);
          sums.push_back(made->getResult(0));
        }
        mlir::linalg::YieldOp::create(inner, loc, sums);
      });
  if (auto doc = op.getDocAttr())
    total.setDocAttr(doc);
  op->replaceAllUsesWith(total);
  op->erase();
}

} // namespace

void splitAlong(GenericOp op, int64_t loop, int64_t parts) { Split(op, loop, parts).run(); }

/// Whether the work is much and the results are few.
static bool isLong(GenericOp op, ArrayRef<int64_t> sizes, bool areThreads) {
  int64_t work = product(sizes), results = product(sizes.take_front(op.getNumParallelLoops()));
  if (isProduct(op))
    return work >= longProduct && results < fewProducts;
  if (work < longWork || !sumsColumns(op))
    return work >= longWork && results < manyRows;
  return results < manyColumns || (areThreads && work >= longColumns && results < manyColumnsOfThreads);
}

static void splitIfLong(GenericOp op, bool areThreads) {
  if (!canSplit(op))
    return;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  unsigned parallel = op.getNumParallelLoops();
  if (!isLong(op, sizes, areThreads))
    return;
  const int64_t work = product(sizes), results = product(ArrayRef(sizes).take_front(parallel));
  int64_t most = mostParts;
  if (areThreads && !isProduct(op) && results < manyRows)
    most = std::clamp(work / results / leastTermsOfPart, mostParts, mostPartsOfThreads);
  // Takes the outermost loop that is long enough, so that parts are contiguous in memory.
  int64_t best = -1, parts = fewestParts - 1;
  for (unsigned loop = parallel; loop < sizes.size() && parts < enoughParts; ++loop)
    if (canSplitAlong(op, loop) && partsOf(sizes[loop], most) > parts) {
      best = loop;
      parts = partsOf(sizes[loop], most);
    }
  if (best < 0)
    return;
  using mlir::remark::metric;
  remarks::done(op, remarks::fuse, "split-reduction")
      << "the sum of " << metric("terms", work / results) << " terms for each of "
      << metric("results", results) << " results is cut into " << metric("parts", parts) << " parts, which "
      << (areThreads ? "thread blocks" : "threads") << " make side by side, and a second nest adds them";
  splitAlong(op, best, parts);
}

/// Splits each reduction of many elements to few into two. `areThreads`: the target works on thousands of
/// elements at once.
static void splitLongReductions(mlir::Block &block, bool areThreads) {
  for (auto op : llvm::to_vector(block.getOps<GenericOp>()))
    splitIfLong(op, areThreads);
}

namespace {
struct SplitReductionsPass : public impl::SplitReductionsBase<SplitReductionsPass> {
  using SplitReductionsBase::SplitReductionsBase;

  void runOnOperation() override {
    forEachFunction(getOperation(),
                    [&](train::FunctionOp, mlir::Block &block) { splitLongReductions(block, areThreads); });
  }
};
} // namespace

} // namespace dlc::fuse

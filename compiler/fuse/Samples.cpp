//===- Samples.cpp - where samples of a batch meet -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows the batch through the loop nests, by their indexing maps alone. A value has nothing of the batch;
// or it has its samples apart, so that a part of the batch is a run of positions along one dim; or samples
// have met in it. Only numbers may be made of what has met: the sum of the losses, and the weight that
// divides it. What ranks have added up has nothing of their own batches any more, so that anything may be made
// of it, and kept.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Samples.h"
#include "compiler/analysis/Views.h"
#include "compiler/fuse/recompute/KeptValues.h"
#include "compiler/support/NodeNames.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Nonzero.h"
#include "mlir/IR/Matchers.h"

namespace dlc::fuse {
namespace {

struct Samples {
  enum { None, Apart, Met } state = None;
  int64_t dim = 0; ///< along which they are apart
};

class Followed {
public:
  Followed(train::FunctionOp step, int64_t parts)
      : program(step->getParentOfType<train::ProgramOp>()), parts(parts) {}

  /// nullopt where parts of the batch cannot be computed apart, or where that is not known.
  std::optional<Samples> resultOf(Operation &op) {
    if (auto read = mlir::dyn_cast<train::ReadOp>(op))
      return ofRead(read);
    if (auto generic = mlir::dyn_cast<GenericOp>(op))
      return ofGeneric(generic);
    const bool isOfBatch =
        llvm::any_of(op.getOperands(), [&](Value operand) { return of(operand).state != Samples::None; });
    if (!isOfBatch)
      return Samples();
    if (auto collapse = mlir::dyn_cast<mlir::tensor::CollapseShapeOp>(op))
      return ofReshape(collapse.getReassociationIndices(), collapse.getSrcType(), of(collapse.getSrc()),
                       true);
    if (auto expand = mlir::dyn_cast<mlir::tensor::ExpandShapeOp>(op))
      return ofReshape(expand.getReassociationIndices(), expand.getResultType(), of(expand.getSrc()), false);
    if (auto slice = mlir::dyn_cast<mlir::tensor::ExtractSliceOp>(op))
      return ofSlice(slice);
    if (auto join = mlir::dyn_cast<train::JoinOp>(op))
      return ofJoin(join);
    if (auto call = mlir::dyn_cast<train::CustomCallOp>(op); call && call.definition().getCollective())
      return of(call.getInputs().front()).state == Samples::Apart ? std::nullopt : std::optional(Samples());
    return std::nullopt;
  }

  bool isOfAll(Value value) const { return of(value).state == Samples::None; }

  void set(Operation &op, Samples samples) {
    for (Value result : op.getResults()) {
      known[result] = samples;
      if (samples.state == Samples::None && mlir::isa<mlir::RankedTensorType>(result.getType()))
        same[result] = sameDims(result);
    }
  }

private:
  Samples of(Value value) const { return known.lookup(value); }

  std::optional<Samples> ofRead(train::ReadOp read) {
    auto input =
        mlir::dyn_cast<train::InputOp>(mlir::SymbolTable::lookupSymbolIn(program, read.getSymbolAttr()));
    train::DimOp batch = train::batchDim(program);
    auto isOfBatch = [&](const nn::Dim &dim) { return llvm::is_contained(dim.names, batch.getSymName()); };
    if (!input || llvm::none_of(nn::shapeOf(input.getType()), isOfBatch))
      return Samples();
    return train::isCutByBatch(input) ? std::optional(Samples{Samples::Apart, 0}) : std::nullopt;
  }

  /// The batch dim behind a reshape: the first dim of its group that is longer than 1, so that a part of the
  /// batch stays contiguous. `shape` is that of the side with more dims.
  std::optional<Samples> ofReshape(ArrayRef<mlir::ReassociationIndices> groups, mlir::RankedTensorType shape,
                                   Samples from, bool collapses) {
    if (from.state != Samples::Apart)
      return std::nullopt;
    for (auto [index, group] : llvm::enumerate(groups)) {
      auto leading = llvm::find_if(group, [&](int64_t dim) { return shape.getDimSize(dim) != 1; });
      const int64_t first = leading == group.end() ? group.front() : *leading;
      if (collapses ? !llvm::is_contained(group, from.dim) : int64_t(index) != from.dim)
        continue;
      if (collapses ? first != from.dim : shape.getDimSize(first) % parts != 0)
        return std::nullopt;
      return Samples{Samples::Apart, collapses ? int64_t(index) : first};
    }
    return std::nullopt;
  }

  std::optional<Samples> ofSlice(mlir::tensor::ExtractSliceOp slice) {
    const Samples from = of(slice.getSource());
    if (from.state != Samples::Apart || slice.getStaticOffset(from.dim) != 0 ||
        slice.getStaticStride(from.dim) != 1 ||
        slice.getStaticSize(from.dim) != slice.getSourceType().getDimSize(from.dim))
      return std::nullopt;
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    if (dropped[from.dim])
      return std::nullopt;
    int64_t dim = 0;
    for (int64_t before = 0; before < from.dim; ++before)
      dim += dropped[before] ? 0 : 1;
    return Samples{Samples::Apart, dim};
  }

  std::optional<Samples> ofJoin(train::JoinOp join) {
    std::optional<Samples> result;
    const int64_t axis = join.getAxis();
    for (auto [index, part] : llvm::enumerate(join.getParts())) {
      Samples from = of(part);
      if (from.state != Samples::Apart)
        return std::nullopt;
      if (join.lacksAxis(index))
        from.dim += from.dim >= axis ? 1 : 0;
      if (from.dim == axis || (result && result->dim != from.dim))
        return std::nullopt;
      result = from;
    }
    return result;
  }

  /// Whether a tensor without samples has the same elements at all positions along `dim`, as the states do in
  /// which all samples begin a recurrence.
  bool isSameAlong(Value value, int64_t dim) const {
    mlir::SplatElementsAttr splat;
    if (isFilled(value) || matchPattern(value, mlir::m_Constant(&splat)))
      return true;
    auto found = same.find(value);
    return found != same.end() && found->second.test(dim);
  }

  llvm::SmallBitVector sameDims(Value value) const {
    llvm::SmallBitVector dims(mlir::cast<mlir::RankedTensorType>(value.getType()).getRank());
    if (auto op = value.getDefiningOp<GenericOp>())
      for (auto [dim, index] : llvm::enumerate(op.getIndexingMapMatchingResult(mlir::cast<mlir::OpResult>(value)).getResults()))
        if (auto loop = mlir::dyn_cast<mlir::AffineDimExpr>(index))
          dims[dim] = isSameFor(op, loop.getPosition());
    if (auto collapse = value.getDefiningOp<mlir::tensor::CollapseShapeOp>())
      for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices()))
        dims[dim] = llvm::all_of(group, [&](int64_t from) { return isSameAlong(collapse.getSrc(), from); });
    if (auto expand = value.getDefiningOp<mlir::tensor::ExpandShapeOp>())
      for (auto [from, group] : llvm::enumerate(expand.getReassociationIndices()))
        for (int64_t dim : group)
          dims[dim] = isSameAlong(expand.getSrc(), from);
    if (auto slice = value.getDefiningOp<mlir::tensor::ExtractSliceOp>())
      if (slice.getDroppedDims().none())
        for (int64_t dim = 0; dim < int64_t(dims.size()); ++dim)
          dims[dim] = isSameAlong(slice.getSource(), dim);
    return dims;
  }

  /// Whether a nest without samples does the same in all iterations of a parallel loop.
  bool isSameFor(GenericOp op, unsigned loop) const {
    auto usesIndex = [&](mlir::linalg::IndexOp index) { return index.getDim() == loop; };
    if (analysis::scatterOf(op) || train::nonzeroTerms(op) || !capturedTensors(op).empty() ||
        op.getIteratorTypesArray()[loop] == mlir::utils::IteratorType::reduction ||
        llvm::any_of(op.getBody()->getOps<mlir::linalg::IndexOp>(), usesIndex))
      return false;
    for (OpOperand &operand : op->getOpOperands())
      for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (index.isFunctionOfDim(loop) && !isSameAlong(operand.get(), dim))
          return false;
    return true;
  }

  static bool isFilled(Value value) {
    return mlir::isa<mlir::linalg::FillOp, mlir::tensor::EmptyOp>(value.getDefiningOp());
  }

  std::optional<Samples> ofGeneric(GenericOp op) {
    bool hasMet = false;
    std::optional<unsigned> loop; // along which samples are apart
    for (OpOperand &operand : op->getOpOperands()) {
      const Samples from = of(operand.get());
      if (from.state == Samples::Met)
        hasMet = true;
      if (from.state != Samples::Apart)
        continue;
      auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(op.getMatchingIndexingMap(&operand).getResult(from.dim));
      if (!dim || (loop && *loop != dim.getPosition()))
        return std::nullopt;
      loop = dim.getPosition();
    }
    for (Value captured : capturedTensors(op)) {
      const Samples from = of(captured);
      if (from.state == Samples::None)
        continue;
      std::optional<unsigned> along =
          from.state == Samples::Apart ? loopOf(op, captured, from.dim) : std::nullopt;
      if (!along || (loop && loop != along))
        return std::nullopt;
      loop = along;
    }
    for (auto index : op.getBody()->getOps<mlir::linalg::IndexOp>()) {
      if (!isRowOfAll(index))
        continue;
      if (loop && *loop != index.getDim())
        return std::nullopt;
      loop = index.getDim();
    }
    if (hasMet)
      return loop || op.getNumLoops() > 0 ? std::nullopt : std::optional(Samples{Samples::Met});
    if (!loop)
      return Samples();
    return runsAlong(op, *loop) ? resultAlong(op, *loop) : std::nullopt;
  }

  /// The loop whose index chooses the sample of a tensor that the body reads where it wants, as in front of a
  /// convolution that pads its images: the place along `dim` is the loop's index itself, in all reads.
  static std::optional<unsigned> loopOf(GenericOp op, Value captured, int64_t dim) {
    std::optional<unsigned> loop;
    for (Operation *user : captured.getUsers()) {
      if (!op->isProperAncestor(user))
        continue;
      auto read = mlir::dyn_cast<mlir::tensor::ExtractOp>(user);
      auto index = read ? read.getIndices()[dim].getDefiningOp<mlir::linalg::IndexOp>() : nullptr;
      if (!index || index->getParentOp() != op || (loop && *loop != index.getDim()))
        return std::nullopt;
      loop = index.getDim();
    }
    return loop;
  }

  /// Whether a loop's index, of a loop along which samples are apart, does no more than choose the sample
  /// that a body reads.
  bool choosesSample(mlir::linalg::IndexOp index) const {
    return llvm::all_of(index->getUses(), [&](OpOperand &use) {
      auto read = mlir::dyn_cast<mlir::tensor::ExtractOp>(use.getOwner());
      if (!read || use.getOperandNumber() == 0)
        return false;
      const Samples from = of(read.getTensor());
      return from.state == Samples::Apart && from.dim == int64_t(use.getOperandNumber()) - 1;
    });
  }

  /// Whether a loop's index does no more than number the rows of the batch of all ranks, for random numbers:
  /// the third number of their state, where the rank's rows begin, is added to it.
  static bool isRowOfAll(mlir::linalg::IndexOp index) {
    auto isFirstRow = [](Value value) {
      auto cast = value.getDefiningOp<mlir::arith::IndexCastOp>();
      auto read = cast ? cast.getIn().getDefiningOp<mlir::tensor::ExtractOp>() : nullptr;
      return read && read.getTensor().getType().getShape() == ArrayRef<int64_t>(3) &&
             mlir::getConstantIntValue(read.getIndices()[0]) == 2;
    };
    return !index->use_empty() && llvm::all_of(index->getUses(), [&](OpOperand &use) {
      auto sum = mlir::dyn_cast<mlir::arith::AddIOp>(use.getOwner());
      return sum && isFirstRow(use.getOperandNumber() == 0 ? sum.getRhs() : sum.getLhs());
    });
  }

  /// Whether iterations of the loop differ by what they read of the batch alone, each its own sample.
  bool runsAlong(GenericOp op, unsigned loop) const {
    if (analysis::scatterOf(op))
      return false;
    for (OpOperand &operand : op->getOpOperands()) {
      const Samples from = of(operand.get());
      for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults())) {
        const bool isBatch = from.state == Samples::Apart && int64_t(dim) == from.dim;
        const bool isResult = op.isDpsInit(&operand);
        const bool isSame = from.state == Samples::None && isSameAlong(operand.get(), dim);
        if (index.isFunctionOfDim(loop) && !isBatch && !isResult && !isSame)
          return false;
      }
    }
    if (mlir::IntegerSet terms = train::nonzeroTerms(op))
      for (mlir::AffineExpr expression : terms.getConstraints())
        if (expression.isFunctionOfDim(loop))
          return false;
    return llvm::none_of(op.getBody()->getOperations(), [&](Operation &inner) {
      auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(inner);
      return index && index.getDim() == loop && !choosesSample(index) && !isRowOfAll(index);
    });
  }

  std::optional<Samples> resultAlong(GenericOp op, unsigned loop) const {
    if (op.getIteratorTypesArray()[loop] == mlir::utils::IteratorType::reduction)
      return llvm::all_of(op.getDpsInits(), isFilled) ? std::optional(Samples{Samples::Met}) : std::nullopt;
    std::optional<Samples> result;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      std::optional<int64_t> at;
      for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&init).getResults())) {
        if (!index.isFunctionOfDim(loop))
          continue;
        if (at || !mlir::isa<mlir::AffineDimExpr>(index))
          return std::nullopt;
        at = dim;
      }
      if (!at || !isFilled(init.get()) || (result && result->dim != *at))
        return std::nullopt;
      result = Samples{Samples::Apart, *at};
    }
    return result;
  }

  train::ProgramOp program;
  int64_t parts;
  llvm::DenseMap<Value, Samples> known;
  llvm::DenseMap<Value, llvm::SmallBitVector> same; ///< of tensors without samples, dims along which they do not change
};

} // namespace

/// What computes the statistics that a forward pass keeps, and the writes of them.
static llvm::SmallPtrSet<Operation *, 32> whatLeadsToBuffers(train::FunctionOp function) {
  auto program = function->getParentOfType<train::ProgramOp>();
  llvm::SmallPtrSet<Operation *, 32> leading;
  SmallVector<Operation *> queue;
  for (auto write : function.getBody().getOps<train::WriteOp>())
    if (auto state = mlir::dyn_cast<train::StateOp>(
            mlir::SymbolTable::lookupSymbolIn(program, write.getSymbolAttr()));
        state && state.getKind() == train::StateKind::Buffer)
      queue.push_back(write);
  while (!queue.empty()) {
    Operation *op = queue.pop_back_val();
    if (!op || !leading.insert(op).second)
      continue;
    for (Value operand : op->getOperands())
      queue.push_back(operand.getDefiningOp());
    if (auto generic = mlir::dyn_cast<GenericOp>(op))
      for (Value captured : capturedTensors(generic))
        queue.push_back(captured.getDefiningOp());
  }
  return leading;
}

std::optional<std::string> whatJoinsSamples(train::FunctionOp function, int64_t parts) {
  ForwardBackward passes(function);
  if (!passes.hasLoss())
    return "no loss is computed";
  const llvm::SmallPtrSet<Operation *, 32> kept = whatLeadsToBuffers(function);
  Followed followed(function, parts);
  for (Operation &op : function.getBody().front()) {
    if (!passes.leadsToLoss(&op) && !kept.contains(&op))
      continue;
    if (auto write = mlir::dyn_cast<train::WriteOp>(op)) {
      if (!followed.isOfAll(write.getValue()))
        return "its training step changes '" + write.getSymbol().str() + "', which the ranks' samples tell apart";
      continue;
    }
    std::optional<Samples> samples = followed.resultOf(op);
    if (!samples) {
      StringRef node = nodeName(op.getLoc());
      return "samples of a batch may meet in '" + (node.empty() ? op.getName().getStringRef() : node).str() +
             "'";
    }
    followed.set(op, *samples);
  }
  return std::nullopt;
}

} // namespace dlc::fuse

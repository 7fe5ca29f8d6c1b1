//===- StoreOnce.cpp - a loss and its gradient read one tensor -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product computes in its epilogue what is made of its result. Of a difference, a mean squared error sums
// up the squares, and its gradient is a multiple: the product would store both, while memory is fullest. So
// it stores the difference; the sum computes squares of it, and the multiple is written where it lay.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Remarks.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_STOREONCE
#include "compiler/fuse/Passes.h.inc"

// The one tensor that an elementwise operation of few operations reads; null where it reads others as well.
static Value sourceOf(GenericOp op) {
  if (!op || !isElementwise(op) || op.getNumResults() != 1 || !capturedTensors(op).empty() ||
      !isCheap(bodySlice(op, op.getBody()->getTerminator()->getOperand(0))))
    return nullptr;
  Value source;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (map.getNumResults() == 0)
      continue;
    if ((source && source != input->get()) || !map.isIdentity())
      return nullptr;
    source = input->get();
  }
  return source;
}

// Whether a loop goes over both operands: a product of many matrices, such as attention's. The products of
// its gradient have the same loop and become one kernel with it, where nothing has to lie in memory between
// them.
static bool isOfManyMatrices(GenericOp product) {
  SmallVector<AffineMap> maps = product.getIndexingMapsArray();
  return llvm::any_of(llvm::seq(product.getNumParallelLoops()), [&](unsigned loop) {
    return llvm::all_of(maps, [&](AffineMap map) { return map.isFunctionOfDim(loop); });
  });
}

static bool isBehindProduct(Value value) {
  auto op = value.getDefiningOp<GenericOp>();
  return op && isElementwise(op) && llvm::any_of(op.getInputs(), [](Value input) {
           auto product = input.getDefiningOp<GenericOp>();
           return product && input.hasOneUse() &&
                  (isContraction(product) ? !isOfManyMatrices(product) : isBehindProduct(input));
         });
}

/// The only other reader of the value that this summed operand is computed from, or null.
static GenericOp otherReader(OpOperand &summed, const MemoryCosts &memory) {
  auto term = summed.get().getDefiningOp<GenericOp>();
  Value source = sourceOf(term);
  if (!source || !summed.get().hasOneUse() || !memory.isFar(bytesOf(summed.get())) || !canInline(summed) ||
      !isBehindProduct(source))
    return nullptr;
  GenericOp other;
  for (Operation *user : source.getUsers()) {
    if (user == term)
      continue;
    auto reader = mlir::dyn_cast<GenericOp>(user);
    if ((other && other != reader) || !reader || !sourceOf(reader))
      return nullptr;
    other = reader;
  }
  return other;
}

/// Where two results are elementwise functions of a product's result, and a reduction alone reads the first
/// of them, lets the product store its own result only, from which both are computed where they are read: if
/// the cache does not hold them, storing one tensor less pays.
static void storeSourcesOnce(mlir::Block &block, const MemoryCosts &memory) {
  for (GenericOp sum : llvm::to_vector(block.getOps<GenericOp>())) {
    if (sum.getNumParallelLoops() != 0 || sum.getNumReductionLoops() == 0 || sum.getNumDpsInputs() != 1)
      continue;
    OpOperand &summed = *sum.getDpsInputOperand(0);
    GenericOp reader = otherReader(summed, memory);
    if (!reader)
      continue;
    remarks::done(sum, remarks::fuse, "stored-once")
        << "computed from what '" << nodeName(reader.getLoc()) << "' reads as well, so that of "
        << mlir::remark::metric("bytes", bytesOf(summed.get()))
        << " bytes one tensor is stored instead of two";
    inlineProducer(summed);
    // Kernels are not formed across views, so that the product's epilogue ends with the source.
    Value source = sourceOf(reader);
    mlir::OpBuilder b(reader);
    SmallVector<mlir::ReassociationIndices> each;
    for (int64_t dim = 0; dim < int64_t(reader.getNumLoops()); ++dim)
      each.push_back({dim});
    Value view = mlir::tensor::CollapseShapeOp::create(b, reader.getLoc(), source.getType(), source, each);
    reader->replaceUsesOfWith(source, view);
  }
}

namespace {
struct StoreOncePass : public impl::StoreOnceBase<StoreOncePass> {
  using StoreOnceBase::StoreOnceBase;

  void runOnOperation() override {
    forEachFunction(getOperation(),
                    [&](train::FunctionOp, mlir::Block &block) { storeSourcesOnce(block, {nearBytes}); });
  }
};
} // namespace

} // namespace dlc::fuse

//===- KernelRewrite.cpp - kernels with permuted tensors -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/KernelRewrite.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace dlc::schedule {

RankedTensorType permuted(RankedTensorType type, ArrayRef<int64_t> permutation) {
  return RankedTensorType::get(applyPermutation(type.getShape(), permutation), type.getElementType());
}

static AffineMap permutedMap(AffineMap map, ArrayRef<int64_t> permutation) {
  return AffineMap::get(map.getNumDims(), 0, applyPermutation(map.getResults(), permutation), map.getContext());
}

static void setMap(linalg::GenericOp op, OpOperand &operand, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand.getOperandNumber()] = map;
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Changes how all operations read `value`, whose type is already permuted.
static void permuteReads(Value value, ArrayRef<int64_t> permutation) {
  for (OpOperand &use : value.getUses()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner()))
      setMap(generic, use, permutedMap(generic.getMatchingIndexingMap(&use), permutation));
    else if (auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner()))
      extract.getIndicesMutable().assign(
          applyPermutation(SmallVector<Value>(extract.getIndices()), permutation));
  }
}

static void permuteDims(train::KernelOp kernel, unsigned position, ArrayRef<int64_t> permutation) {
  auto names = kernel.getArgDims();
  if (!names)
    return;
  SmallVector<Attribute> all(names->begin(), names->end());
  if (auto dims = dyn_cast<nn::DimsAttr>(all[position]))
    all[position] = nn::DimsAttr::get(kernel.getContext(), applyPermutation(dims.getNames(), permutation));
  kernel.setArgDimsAttr(ArrayAttr::get(kernel.getContext(), all));
}

Kernels::Kernels(train::ProgramOp program) : symbols(program) {
  program.walk([&](train::LaunchOp launch) { ++launches[launch.getKernelAttr().getAttr()]; });
}

void Kernels::insert(train::KernelOp kernel, Block::iterator place) {
  // Counted for each name, so that what a kernel is called does not depend on other kernels.
  std::string base = kernel.getSymName().str();
  for (unsigned &next = suffixes[base]; symbols.lookup(kernel.getSymName()); ++next)
    kernel.setSymName(base + "_" + std::to_string(next));
  launches[symbols.insert(kernel, place)] = 1;
}

train::KernelOp Kernels::ownedBy(train::LaunchOp launch) {
  train::KernelOp kernel = of(launch);
  unsigned &others = launches[kernel.getSymNameAttr()];
  if (others == 1)
    return kernel;
  --others;
  auto copy = cast<train::KernelOp>(kernel->clone());
  insert(copy, Block::iterator(kernel));
  launch.setKernel(copy.getSymName());
  return copy;
}

void permuteArgument(train::KernelOp kernel, unsigned index, ArrayRef<int64_t> permutation) {
  BlockArgument argument = kernel.getBody().getArgument(index);
  argument.setType(permuted(cast<RankedTensorType>(argument.getType()), permutation));
  permuteReads(argument, permutation);
  permuteDims(kernel, index, permutation);
}

/// The init of a generic in the permuted form: a new tensor.empty, filled anew where it was filled.
static Value permutedInit(OpBuilder &b, Value init, ArrayRef<int64_t> permutation) {
  Location loc = init.getLoc();
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value inner = permutedInit(b, fill.getOutputs()[0], permutation);
    return linalg::FillOp::create(b, loc, fill.getInputs(), ValueRange{inner}).getResult(0);
  }
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  assert(empty && "results of kernels start from tensor.empty or a fill of it");
  return tensor::EmptyOp::create(b, loc, applyPermutation(empty.getMixedSizes(), permutation),
                                 empty.getType().getElementType());
}

void permuteResult(train::KernelOp kernel, unsigned index, ArrayRef<int64_t> permutation) {
  Block &body = kernel.getBody().front();
  auto result = cast<OpResult>(body.getTerminator()->getOperand(index));
  auto generic = cast<linalg::GenericOp>(result.getOwner());
  OpOperand &init = *generic.getDpsInitOperand(result.getResultNumber());
  setMap(generic, init, permutedMap(generic.getMatchingIndexingMap(&init), permutation));
  OpBuilder b(generic);
  init.set(permutedInit(b, init.get(), permutation));
  result.setType(cast<RankedTensorType>(init.get().getType()));
  permuteReads(result, permutation);
  permuteDims(kernel, body.getNumArguments() + index, permutation);
}

/// The kernel's text without its name: equal texts are equal kernels.
static std::string textOf(train::KernelOp kernel) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  train::KernelOp copy = cast<train::KernelOp>(kernel->clone());
  copy.setSymName("kernel");
  copy->print(stream, OpPrintingFlags().useLocalScope());
  copy->erase();
  return text;
}

void mergeEqualKernels(train::ProgramOp program) {
  DenseSet<StringRef> launched;
  program.walk([&](train::LaunchOp launch) { launched.insert(launch.getKernel()); });
  llvm::StringMap<StringRef> representative;
  llvm::StringMap<StringRef> replacement;
  for (auto kernel : llvm::make_early_inc_range(program.getBody().getOps<train::KernelOp>())) {
    if (!launched.contains(kernel.getSymName())) {
      kernel->erase();
      continue;
    }
    auto [it, isNew] = representative.try_emplace(textOf(kernel), kernel.getSymName());
    if (!isNew)
      replacement[kernel.getSymName()] = it->second;
  }
  program.walk([&](train::LaunchOp launch) {
    if (auto it = replacement.find(launch.getKernel()); it != replacement.end())
      launch.setKernel(it->second);
  });
  for (auto kernel : llvm::make_early_inc_range(program.getBody().getOps<train::KernelOp>()))
    if (replacement.contains(kernel.getSymName()))
      kernel->erase();
}

} // namespace dlc::schedule

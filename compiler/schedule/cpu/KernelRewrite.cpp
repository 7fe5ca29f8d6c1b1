//===- KernelRewrite.cpp - kernels with tensors in other forms -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/KernelRewrite.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/OperationSupport.h"

using namespace mlir;

namespace dlc::schedule {

RankedTensorType Form::of(RankedTensorType type) const {
  SmallVector<int64_t> sizes = applyPermutation(type.getShape(), permutation);
  if (panel) {
    sizes.insert(sizes.begin(), sizes.back() / panel);
    sizes.back() = panel;
  }
  return RankedTensorType::get(sizes, type.getElementType());
}

AffineMap Form::of(AffineMap map) const {
  SmallVector<AffineExpr> results = applyPermutation(map.getResults(), permutation);
  if (panel) {
    results.insert(results.begin(), results.back().floorDiv(panel));
    results.back() = results.back() % panel;
  }
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

static void setMap(linalg::GenericOp op, OpOperand &operand, AffineMap map) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[operand.getOperandNumber()] = map;
  op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
}

/// Changes how all operations read `value`, whose type is already of the form.
static void changeReads(Value value, const Form &form) {
  for (OpOperand &use : value.getUses()) {
    if (auto generic = dyn_cast<linalg::GenericOp>(use.getOwner())) {
      setMap(generic, use, form.of(generic.getMatchingIndexingMap(&use)));
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(use.getOwner())) {
      assert(!form.panel && "bodies do not read panels");
      extract.getIndicesMutable().assign(
          applyPermutation(SmallVector<Value>(extract.getIndices()), form.permutation));
    }
  }
}

static void changeDims(train::KernelOp kernel, unsigned position, const Form &form) {
  auto names = kernel.getArgDims();
  if (!names)
    return;
  SmallVector<Attribute> all(names->begin(), names->end());
  if (auto dims = dyn_cast<nn::DimsAttr>(all[position])) {
    assert(!form.panel && "panels are cut from static dims");
    all[position] =
        nn::DimsAttr::get(kernel.getContext(), applyPermutation(dims.getNames(), form.permutation));
  }
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

void changeArgument(train::KernelOp kernel, unsigned index, const Form &form) {
  BlockArgument argument = kernel.getBody().getArgument(index);
  argument.setType(form.of(cast<RankedTensorType>(argument.getType())));
  changeReads(argument, form);
  changeDims(kernel, index, form);
}

/// The init of a generic in the form: a new tensor.empty, filled anew where it was filled.
static Value initOf(OpBuilder &b, Value init, const Form &form) {
  Location loc = init.getLoc();
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value inner = initOf(b, fill.getOutputs()[0], form);
    return linalg::FillOp::create(b, loc, fill.getInputs(), ValueRange{inner}).getResult(0);
  }
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  assert(empty && "results of kernels start from tensor.empty or a fill of it");
  if (form.panel)
    return tensor::EmptyOp::create(b, loc, form.of(empty.getType()).getShape(),
                                   empty.getType().getElementType());
  return tensor::EmptyOp::create(b, loc, applyPermutation(empty.getMixedSizes(), form.permutation),
                                 empty.getType().getElementType());
}

void changeResult(train::KernelOp kernel, unsigned index, const Form &form) {
  Block &body = kernel.getBody().front();
  auto result = cast<OpResult>(body.getTerminator()->getOperand(index));
  auto generic = cast<linalg::GenericOp>(result.getOwner());
  OpOperand &init = *generic.getDpsInitOperand(result.getResultNumber());
  setMap(generic, init, form.of(generic.getMatchingIndexingMap(&init)));
  OpBuilder b(generic);
  init.set(initOf(b, init.get(), form));
  result.setType(cast<RankedTensorType>(init.get().getType()));
  changeReads(result, form);
  changeDims(kernel, body.getNumArguments() + index, form);
}

bool isElementwise(train::KernelOp kernel) {
  for (auto generic : kernel.getBody().front().getOps<linalg::GenericOp>())
    if (generic.getNumReductionLoops() != 0 || generic.getNumLoops() != kernel.getShared() ||
        generic.hasIndexSemantics() || !generic.getBody()->getOps<tensor::ExtractOp>().empty())
      return false;
  return true;
}

/// `map` over new loops, which are what the results of `order` were.
static AffineMap reordered(AffineMap map, AffineMap order) {
  MLIRContext *context = map.getContext();
  SmallVector<AffineExpr> old(order.getNumDims(), getAffineConstantExpr(0, context)), results;
  for (auto [loop, expr] : llvm::enumerate(order.getResults())) {
    AffineExpr position = getAffineDimExpr(loop, context);
    if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
      old[dim.getPosition()] = position;
    } else { // panel * (d floordiv panel) + d mod panel
      auto part = cast<AffineBinaryOpExpr>(expr);
      AffineExpr &sum = old[cast<AffineDimExpr>(part.getLHS()).getPosition()];
      sum = sum + (part.getKind() == AffineExprKind::Mod ? position : position * part.getRHS());
    }
  }
  for (AffineExpr expr : map.getResults()) {
    auto same = llvm::find(order.getResults(), expr);
    results.push_back(same != order.getResults().end()
                          ? getAffineDimExpr(same - order.getResults().begin(), context)
                          : expr.replaceDims(old));
  }
  return AffineMap::get(order.getNumResults(), 0, results, context);
}

void followMemory(train::KernelOp kernel) {
  auto generics = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  auto first = dyn_cast<OpResult>(kernel.getBody().front().getTerminator()->getOperand(0));
  if (!first || !isElementwise(kernel))
    return;
  auto maker = cast<linalg::GenericOp>(first.getOwner());
  AffineMap order = maker.getMatchingIndexingMap(maker.getDpsInitOperand(first.getResultNumber()));
  if (order.isIdentity() || order.getNumResults() < order.getNumDims())
    return;
  Builder b(kernel.getContext());
  SmallVector<Attribute> loops(order.getNumResults(),
                               linalg::IteratorTypeAttr::get(b.getContext(), utils::IteratorType::parallel));
  for (linalg::GenericOp generic : generics) {
    SmallVector<AffineMap> maps;
    for (AffineMap map : generic.getIndexingMapsArray())
      maps.push_back(reordered(map, order));
    generic.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    generic.setIteratorTypesAttr(b.getArrayAttr(loops));
  }
  kernel.setShared(order.getNumResults());
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

//===- KernelFunction.cpp - a kernel while it becomes loops ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/KernelFunction.h"
#include "compiler/codegen/kernel/Access.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/Custom.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dlc::codegen {

KernelFunction::KernelFunction(train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames,
                               Calling calling)
    : kernel(kernel), b(kernel.getLoc(), module.getContext()), dimNames(dimNames) {
  Type pointer = LLVM::LLVMPointerType::get(b.getContext());
  Type i64 = b.getI64Type();
  Block &body = kernel.getBody().front();
  const bool hasScratch = kernel.getScheduleAttr().scratchBytes() > 0;
  SmallVector<Type> parameters{pointer, pointer, i64, i64};
  if (calling == Calling::Pointers)
    parameters.assign(body.getNumArguments() + body.getTerminator()->getNumOperands() + hasScratch + 1,
                      pointer);
  b.setInsertionPointToEnd(module.getBody());
  function = func::FuncOp::create(b, kernel.getSymName(), b.getFunctionType(parameters, {}));
  b.setInsertionPointToStart(function.addEntryBlock());
  dims = function.getArgument(calling == Calling::Chunks ? 1 : parameters.size() - 1);

  unsigned slot = 0;
  auto nextBuffer = [&]() -> Value {
    if (calling == Calling::Pointers)
      return function.getArgument(slot++);
    Value address = LLVM::GEPOp::create(b, pointer, pointer, function.getArgument(0),
                                        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(slot++)});
    return LLVM::LoadOp::create(b, pointer, address);
  };
  for (BlockArgument argument : body.getArguments())
    inputs[argument] = memory(nextBuffer(), argument, argument.getArgNumber());
  for (auto [result, yielded] : llvm::enumerate(body.getTerminator()->getOperands()))
    outputs[yielded].push_back(memory(nextBuffer(), yielded, inputs.size() + result));
  emission.operations = llvm::to_vector(body.getOps<linalg::GenericOp>());
  emission.shared = kernel.getShared().value_or(0);
  emission.schedule = kernel.getScheduleAttr();
  if (hasScratch)
    emission.scratch = nextBuffer();
  if (calling == Calling::Chunks)
    readScalars();
}

void KernelFunction::readScalars(llvm::function_ref<bool(BlockArgument)> isWanted) {
  AffineMap nowhere = AffineMap::get(b.getContext());
  for (BlockArgument argument : kernel.getBody().getArguments())
    if (const Memory &place = inputs[argument]; place.strides.empty() && isWanted(argument))
      scalars[argument] = Access(b, place, nowhere).load(b, Point());
}

Memory KernelFunction::memory(Value pointer, Value tensor, unsigned index) {
  auto type = cast<RankedTensorType>(tensor.getType());
  Memory result{pointer, type.getElementType(), SmallVector<Index, 4>(type.getRank(), Index(1))};
  if (std::optional<nn::Shape> strides = kernel.stridesOf(index)) {
    for (auto [axis, stride] : llvm::enumerate(*strides))
      result.strides[axis] = stride.isStatic() ? Index(stride.factor) : namedSize(stride.str());
    return result;
  }
  for (int64_t axis = type.getRank() - 2; axis >= 0; --axis)
    result.strides[axis] = mul(b, result.strides[axis + 1], dimSize(tensor, axis + 1));
  return result;
}

std::optional<Memory> KernelFunction::memoryOf(Value tensor) {
  if (auto it = inputs.find(tensor); it != inputs.end())
    return it->second;
  if (auto it = outputs.find(tensor); it != outputs.end())
    return it->second.front();
  return std::nullopt;
}

ArrayRef<Memory> KernelFunction::outputsOf(Value tensor) {
  auto it = outputs.find(tensor);
  return it == outputs.end() ? ArrayRef<Memory>() : ArrayRef<Memory>(it->second);
}

Index KernelFunction::namedSize(StringRef product) {
  Value &size = namedSizes[product];
  if (!size) {
    // Sizes are loaded once, at the function's entry.
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&function.front());
    auto dim = nn::Dim::parse(product);
    assert(dim && "a verified program has canonical dim names");
    Type pointer = LLVM::LLVMPointerType::get(b.getContext());
    Index total(dim->factor);
    for (const std::string &name : dim->names) {
      auto position = llvm::find(dimNames, name) - dimNames.begin();
      Value address = LLVM::GEPOp::create(b, pointer, b.getI64Type(), dims,
                                          ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(position)});
      total = mul(b, total, Index(LLVM::LoadOp::create(b, b.getI64Type(), address).getResult()));
    }
    size = total.materialize(b);
  }
  return Index(size);
}

Index KernelFunction::dimSize(Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return Index(type.getDimSize(axis));
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    auto dims = cast<nn::DimsAttr>((*kernel.getArgDims())[argument.getArgNumber()]);
    return namedSize(dims.getNames()[axis].getValue());
  }
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return namedSize(empty.getDynamicSize(axis).getDefiningOp<train::DimSizeOp>().getDim());
  if (tensor.getDefiningOp<train::CustomCallOp>())
    return namedSize(train::shapeOf(tensor)[axis].str());
  auto destination = tensor.getDefiningOp<DestinationStyleOpInterface>();
  return dimSize(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), axis);
}

SmallVector<Index, 4> KernelFunction::loopExtents(linalg::GenericOp op) {
  SmallVector<Index, 4> extents(op.getNumLoops(), Index(0));
  SmallVector<bool> known(op.getNumLoops(), false);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim || known[dim.getPosition()])
        continue;
      known[dim.getPosition()] = true;
      extents[dim.getPosition()] = dimSize(operand.get(), axis);
    }
  }
  assert(llvm::all_of(known, [](bool k) { return k; }) && "each loop has the size of some operand's dim");
  return extents;
}

// Blocks lie at multiples of the unit along both loops; one counts where the one's first position is at most
// the offset, rounded up to blocks, beyond the other's.
Index KernelFunction::endBeyond(train::Triangle triangle, Index last, Index extent) {
  int64_t offset = llvm::alignTo(triangle.offset, emission.unit);
  return min(b, mul(b, divide(b, last, emission.unit), emission.unit) + (offset + emission.unit), extent);
}

Index KernelFunction::beginUpTo(train::Triangle triangle, Index first, Index extent) {
  int64_t offset = llvm::alignTo(triangle.offset, emission.unit);
  Index begin = mul(b, divide(b, first, emission.unit), emission.unit) + -offset;
  return min(b, offset > 0 ? onWhole<arith::MaxSIOp>(b, begin, Index(0)) : begin, extent);
}

TypedAttr KernelFunction::initialValue(Value init) {
  auto fill = init.getDefiningOp<linalg::FillOp>();
  if (!fill)
    return nullptr;
  auto constant = fill.getInputs()[0].getDefiningOp<arith::ConstantOp>();
  return constant ? registerConstant(constant.getValue()) : nullptr;
}

void KernelFunction::finish() { func::ReturnOp::create(b); }

} // namespace dlc::codegen

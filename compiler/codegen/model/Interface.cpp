//===- Interface.cpp - what users see of a program, as constants -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mirrors the structs of dlc/abi.h field by field; the assertions keep the two together.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/model/Constants.h"
#include "dialects/train/Derivative.h"
#include "dlc/abi.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

using namespace mlir;
using train::Derivative;

namespace dlc::codegen {

static_assert(sizeof(dlc_symbol) == 64 && sizeof(dlc_input) == 72 && sizeof(dlc_output) == 40 &&
                  sizeof(dlc_dim) == 24 && sizeof(dlc_axis) == 24,
              "dlc/abi.h changed: change the emission below with it");

namespace {

/// The logical shape with every named dim at its bound, and a dlc_axis for each axis.
struct LogicalShape {
  LogicalShape(Constants &c, Type type) {
    for (const nn::Dim &dim : nn::shapeOf(type)) {
      sizes.push_back(c.bound(dim));
      axes.push_back(c.axis(dim));
    }
  }
  SmallVector<uint64_t> sizes;
  SmallVector<llvm::Constant *> axes;
};

uint32_t dtypeOf(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF32()         ? DLC_F32
         : element.isF64()       ? DLC_F64
         : element.isInteger(32) ? DLC_I32
         : element.isInteger(64) ? DLC_I64
         : element.isInteger(8)  ? DLC_U8
         : element.isInteger(1)  ? DLC_BOOL
         : element.isBF16()      ? DLC_BF16
                                 : DLC_F16;
}

/// Initial values as bytes in logical row-major order; null for zeros.
llvm::Constant *initialValues(Constants &c, train::StateOp state) {
  auto attribute = state.getInitialAttr();
  if (!attribute)
    return c.null();
  StringRef bytes;
  SmallVector<char, 0> expanded;
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(attribute)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    bytes = StringRef(data.data(), data.size());
  } else {
    auto dense = cast<DenseElementsAttr>(attribute);
    ArrayRef<char> raw = dense.getRawData();
    if (dense.getElementType().isInteger(1)) // truth values are bits there and bytes in the arena
      expanded.append(dense.value_begin<bool>(), dense.value_end<bool>());
    else
      for (int64_t i = 0; i < (dense.isSplat() ? dense.getNumElements() : 1); ++i)
        expanded.append(raw.begin(), raw.end());
    bytes = StringRef(expanded.data(), expanded.size());
  }
  return c.global(
      llvm::ConstantDataArray::getRaw(bytes, bytes.size(), llvm::Type::getInt8Ty(c.module.getContext())), 64);
}

llvm::Constant *describeSymbol(Constants &c, train::StateOp state, bool embedWeights) {
  auto type = cast<RankedTensorType>(state.getType());
  bool isWeight = llvm::is_contained(
      {train::StateKind::Parameter, train::StateKind::Buffer, train::StateKind::Constant}, state.getKind());
  bool inFile = isWeight && !embedWeights && state.getInitialAttr();
  SmallVector<uint64_t> shape(type.getShape().begin(), type.getShape().end());
  uint32_t averageOf = 0;
  if (state.getAverage())
    for (auto [position, other] : llvm::enumerate(c.program.getBody().getOps<train::StateOp>()))
      if (other.getSymName() == state.getOwner())
        averageOf = position + 1;
  return c.record({c.string(state.getSymName()), c.i32(uint32_t(state.getKind())), c.i32(dtypeOf(type)),
                   c.i32(state.isTrainable()), c.i32(shape.size()), c.numbers<uint64_t>(shape),
                   inFile ? c.null() : initialValues(c, state), c.i32(inFile), c.i32(averageOf),
                   c.f64(state.getLow()), c.f64(state.getLimit())});
}

/// The number of an input or output among those of the program.
template <typename Op> uint32_t positionOf(train::ProgramOp program, StringRef name) {
  uint32_t number = 0;
  for (auto op : program.getBody().getOps<Op>()) {
    if (op.getSymName() == name)
      return number;
    ++number;
  }
  llvm_unreachable("a derivative is of what the program declares");
}

llvm::Constant *describeInput(Constants &c, train::InputOp op) {
  LogicalShape shape(c, op.getType());
  bool isIndex = op.getLimit().has_value();
  Derivative derivative = derivativeOf(op);
  uint32_t takenBy = 0, of = 0;
  if (derivative == Derivative::Hvp) {
    takenBy = DLC_HVP;
  } else if (derivative != Derivative::None) {
    bool isVjp = derivative == Derivative::Vjp;
    takenBy = isVjp ? DLC_VJP : DLC_JVP;
    of = isVjp ? positionOf<train::OutputOp>(c.program, differentiated(op))
               : positionOf<train::InputOp>(c.program, differentiated(op));
  }
  return c.record({c.string(op.getSymName()), c.i32(dtypeOf(op.getType())), c.i32(shape.sizes.size()),
                   c.numbers<uint64_t>(shape.sizes), c.table(shape.axes), c.i32(op.getTarget()),
                   c.i32(isIndex), c.i64(op.getLimit().value_or(0)), c.i64(op.getLow().value_or(0)),
                   c.i64(op.getIgnore().value_or(INT64_MIN)), c.i32(takenBy), c.i32(of)});
}

uint32_t roleOf(train::OutputOp op) {
  if (op.getIndexRange())
    return DLC_OUTPUT_INDEX_RANGE;
  if (!op.getOfStep())
    return uint32_t(op.getRole());
  return op.getRole() == train::OutputRole::LossSum      ? DLC_OUTPUT_STEP_LOSS_SUM
         : op.getRole() == train::OutputRole::LossWeight ? DLC_OUTPUT_STEP_LOSS_WEIGHT
                                                         : DLC_OUTPUT_STEP_CORRECT;
}

llvm::Constant *describeOutput(Constants &c, train::OutputOp op) {
  LogicalShape shape(c, op.getType());
  uint32_t role = roleOf(op);
  uint32_t of = 0;
  if (Derivative derivative = derivativeOf(op); derivative == Derivative::Vjp) {
    role = DLC_OUTPUT_GRADIENT;
    of = positionOf<train::InputOp>(c.program, differentiated(op));
  } else if (derivative == Derivative::Jvp) {
    role = DLC_OUTPUT_TANGENT;
    of = positionOf<train::OutputOp>(c.program, differentiated(op));
  } else if (derivative == Derivative::Hvp) {
    role = DLC_OUTPUT_PRODUCT;
  }
  return c.record({c.string(op.getSymName()), c.i32(role), c.i32(dtypeOf(op.getType())),
                   c.i32(shape.sizes.size()), c.i32(of), c.numbers<uint64_t>(shape.sizes),
                   c.table(shape.axes)});
}

} // namespace

void appendInterface(Constants &c, SmallVectorImpl<llvm::Constant *> &fields, bool embedWeights) {
  SmallVector<llvm::Constant *> symbols, inputs, outputs, dims;
  Region &body = c.program.getBody();
  for (auto state : body.getOps<train::StateOp>())
    symbols.push_back(describeSymbol(c, state, embedWeights));
  for (auto op : body.getOps<train::InputOp>())
    inputs.push_back(describeInput(c, op));
  for (auto op : body.getOps<train::OutputOp>())
    outputs.push_back(describeOutput(c, op));
  int64_t batch = 0;
  for (auto dim : body.getOps<train::DimOp>()) {
    if (dims.empty())
      batch = dim.getBound();
    dims.push_back(c.record({c.string(dim.getSymName()), c.i64(dim.getBound()), c.i64(dim.leastSize())}));
  }
  fields.append({c.i64(batch), c.table(symbols), c.i32(symbols.size()), c.i32(inputs.size()), c.table(inputs),
                 c.table(outputs), c.i32(outputs.size()), c.i32(dims.size()), c.table(dims)});
}

} // namespace dlc::codegen

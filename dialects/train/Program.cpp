//===- Program.cpp - train: the declarations of a program
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program, its dims, state, inputs and functions must be. Uses of symbols are in Symbols.cpp.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace train;

/// Each name in the dims of `type` is declared.
static LogicalResult checkNamesDeclared(Operation *op, Type type, const llvm::StringSet<> &declared) {
  for (const nn::Dim &dim : nn::shapeOf(type))
    for (const std::string &name : dim.names)
      if (!declared.contains(name))
        return op->emitOpError("uses dim '") << name << "', which the program does not declare (train.dim)";
  return success();
}

LogicalResult ProgramOp::verifyRegions() {
  llvm::StringSet<> dims;
  for (auto dim : getOps<DimOp>())
    dims.insert(dim.getSymName());
  for (Operation &op : getBody().front()) {
    if (!isa<DimOp, StateOp, InputOp, OutputOp, FunctionOp, KernelOp>(op))
      return op.emitOpError("is not expected in a train.program: declarations, functions and kernels are");
    Type type;
    if (auto input = dyn_cast<InputOp>(op))
      type = input.getType();
    else if (auto output = dyn_cast<OutputOp>(op))
      type = output.getType();
    if (type && failed(checkNamesDeclared(&op, type, dims)))
      return failure();
  }
  return success();
}

LogicalResult DimOp::verify() {
  std::optional<nn::Dim> dim = nn::Dim::parse(getSymName());
  if (!dim || dim->isStatic())
    return emitOpError("expects a name of letters, digits and _, got '") << getSymName() << "'";
  if (getBound() <= 0)
    return emitOpError("expects a bound above 0, got ") << getBound();
  return success();
}

RankedTensorType StateOp::getPhysicalType() {
  auto logical = cast<RankedTensorType>(getType());
  std::optional<ArrayRef<int64_t>> permutation = getPermutation();
  if (!permutation)
    return logical;
  SmallVector<int64_t> sizes;
  for (int64_t dim : *permutation)
    sizes.push_back(logical.getDimSize(dim));
  return RankedTensorType::get(sizes, logical.getElementType());
}

/// What the kind says about the type; null where any type will do.
static RankedTensorType expectedType(StateOp state) {
  Builder b(state.getContext());
  switch (state.getKind()) {
  case StateKind::Hyperparameter:
    return RankedTensorType::get({}, b.getF64Type());
  case StateKind::Rng:
    return RankedTensorType::get({2}, b.getI64Type());
  case StateKind::StepCount:
    return RankedTensorType::get({}, b.getI64Type());
  default:
    return {};
  }
}

LogicalResult StateOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!type.hasStaticShape())
    return emitOpError("expects a static shape, got ") << type;
  if (RankedTensorType expected = expectedType(*this); expected && expected != type)
    return emitOpError("expects type ")
           << expected << " for kind " << stringifyStateKind(getKind()) << ", got " << type;
  if (std::optional<ElementsAttr> initial = getInitial(); initial && initial->getType() != Type(type))
    return emitOpError("expects initial values of type ") << type << ", got " << initial->getType();
  bool ofParameter = getKind() == StateKind::OptimizerState || getKind() == StateKind::Gradient;
  if (ofParameter != getOwner().has_value())
    return emitOpError(ofParameter ? "expects an owner (of @parameter) for kind "
                                   : "expects no owner for kind ")
           << stringifyStateKind(getKind());
  if (getFrozen() && getKind() != StateKind::Parameter)
    return emitOpError("expects 'frozen' on parameters only, got kind ") << stringifyStateKind(getKind());
  if (std::optional<ArrayRef<int64_t>> permutation = getPermutation()) {
    SmallVector<int64_t> sorted(*permutation);
    llvm::sort(sorted);
    if (!llvm::equal(sorted, llvm::seq<int64_t>(type.getRank())))
      return emitOpError("expects a permutation of ")
             << type.getRank() << " dims, got [" << *permutation << "]";
  }
  if (std::optional<int64_t> offset = getOffset(); offset && *offset < 0)
    return emitOpError("expects an offset that is not negative, got ") << *offset;
  return success();
}

LogicalResult InputOp::verify() {
  Type elementType = cast<RankedTensorType>(getType()).getElementType();
  if (getLow().has_value() != getLimit().has_value())
    return emitOpError("expects both ends of a range");
  if ((getLow() || getIgnore()) && !isa<IntegerType>(elementType))
    return emitOpError("expects integers where there is a range, got ") << elementType;
  if (getIgnore() && !getLow())
    return emitOpError("expects a range where a value is ignored");
  if (getLow() && int64_t(*getLow()) >= int64_t(*getLimit()))
    return emitOpError("expects a range that is not empty, got [")
           << int64_t(*getLow()) << ", " << int64_t(*getLimit()) << ")";
  return success();
}

LogicalResult DimSizeOp::verify() {
  std::optional<nn::Dim> dim = nn::Dim::parse(getDim());
  if (dim && !dim->isStatic())
    return success();
  return emitOpError("expects a name or a product such as \"32*batch\", got \"") << getDim() << "\"";
}

LogicalResult LossOp::verify() {
  for (Value value : {getValue(), getWeight()}) {
    auto type = cast<RankedTensorType>(value.getType());
    if (type.getRank() != 0 || !isa<FloatType>(type.getElementType()))
      return emitOpError("expects one floating-point number each, got ") << type;
  }
  return success();
}

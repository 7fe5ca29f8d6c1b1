//===- Symbols.cpp - train: what may read and write which symbol
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Declarations keep the types of the model; functions see them specialised: a named dim may have become
// its bound (training functions) or have lost its name (kernels).
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/train/BatchParts.h"

using namespace mlir;
using namespace train;

/// The declaration of `symbol`, or an error.
static FailureOr<Operation *> lookUp(Operation *op, SymbolTableCollection &tables, FlatSymbolRefAttr symbol) {
  auto program = op->getParentOfType<ProgramOp>();
  if (!program)
    return op->emitOpError("expects to be in a train.program");
  if (Operation *declaration = tables.lookupSymbolIn(program, symbol))
    return declaration;
  return op->emitOpError("names ") << symbol << ", which the program does not declare";
}

/// The state `symbol` of this kind, or an error.
static FailureOr<StateOp> lookUpState(Operation *op, SymbolTableCollection &tables, FlatSymbolRefAttr symbol,
                                      StateKind kind) {
  FailureOr<Operation *> declaration = lookUp(op, tables, symbol);
  if (failed(declaration))
    return failure();
  auto state = dyn_cast<StateOp>(*declaration);
  if (state && state.getKind() == kind)
    return state;
  return op->emitOpError("expects ") << symbol << " to be a train.state " << stringifyStateKind(kind);
}

/// The size that `dim` has in training functions; nullopt where a bound is not declared.
static std::optional<int64_t> boundOf(const nn::Dim &dim, ProgramOp program, SymbolTableCollection &tables) {
  int64_t size = dim.factor;
  for (const std::string &name : dim.names) {
    auto declared = tables.lookupSymbolIn<DimOp>(program, StringAttr::get(program.getContext(), name));
    if (!declared)
      return std::nullopt;
    size = nn::saturatingMultiply(size, declared.getBound());
  }
  return size;
}

/// In how many parts of the batch the function of `op` does its work, of which it sees one.
static int64_t partsAround(Operation *op) {
  auto function = op->getParentOfType<FunctionOp>();
  return function && function.getOnePart() ? batchPartsOf(cast<ProgramOp>(function->getParentOp())) : 1;
}

/// Bytes, `ui8` in the model's types, are `i8` where functions are loop nests: scalar operations have no
/// types with a sign or without one.
static bool fitsElement(Type used, Type declared) {
  return used == declared || (declared.isUnsignedInteger(8) && used.isSignlessInteger(8));
}

/// Whether a value of type `used` can stand for a symbol of type `declared`, which is whole, or whose batch
/// has so many parts.
static bool fits(ShapedType used, RankedTensorType declared, ProgramOp program, SymbolTableCollection &tables,
                 int64_t parts) {
  if (used.getRank() != declared.getRank() || !fitsElement(used.getElementType(), declared.getElementType()))
    return false;
  if (used == declared)
    return true;
  bool isNamed = isa<RankedTensorType>(used) && cast<RankedTensorType>(used).getEncoding();
  nn::Shape shape = isNamed ? nn::shapeOf(used) : nn::Shape(used.getRank(), nn::Dim(1));
  for (auto [size, given, dim] : llvm::zip_equal(used.getShape(), shape, nn::shapeOf(declared))) {
    bool isCut = parts > 1 && llvm::is_contained(dim.names, batchDim(program).getSymName());
    if (dim.isStatic()
            ? size != dim.factor
            : !ShapedType::isDynamic(size) && size * (isCut ? parts : 1) != boundOf(dim, program, tables))
      return false;
    // In a product of names, some names may be replaced by their bounds.
    if (isNamed && ShapedType::isDynamic(size) &&
        (!std::includes(dim.names.begin(), dim.names.end(), given.names.begin(), given.names.end()) ||
         boundOf(given, program, tables) != boundOf(dim, program, tables)))
      return false;
  }
  return true;
}

static LogicalResult checkFits(Operation *op, SymbolTableCollection &tables, FlatSymbolRefAttr symbol,
                               Type used, RankedTensorType declared) {
  if (fits(cast<ShapedType>(used), declared, op->getParentOfType<ProgramOp>(), tables, partsAround(op)))
    return success();
  return op->emitOpError("expects the type of ") << symbol << ", " << declared << ", got " << used;
}

LogicalResult StateOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getOwnerAttr())
    return success();
  FailureOr<StateOp> parameter = lookUpState(*this, tables, getOwnerAttr(), StateKind::Parameter);
  if (failed(parameter))
    return failure();
  return checkFits(*this, tables, getOwnerAttr(), getType(), cast<RankedTensorType>(parameter->getType()));
}

LogicalResult FunctionOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto program = cast<ProgramOp>((*this)->getParentOp());
  if (getDerivative() && getKind() != FunctionKind::Predict)
    return emitOpError("expects a derivative to be of the kind predict, got ")
           << stringifyFunctionKind(getKind());
  if (getJacobian() && !getDerivative())
    return emitOpError("expects 'jacobian' on derivatives only");
  if (getOnePart() && !program.getBatchParts())
    return emitOpError("works on one part of a batch, but the program has no batch_parts");
  if (!getPhases())
    return success();
  for (auto phase : getPhasesAttr().getAsRange<PhaseAttr>()) {
    auto function = tables.lookupSymbolIn<FunctionOp>(program, phase.getFunction());
    if (!function || !function.getOnePart())
      return emitOpError("expects phases to name functions for one part, got ") << phase.getFunction();
    if (phase.getPart() >= batchPartsOf(program))
      return emitOpError("has a phase of part ")
             << phase.getPart() << ", but the batch has " << batchPartsOf(program);
  }
  return success();
}

LogicalResult ReadOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<Operation *> declaration = lookUp(*this, tables, getSymbolAttr());
  if (failed(declaration))
    return failure();
  if (auto state = dyn_cast<StateOp>(*declaration))
    return checkFits(*this, tables, getSymbolAttr(), getValue().getType(), state.getPhysicalType());
  if (auto input = dyn_cast<InputOp>(*declaration))
    return checkFits(*this, tables, getSymbolAttr(), getValue().getType(),
                     cast<RankedTensorType>(input.getType()));
  return emitOpError("expects ") << getSymbolAttr() << " to be a state or an input, got "
                                 << (*declaration)->getName();
}

LogicalResult WriteOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<Operation *> declaration = lookUp(*this, tables, getSymbolAttr());
  if (failed(declaration))
    return failure();
  if (auto state = dyn_cast<StateOp>(*declaration)) {
    if (state.getKind() == StateKind::Constant)
      return emitOpError("writes the constant ") << getSymbolAttr();
    return checkFits(*this, tables, getSymbolAttr(), getValue().getType(), state.getPhysicalType());
  }
  if (auto output = dyn_cast<OutputOp>(*declaration))
    return checkFits(*this, tables, getSymbolAttr(), getValue().getType(),
                     cast<RankedTensorType>(output.getType()));
  return emitOpError("expects ") << getSymbolAttr() << " to be a state or an output, got "
                                 << (*declaration)->getName();
}

LogicalResult GradientOp::verifySymbolUses(SymbolTableCollection &tables) {
  FailureOr<StateOp> parameter = lookUpState(*this, tables, getParameterAttr(), StateKind::Parameter);
  if (failed(parameter))
    return failure();
  return checkFits(*this, tables, getParameterAttr(), getValue().getType(), parameter->getPhysicalType());
}

LogicalResult BatchNormOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto x = cast<RankedTensorType>(getX().getType());
  if (x.getRank() < 2)
    return emitOpError("expects x of rank 2 or more, got ") << x;
  if (getEpsilon().isNegative() || !getEpsilon().isFinite())
    return emitOpError("expects a finite epsilon that is not negative, got ") << getEpsilonAttr();
  if (!getMomentum().isFinite())
    return emitOpError("expects a finite momentum, got ") << getMomentumAttr();
  // Features have a static size: so many parameters there are.
  auto features = RankedTensorType::get(x.getDimSize(1), x.getElementType());
  for (Value value : {getScale(), getBias()})
    if (value.getType() != features)
      return emitOpError("expects scale and bias of type ") << features << ", got " << value.getType();
  for (FlatSymbolRefAttr symbol : {getMeanAttr(), getVarianceAttr()}) {
    FailureOr<StateOp> running = lookUpState(*this, tables, symbol, StateKind::Buffer);
    if (failed(running) || failed(checkFits(*this, tables, symbol, features, running->getPhysicalType())))
      return failure();
  }
  return success();
}

LogicalResult PlaceOp::verifySymbolUses(SymbolTableCollection &tables) {
  if (!getSymbolAttr())
    return success();
  FailureOr<Operation *> declaration = lookUp(*this, tables, getSymbolAttr());
  if (failed(declaration))
    return failure();
  if (isa<StateOp, InputOp, OutputOp>(*declaration))
    return success();
  return emitOpError("expects ") << getSymbolAttr() << " to be a state, an input or an output, got "
                                 << (*declaration)->getName();
}

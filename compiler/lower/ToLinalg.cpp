//===- ToLinalg.cpp - primitive nn operations become linalg.generics -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a function once, in order: each operation is lowered beside the old one, which is erased at
// the end. Reads and writes of symbols are where plain tensors without dims of size 1 begin and end.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Custom.h"
#include "compiler/lower/Passes.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::lower {

#define GEN_PASS_DEF_NNTOLINALG
#include "compiler/lower/Passes.h.inc"

static const Lowerings &lowerings() {
  static const Lowerings table = [] {
    Lowerings all;
#define FAMILY(Name) add##Name##Lowerings(all);
#include "compiler/lower/Lowerings.inc"
    return all;
  }();
  return table;
}

bool hasLowering(llvm::StringRef operation) {
  return operation == nn::ConstantOp::getOperationName() || lowerings().find(operation);
}

namespace {
/// Constants that are not one number, as state of the program: equal ones are one symbol.
class Constants {
public:
  explicit Constants(train::ProgramOp program) : symbols(program), program(program) {}

  mlir::FlatSymbolRefAttr symbolOf(mlir::ElementsAttr value, mlir::Location loc) {
    mlir::FlatSymbolRefAttr &symbol = known[value];
    if (!symbol) {
      auto b = mlir::OpBuilder::atBlockBegin(&program.getBody().front());
      auto state = train::StateOp::create(b, loc, train::StateKind::Constant, "constant", /*owner=*/nullptr,
                                          /*frozen=*/false, value.getType(), value);
      symbol = mlir::FlatSymbolRefAttr::get(symbols.insert(state));
    }
    return symbol;
  }

private:
  mlir::SymbolTable symbols;
  train::ProgramOp program;
  llvm::DenseMap<mlir::Attribute, mlir::FlatSymbolRefAttr> known;
};
} // namespace

// The tensor without dims of size 1 that a symbol holds.
static Value readSymbol(Lowering &lowering, mlir::FlatSymbolRefAttr symbol, mlir::Type type) {
  nn::Shape shape = nn::shapeOf(type);
  Value whole = train::ReadOp::create(lowering.builder(), plainType(type), symbol);
  return lowering.reshape(whole, shape, withoutOnes(shape));
}

// The number as bodies have it, with a type that says no sign.
static mlir::TypedAttr storedNumber(mlir::TypedAttr number) {
  auto integer = mlir::dyn_cast<mlir::IntegerAttr>(number);
  return integer ? mlir::IntegerAttr::get(storedType(integer.getType()), integer.getValue()) : number;
}

static void lowerConstant(nn::ConstantOp op, Lowering &lowering, Constants &constants) {
  if (auto splat = mlir::dyn_cast<mlir::SplatElementsAttr>(op.getValue()))
    lowering.replace(op.getY(),
                     storedNumber(mlir::cast<mlir::TypedAttr>(splat.getSplatValue<mlir::Attribute>())));
  else
    lowering.replace(
        op.getY(), readSymbol(lowering, constants.symbolOf(op.getValue(), op.getLoc()), op.getY().getType()));
}

static void lowerWrite(train::WriteOp op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getValue().getType());
  Value whole = lowering.reshape(lowering.tensor(op.getValue()), withoutOnes(shape), shape);
  train::WriteOp::create(lowering.builder(), whole, op.getSymbolAttr());
}

// A tensor without elements needs no computing: any number will do as all its elements.
static bool lowerEmpty(mlir::Operation *op, Lowering &lowering) {
  if (op->getNumResults() == 0 || !llvm::all_of(op->getResultTypes(), isEmpty))
    return false;
  for (Value result : op->getResults())
    lowering.replace(result, numberAttr(storedType(mlir::getElementTypeOrSelf(result.getType())), 0));
  return true;
}

static mlir::LogicalResult lowerFunction(train::FunctionOp function, Constants &constants) {
  Lowering lowering(function);
  SmallVector<mlir::Operation *> old;
  for (mlir::Operation &op : *function.getBody().begin())
    old.push_back(&op);
  for (mlir::Operation *op : old) {
    lowering.startAt(op);
    if (auto read = mlir::dyn_cast<train::ReadOp>(op))
      lowering.replace(read.getValue(),
                       readSymbol(lowering, read.getSymbolAttr(), read.getValue().getType()));
    else if (auto write = mlir::dyn_cast<train::WriteOp>(op))
      lowerWrite(write, lowering);
    else if (lowerEmpty(op, lowering))
      continue;
    else if (auto custom = mlir::dyn_cast<train::CustomOp>(op)) {
      if (mlir::failed(lowerCustom(custom, lowering)))
        return mlir::failure();
    } else if (auto constant = mlir::dyn_cast<nn::ConstantOp>(op))
      lowerConstant(constant, lowering, constants);
    else if (const Lowerings::Function *lower = lowerings().find(op->getName().getStringRef()))
      (*lower)(op, lowering);
    else
      return op->emitOpError("has no lowering to linalg: expected a primitive operation of nn");
  }
  for (mlir::Operation *op : llvm::reverse(old))
    op->erase();
  return mlir::success();
}

namespace {
struct NNToLinalgPass : public impl::NNToLinalgBase<NNToLinalgPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      Constants constants(program);
      for (auto function : llvm::to_vector(program.getOps<train::FunctionOp>()))
        if (mlir::failed(lowerFunction(function, constants)))
          return signalPassFailure();
    }
  }
};
} // namespace

} // namespace dlc::lower

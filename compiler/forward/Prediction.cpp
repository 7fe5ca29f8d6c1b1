//===- Prediction.cpp - the output that a loss is computed from ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models are exported with and without their last activation. A loss that applies this activation itself must
// not do so a second time, and the user must know what was done.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Prediction.h"
#include "compiler/forward/FactsOfValues.h"
#include "compiler/support/Messages.h"
#include "dialects/nn/Dims.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dlc::forward;
using dlc::typeForUsers;

FailureOr<Prediction> dlc::forward::findPrediction(train::FunctionOp forward, StringRef name,
                                                   StringRef loss) {
  auto program = forward->getParentOfType<train::ProgramOp>();
  SmallVector<Prediction> outputs;
  for (auto write : forward.getBody().getOps<train::WriteOp>())
    if (isa<train::OutputOp>(SymbolTable::lookupSymbolIn(program, write.getSymbol())))
      outputs.push_back({write.getSymbol(), write.getValue()});
  for (const Prediction &output : outputs)
    if (output.name == name || (name.empty() && outputs.size() == 1))
      return output;
  InFlightDiagnostic error = program.emitError() << "loss '" << loss << "' needs ";
  if (name.empty())
    error << "one prediction, but the model has " << outputs.size() << " outputs; name one of them";
  else
    error << "the output '" << name << "', which the model does not have; it has";
  for (auto [i, output] : llvm::enumerate(outputs))
    error << (i ? ", '" : ": '") << output.name << "' " << typeForUsers(output.value.getType());
  return failure();
}

/// The loss of logarithms of probabilities is that of the scores before them: a softmax gives the same of
/// both.
static void sayLeftOut(Operation *activation, StringRef name, StringRef loss, bool isSameLoss) {
  InFlightDiagnostic message = isSameLoss ? activation->emitRemark() : activation->emitWarning();
  message << "loss '" << loss << "' applies this " << name
          << " itself, so it is computed from the scores before it"
          << (isSameLoss ? "" : " (PyTorch applies both)") << "; the prediction is still what comes after it";
}

/// The value before the reshapes and transposes that lead to `value`, which are collected, the last one
/// first.
static Value beforeMoves(Value value, SmallVectorImpl<Operation *> &moves) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<nn::ReshapeOp, nn::TransposeOp>(op))
      break;
    moves.push_back(op);
    value = op->getOperand(0);
  }
  return value;
}

static Value repeatMoves(OpBuilder &builder, Value value, ArrayRef<Operation *> moves) {
  for (Operation *move : llvm::reverse(moves)) {
    IRMapping mapping;
    mapping.map(move->getOperand(0), value);
    value = builder.clone(*move, mapping)->getResult(0);
  }
  return value;
}

Value dlc::forward::withoutSoftmax(OpBuilder &builder, Prediction prediction, StringRef loss, int64_t axis,
                                   bool keepsSoftmax) {
  SmallVector<Operation *> moves;
  Value value = beforeMoves(prediction.value, moves);
  auto logarithm = value.getDefiningOp<nn::LogOp>();
  if (logarithm) {
    value = beforeMoves(logarithm.getX(), moves);
    if (!value.getDefiningOp<nn::SoftmaxOp>())
      return prediction.value;
  }
  Operation *op = value.getDefiningOp();
  auto softmax = dyn_cast_or_null<nn::SoftmaxOp>(op);
  if (!isa_and_nonnull<nn::SoftmaxOp, nn::LogSoftmaxOp>(op) || (softmax && softmax.getEmptyToZero()))
    return prediction.value;
  // The axis must come out of the moves as the one that the loss takes.
  std::optional<int64_t> moved = op->getAttrOfType<IntegerAttr>("axis").getInt();
  for (Operation *move : llvm::reverse(moves))
    moved = moved ? axisAfterMove(move, *moved) : moved;
  if (moved != axis)
    return prediction.value;
  const bool isSameLoss = !softmax || logarithm;
  if (keepsSoftmax && !isSameLoss)
    return prediction.value;
  sayLeftOut(op, softmax ? "Softmax" : "LogSoftmax", loss, isSameLoss);
  return repeatMoves(builder, op->getOperand(0), moves);
}

Value dlc::forward::withoutSigmoid(OpBuilder &builder, Prediction prediction, StringRef loss) {
  SmallVector<Operation *> moves;
  auto sigmoid = beforeMoves(prediction.value, moves).getDefiningOp<nn::SigmoidOp>();
  if (!sigmoid)
    return prediction.value;
  sayLeftOut(sigmoid, "Sigmoid", loss, /*isSameLoss=*/false);
  return repeatMoves(builder, sigmoid.getX(), moves);
}

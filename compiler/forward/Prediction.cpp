//===- Prediction.cpp - the output that a loss is of -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models are exported with and without their last activation. A loss that contains this activation must
// not apply it a second time, and the user must know what was done.
//===----------------------------------------------------------------------===//
#include "compiler/forward/Prediction.h"
#include "dialects/nn/Dims.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace dlc::forward;

std::string dlc::forward::describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto dims = llvm::map_to_vector(nn::shapeOf(tensor), [](const nn::Dim &dim) { return dim.str(); });
  stream << "[" << llvm::join(dims, ", ") << "] " << tensor.getElementType();
  return text;
}

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
    error << (i ? ", '" : ": '") << output.name << "' " << describe(output.value.getType());
  return failure();
}

static void remarkLeftOut(Operation *activation, StringRef name, StringRef loss) {
  activation->emitRemark() << "loss '" << loss << "' contains this " << name
                           << ": it takes what goes into it; the prediction keeps it";
}

FailureOr<Value> dlc::forward::withoutSoftmax(OpBuilder &builder, Prediction prediction, StringRef loss) {
  Value value = prediction.value;
  if (auto logarithm = value.getDefiningOp<nn::LogOp>())
    if (logarithm.getX().getDefiningOp<nn::SoftmaxOp>())
      value = logarithm.getX();
  Operation *op = value.getDefiningOp();
  if (!isa_and_nonnull<nn::SoftmaxOp, nn::LogSoftmaxOp>(op))
    return prediction.value;
  auto axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  if (axis != 1)
    return op->emitError() << "output '" << prediction.name << "' is a softmax over dim " << axis
                           << ", but the classes of loss '" << loss << "' are dim 1",
           failure();
  remarkLeftOut(op, isa<nn::SoftmaxOp>(op) ? "Softmax" : "LogSoftmax", loss);
  return op->getOperand(0);
}

Value dlc::forward::withoutSigmoid(OpBuilder &builder, Prediction prediction, StringRef loss) {
  // A sigmoid works element by element: reshapes after it can as well come without it.
  Value value = prediction.value;
  while (auto reshape = value.getDefiningOp<nn::ReshapeOp>())
    value = reshape.getX();
  auto sigmoid = value.getDefiningOp<nn::SigmoidOp>();
  if (!sigmoid)
    return prediction.value;
  remarkLeftOut(sigmoid, "Sigmoid", loss);
  if (value == prediction.value)
    return sigmoid.getX();
  return nn::ReshapeOp::create(builder, prediction.value.getLoc(), prediction.value.getType(),
                               sigmoid.getX());
}

void dlc::forward::warnOfProbabilities(Prediction prediction, StringRef loss) {
  if (auto softmax = prediction.value.getDefiningOp<nn::SoftmaxOp>())
    softmax.emitWarning() << "loss '" << loss << "' takes log-probabilities, but output '" << prediction.name
                          << "' is a Softmax; 'softmax-cross-entropy' takes what goes into it";
}

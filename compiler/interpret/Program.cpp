//===- Program.cpp - state, functions, reads and writes -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs: state between calls, functions, reads and writes, named dims.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Exchange.h"
#include "compiler/interpret/Interpreter.h"
#include "compiler/interpret/Normalization.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Derivative.h"

#include <cmath>

namespace dlc::interpret {
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;
using mlir::LogicalResult;
using mlir::success;

std::string nameOf(mlir::Location location) {
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(location))
    return name.getName().str();
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (mlir::isa<mlir::NameLoc>(part))
        return nameOf(part);
  std::string text;
  llvm::raw_string_ostream(text) << location;
  return text;
}

std::string NonFinite::str() const {
  std::string text;
  llvm::raw_string_ostream(text) << op->getName() << " at " << nameOf(op->getLoc()) << ": result " << result
                                 << ", element " << element << " is " << value;
  return text;
}

FailureOr<Interpreter> Interpreter::create(train::ProgramOp program, Options options) {
  Interpreter interpreter(program, options);
  if (failed(interpreter.reset()))
    return failure();
  return interpreter;
}

LogicalResult Interpreter::reset() {
  for (auto state : program.getBody().getOps<train::StateOp>()) {
    auto type = mlir::cast<mlir::RankedTensorType>(state.getType());
    std::optional<DType> dtype = dtypeOf(type.getElementType());
    if (!dtype || !type.hasStaticShape())
      return state.emitOpError("expected a static tensor of numbers, found ") << type;
    if (type.getNumElements() > largestTensor)
      return state.emitOpError("is too large for the interpreter: ") << type;
    FailureOr<Tensor> value = Tensor::zeros(*dtype, type.getShape());
    if (mlir::ElementsAttr initial = state.getInitialAttr())
      value = tensorOf(initial, [&] { return state.emitOpError(); });
    if (failed(value))
      return failure();
    current[state.getSymName()] = std::move(*value);
  }
  return success();
}

LogicalResult Interpreter::setState(llvm::StringRef name, Tensor value) {
  auto declared = current.find(name);
  if (declared == current.end())
    return program.emitOpError("declares no state @") << name;
  if (value.shape != declared->second.shape || value.dtype != declared->second.dtype)
    return program.emitOpError("state @")
           << name << ": expected " << declared->second.typeStr() << ", found " << value.typeStr();
  declared->second = std::move(value);
  return success();
}

LogicalResult Interpreter::bindDims(const llvm::StringMap<Tensor> &given) {
  for (auto input : program.getBody().getOps<train::InputOp>()) {
    auto tensor = given.find(input.getSymName());
    if (tensor == given.end())
      continue;
    nn::Shape declared = nn::shapeOf(input.getType());
    const Tensor &value = tensor->second;
    bool fits = declared.size() == value.shape.size() &&
                value.dtype == dtypeOf(mlir::cast<mlir::RankedTensorType>(input.getType()).getElementType());
    for (size_t i = 0; fits && i < declared.size(); ++i) {
      if (declared[i].names.size() != 1)
        fits = !declared[i].isStatic() || declared[i].factor == value.shape[i];
      else
        fits = value.shape[i] % declared[i].factor == 0 &&
               dims.try_emplace(declared[i].names[0], value.shape[i] / declared[i].factor).first->second ==
                   value.shape[i] / declared[i].factor;
    }
    if (!fits)
      return input.emitOpError("expected a value of type ")
             << input.getType() << ", found " << value.typeStr();
  }
  for (auto dim : program.getBody().getOps<train::DimOp>()) {
    int64_t bound = dim.getBound(), size = dims.try_emplace(dim.getSymName(), bound).first->second;
    if (size < 1 || size > bound)
      return dim.emitOpError("expected a size in [1, ") << bound << "], found " << size;
  }
  return success();
}

LogicalResult Interpreter::run(llvm::StringRef name, const llvm::StringMap<Tensor> &inputs,
                               const DimSizes &given) {
  written.clear();
  pending.clear();
  values.clear();
  hasLoss = false;
  nonFinite.reset();
  dims = given;
  // The function is found by its kind: a parameter of the model may have the usual name.
  train::FunctionOp function;
  for (auto candidate : program.getBody().getOps<train::FunctionOp>())
    if (functionName(candidate) == name)
      function = candidate;
  if (!function)
    return program.emitOpError("has no function @") << name;
  if (function.getPhases())
    return function.emitOpError(
        "goes over its batch in parts, as a memory budget wants it; the interpreter takes "
        "programs without a budget only");
  for (const auto &input : inputs)
    if (!mlir::isa_and_nonnull<train::InputOp>(mlir::SymbolTable::lookupSymbolIn(program, input.getKey())))
      return program.emitOpError("has no input @") << input.getKey();
  if (failed(bindDims(inputs)))
    return failure();
  findLastUses(function);
  numbers.clear();
  decidingValues.clear();
  if (options.keepsDeciding || !cells.empty())
    numbers = interpret::decidingValues(function);
  for (mlir::Operation &op : function.getBody().front()) {
    if (failed(execute(op, inputs)))
      return failure();
    for (mlir::Value value : ending.lookup(&op))
      values.erase(value);
  }
  for (auto &state : pending)
    current[state.getKey()] = std::move(state.second);
  return success();
}

void Interpreter::findLastUses(train::FunctionOp function) {
  ending.clear();
  if (options.keepsValues)
    return;
  llvm::DenseSet<mlir::Value> seen;
  for (mlir::Operation &op : llvm::reverse(function.getBody().front())) {
    auto note = [&](mlir::Value value) {
      if (seen.insert(value).second)
        ending[&op].push_back(value);
    };
    op.walk([&](mlir::Operation *inner) { llvm::for_each(inner->getOperands(), note); });
    llvm::for_each(op.getResults(), note); // that nothing uses
  }
}

LogicalResult Interpreter::execute(mlir::Operation &op, const llvm::StringMap<Tensor> &inputs) {
  if (auto readOp = mlir::dyn_cast<train::ReadOp>(op)) {
    if (failed(read(readOp, inputs)))
      return failure();
    visitDeciding(op);
    return success();
  }
  if (auto writeOp = mlir::dyn_cast<train::WriteOp>(op))
    return write(writeOp, writeOp.getSymbol(), values[writeOp.getValue()]);
  if (auto lossOp = mlir::dyn_cast<train::LossOp>(op)) {
    lossValue = values[lossOp.getValue()];
    hasLoss = true;
    return success();
  }
  if (auto gradient = mlir::dyn_cast<train::GradientOp>(op)) {
    Tensor copy = values[gradient.getValue()];
    values[gradient.getResult()] = std::move(copy);
    return success();
  }
  if (auto size = mlir::dyn_cast<train::DimSizeOp>(op)) {
    std::optional<nn::Dim> dim = nn::Dim::parse(size.getDim());
    int64_t count = dim ? dim->factor : 0;
    for (const std::string &name : dim ? dim->names : llvm::SmallVector<std::string, 1>())
      count *= dims.lookup(name);
    values[size.getSize()] = Tensor::scalar(static_cast<double>(count), DType::I64);
    return success();
  }
  if (auto constant = mlir::dyn_cast<nn::ConstantOp>(op)) {
    FailureOr<Tensor> value = tensorOf(constant.getValue(), [&] { return constant.emitOpError(); });
    if (failed(value))
      return failure();
    values[constant.getY()] = std::move(*value);
    return success();
  }
  LogicalResult result =
      mlir::isa<train::BatchNormOp>(op) ? normalizeBatch(mlir::cast<train::BatchNormOp>(op)) : evaluate(op);
  if (failed(result))
    return failure();
  visitDeciding(op);
  return checkFinite(op);
}

void Interpreter::visitDeciding(mlir::Operation &op) {
  for (mlir::Value result : op.getResults()) {
    auto number = numbers.find(result);
    if (number == numbers.end())
      continue;
    Tensor &value = values[result];
    if (number->second < cells.size())
      exchange(value, cells[number->second], areBetween);
    if (options.roundResults)
      value.roundToDType();
    if (options.keepsDeciding)
      decidingValues.push_back(value);
  }
}

LogicalResult Interpreter::read(train::ReadOp op, const llvm::StringMap<Tensor> &inputs) {
  const llvm::StringMap<Tensor> &from = current.count(op.getSymbol()) ? current : inputs;
  auto found = from.find(op.getSymbol());
  if (found == from.end())
    return op.emitOpError("reads @") << op.getSymbol() << ", which was not given";
  FailureOr<Tensor> expected = allocate(op, op.getValue().getType(), dims);
  if (failed(expected))
    return failure();
  if (found->second.shape != expected->shape || found->second.dtype != expected->dtype)
    return op.emitOpError("expected ") << expected->typeStr() << ", found " << found->second.typeStr();
  values[op.getValue()] = found->second;
  if (options.roundResults)
    values[op.getValue()].roundToDType();
  return success();
}

LogicalResult Interpreter::write(mlir::Operation *op, llvm::StringRef symbol, const Tensor &value) {
  auto declared = current.find(symbol);
  if (declared != current.end() && declared->second.shape != value.shape)
    return op->emitOpError("expected ")
           << declared->second.typeStr() << " for @" << symbol << ", found " << value.typeStr();
  (declared != current.end() ? pending : written)[symbol] = value;
  return success();
}

LogicalResult Interpreter::evaluate(mlir::Operation &op) {
  if (mlir::isa<train::CustomOp, train::CustomCallOp>(op))
    return op.emitOpError("is code of a user's, which the interpreter knows no reference of");
  llvm::SmallVector<const Tensor *> operands;
  for (mlir::Value operand : op.getOperands())
    operands.push_back(&values.find(operand)->second);
  Tensor moved;
  if (auto cast = mlir::dyn_cast<nn::CastOp>(op); cast && options.beforeNarrow != 0) {
    FailureOr<Tensor> result = allocate(&op, cast.getType(), dims);
    if (failed(result))
      return failure();
    moved = *operands.front();
    if (result->isNarrow() && !moved.isNarrow())
      for (double &number : moved.floats)
        number *= 1 + (chance() % 2 ? options.beforeNarrow : -options.beforeNarrow);
    operands.front() = &moved;
  }
  auto results = evaluateOperation(&op, operands, dims, options.roundResults, options.roundSums);
  if (failed(results))
    return failure();
  for (auto [value, tensor] : llvm::zip_equal(op.getResults(), *results))
    values[value] = std::move(tensor);
  return success();
}

/// Training mode: the batch's statistics, which also move the running ones.
LogicalResult Interpreter::normalizeBatch(train::BatchNormOp op) {
  const Tensor &x = values[op.getX()], &scale = values[op.getScale()], &bias = values[op.getBias()];
  Tensor mean = Tensor::zeros(x.dtype, scale.shape), variance = mean, y = Tensor::zeros(x.dtype, x.shape);
  channelStatistics(x, mean, variance);
  if (options.roundResults) {
    mean.roundToDType();
    variance.roundToDType();
  }
  normalizeChannels(x, scale, bias, mean, variance, op.getEpsilon().convertToDouble(), y);
  double count = static_cast<double>(x.size()) / static_cast<double>(x.shape[1]);
  double momentum = op.getMomentum().convertToDouble();
  double unbias = op.getBiased() || count == 1 ? 1 : count / (count - 1);
  for (auto [symbol, batch, factor] :
       {std::tuple<llvm::StringRef, const Tensor &, double>{op.getMean(), mean, 1},
        {op.getVariance(), variance, unbias}}) {
    auto running = current.find(symbol);
    if (running == current.end())
      return op.emitOpError("has the running statistics @") << symbol << ", which is no state";
    Tensor updated = running->second;
    for (int64_t c = 0; c < updated.size(); ++c)
      updated.floats[c] = momentum * updated.floats[c] + (1 - momentum) * factor * batch.floats[c];
    if (failed(write(op, symbol, updated)))
      return failure();
  }
  if (options.roundResults)
    y.roundToDType();
  values[op.getY()] = std::move(y);
  return success();
}

} // namespace dlc::interpret

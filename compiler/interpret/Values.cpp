//===- Values.cpp - what a run leaves to look at --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run leaves to look at: outputs, SSA values by name, the first NaN or infinity.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Interpreter.h"

#include <cmath>

namespace dlc::interpret {
namespace {

const Tensor *find(const llvm::StringMap<Tensor> &tensors, llvm::StringRef name) {
  auto found = tensors.find(name);
  return found == tensors.end() ? nullptr : &found->second;
}

bool anyNaN(const Tensor &tensor) {
  return llvm::any_of(tensor.floats, [](double number) { return std::isnan(number); });
}
bool anyNonFinite(const Tensor &tensor) {
  return llvm::any_of(tensor.floats, [](double number) { return !std::isfinite(number); });
}

} // namespace

const Tensor *Interpreter::state(llvm::StringRef name) const { return find(current, name); }
const Tensor *Interpreter::output(llvm::StringRef name) const { return find(written, name); }

const Tensor *Interpreter::value(mlir::Value ssa) const {
  auto found = values.find(ssa);
  return found == values.end() ? nullptr : &found->second;
}

const Tensor *Interpreter::value(llvm::StringRef locationName) const {
  auto parts = locationName.rsplit('#');
  unsigned result = 0;
  llvm::StringRef name = parts.second.getAsInteger(10, result) ? locationName : parts.first;
  mlir::Value last;
  train::ProgramOp(program).getBody().walk([&](mlir::Operation *op) {
    if (result < op->getNumResults() && values.count(op->getResult(result)) && nameOf(op->getLoc()) == name)
      last = op->getResult(result);
  });
  return last ? value(last) : nullptr;
}

// An infinity that an operand already held (a mask's, say) does not make its user suspicious, but a NaN
// does unless an operand held one.
mlir::LogicalResult Interpreter::checkFinite(mlir::Operation &op) {
  if (nonFinite && !options.stopAtNonFinite)
    return mlir::success();
  bool hadNaN = false, hadNonFinite = false;
  for (mlir::Value operand : op.getOperands()) {
    const Tensor &tensor = values.find(operand)->second;
    hadNaN |= anyNaN(tensor);
    hadNonFinite |= anyNonFinite(tensor);
  }
  for (mlir::OpResult result : op.getResults()) {
    const Tensor &tensor = values.find(result)->second;
    for (auto [i, number] : llvm::enumerate(tensor.floats)) {
      bool made = std::isnan(number) ? !hadNaN : std::isinf(number) && !hadNonFinite;
      if (!made)
        continue;
      nonFinite = NonFinite{&op, result.getResultNumber(), static_cast<int64_t>(i), number};
      if (options.stopAtNonFinite)
        return op.emitOpError("makes a number that is not finite: ") << nonFinite->str();
      return mlir::success();
    }
  }
  return mlir::success();
}

} // namespace dlc::interpret

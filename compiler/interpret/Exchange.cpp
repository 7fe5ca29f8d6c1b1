//===- Exchange.cpp - numbers that rounding may put in another order --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Exchange.h"
#include "dialects/nn/NN.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <cmath>

namespace dlc::interpret {

/// To fewer bits than float32 has: to the one or the other of two such numbers.
static bool narrows(mlir::Operation *op) {
  auto cast = mlir::dyn_cast<nn::CastOp>(op);
  const auto isNarrow = [](mlir::Value value) {
    return Tensor::zeros(dtypeOf(mlir::getElementTypeOrSelf(value.getType())).value_or(DType::I1), {0})
        .isNarrow();
  };
  return cast && isNarrow(cast.getY()) && !isNarrow(cast.getX());
}

/// Whether an operation decides something by the order of numbers, or by the side of a bound on which a
/// number is.
static bool decides(mlir::Operation *op) {
  return narrows(op) ||
         mlir::isa<nn::AbsOp, nn::SignOp, nn::ReluOp, nn::LeakyReluOp, nn::EluOp, nn::HardSigmoidOp,
                   nn::HardSwishOp, nn::ClipOp, nn::MaxOp, nn::MinOp, nn::CompareOp, nn::FloorOp, nn::CeilOp,
                   nn::RoundOp, nn::ReduceMaxOp, nn::ReduceMinOp, nn::ArgMaxOp, nn::ArgMinOp, nn::MaxPoolOp,
                   nn::L1LossOp>(op);
}

/// Numbers come out as they went in, or in the same order.
static bool moves(mlir::Operation *op) {
  return mlir::isa<nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::ConcatOp, nn::SliceOp, nn::ReverseOp,
                   nn::PadOp, nn::GatherOp, nn::SelectOp, nn::CastOp, nn::NegOp, nn::DropoutOp,
                   nn::ReverseSequenceOp, train::StopGradientOp, train::GradientOp>(op);
}

llvm::DenseMap<mlir::Value, unsigned> decidingValues(train::FunctionOp function) {
  llvm::DenseMap<mlir::Value, unsigned> found;
  llvm::DenseSet<mlir::Value> rounded; // and not exchanged yet
  auto program = function->getParentOfType<train::ProgramOp>();
  for (mlir::Operation &op : function.getBody().front()) {
    if (auto read = mlir::dyn_cast<train::ReadOp>(op)) { // a parameter was rounded in the update before
      auto state = mlir::dyn_cast_or_null<train::StateOp>(
          mlir::SymbolTable::lookupSymbolIn(program, read.getSymbol()));
      if (state && state.getKind() == train::StateKind::Parameter &&
          llvm::any_of(read.getValue().getUsers(), narrows))
        found.try_emplace(read.getValue(), found.size());
      continue;
    }
    if (decides(&op) || mlir::isa<nn::ConstantOp, nn::IotaOp>(op))
      continue;
    if (moves(&op) && llvm::none_of(op.getOperands(), [&](mlir::Value x) { return rounded.contains(x); }))
      continue;
    for (mlir::Value result : op.getResults())
      if (llvm::any_of(result.getUsers(), decides))
        found.try_emplace(result, found.size());
      else
        rounded.insert(result);
  }
  return found;
}

/// 0, 1, a half, a position: of at most twelve bits, and a multiple of 2^-10. (Differences of neighbours have
/// few bits as well.)
static bool isRound(double number) {
  int exponent;
  const double mantissa = std::ldexp(std::frexp(number, &exponent), 12), units = std::ldexp(number, 10);
  return mantissa == std::floor(mantissa) && units == std::floor(units);
}

static int exponentOf(double number) {
  int exponent;
  std::frexp(number, &exponent);
  return exponent;
}

double Cells::widthAt(double number) const {
  auto own = wide.find(exponentOf(number));
  return own == wide.end() ? least : own->second;
}

Cells cellsOf(llvm::ArrayRef<const Tensor *> alike) {
  std::vector<std::pair<double, double>> sizes; // of a number, and of what rounding changes
  for (size_t i = 0; i < alike.front()->floats.size(); ++i) {
    double low = alike.front()->floats[i], high = low;
    for (const Tensor *other : alike) {
      low = std::fmin(low, other->floats[i]);
      high = std::fmax(high, other->floats[i]);
    }
    if (std::isfinite(low) && std::isfinite(high) && (low != 0 || high != 0))
      sizes.emplace_back(std::fmin(std::fabs(low), std::fabs(high)), high - low);
  }
  Cells cells;
  if (sizes.empty())
    return cells;
  const auto end = sizes.begin() + static_cast<std::ptrdiff_t>((sizes.size() + 3) / 4);
  std::nth_element(sizes.begin(), end - 1, sizes.end());
  // A cell is as wide as that on both sides of its middle.
  for (auto size = sizes.begin(); size != end; ++size)
    cells.least = std::fmax(cells.least, 2 * size->second);
  for (auto [number, change] : sizes)
    if (2 * change > cells.least) {
      double &width = cells.wide[exponentOf(number)];
      width = std::fmax(width, 2 * change);
    }
  return cells;
}

void exchange(Tensor &tensor, const Cells &cells, bool isBetween) {
  if (!tensor.isFloat() || tensor.isNarrow())
    return;
  for (double &number : tensor.floats) {
    const double cell = cells.widthAt(number);
    if (!std::isfinite(number) || isRound(number) || !(cell > 0))
      continue;
    const double middle =
        isBetween ? (std::floor(number / cell) + 0.5) * cell : std::round(number / cell) * cell;
    number = 2 * middle - number;
  }
}

} // namespace dlc::interpret

//===- TensorOptimizer.cpp - updates by norms and products -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer updates that look at a parameter as a whole: the formulas of OptimizerOps.td.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/train/Train.h"

#include <algorithm>
#include <cmath>

namespace dlc::interpret {
namespace {

using Numbers = std::vector<double>;

double norm(const Numbers &x) {
  double squares = 0;
  for (double value : x)
    squares += value * value;
  return std::sqrt(squares);
}

Numbers numbersOf(const Tensor &tensor) { return {tensor.floats.begin(), tensor.floats.end()}; }

void update(Evaluation &e, train::LambOp op) {
  Numbers w = numbersOf(e.of(op.getW())), change(w.size());
  double beta1 = e.scalar(op.getBeta1()), beta2 = e.scalar(op.getBeta2()), step = e.scalar(op.getStep());
  for (size_t i = 0; i < w.size(); ++i) {
    double g = e.of(op.getG()).floats[i];
    double m = e.result(1).floats[i] = beta1 * e.of(op.getExpAvg()).floats[i] + (1 - beta1) * g;
    double v = e.result(2).floats[i] = beta2 * e.of(op.getExpAvgSq()).floats[i] + (1 - beta2) * g * g;
    change[i] = m / (1 - std::pow(beta1, step)) /
                    (std::sqrt(v / (1 - std::pow(beta2, step))) + e.scalar(op.getEpsilon())) +
                e.scalar(op.getWeightDecay()) * w[i];
  }
  double trust = norm(w) > 0 && norm(change) > 0 ? norm(w) / norm(change) : 1;
  for (size_t i = 0; i < w.size(); ++i)
    e.result(0).floats[i] = w[i] - e.scalar(op.getLearningRate()) * trust * change[i];
}

/// Row-major.
struct Matrix {
  size_t rows, columns;
  Numbers values = Numbers(rows * columns);

  double &at(size_t i, size_t j) { return values[i * columns + j]; }
  double at(size_t i, size_t j) const { return values[i * columns + j]; }
};

Matrix transposed(const Matrix &a) {
  Matrix result{a.columns, a.rows};
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < a.columns; ++j)
      result.at(j, i) = a.at(i, j);
  return result;
}

/// a b + factor c.
Matrix productPlus(const Matrix &a, const Matrix &b, double factor, const Matrix &c) {
  Matrix result{a.rows, b.columns};
  for (size_t i = 0; i < a.rows; ++i)
    for (size_t j = 0; j < b.columns; ++j) {
      double sum = 0;
      for (size_t k = 0; k < a.columns; ++k)
        sum += a.at(i, k) * b.at(k, j);
      result.at(i, j) = sum + factor * c.at(i, j);
    }
  return result;
}

/// The quintic iteration of Jordan's Muon, as torch.optim writes it down.
Matrix orthogonalized(Matrix x) {
  bool isTall = x.rows > x.columns;
  if (isTall)
    x = transposed(x);
  double length = std::max(norm(x.values), 1e-7);
  for (double &value : x.values)
    value /= length;
  for (int step = 0; step < 5; ++step) {
    Matrix gram = productPlus(x, transposed(x), 0, Matrix{x.rows, x.rows});
    Matrix half = gram;
    for (double &value : half.values)
      value *= 2.0315;
    x = productPlus(productPlus(half, gram, -4.7750, gram), x, 3.4445, x);
  }
  return isTall ? transposed(x) : x;
}

void update(Evaluation &e, train::MuonOp op) {
  const Tensor &w = e.of(op.getW());
  double momentum = e.scalar(op.getMomentum()), lr = e.scalar(op.getLearningRate());
  Matrix x{size_t(w.shape[0]), size_t(w.shape[1])};
  for (size_t i = 0; i < x.values.size(); ++i) {
    double g = e.of(op.getG()).floats[i];
    double b = momentum * e.of(op.getMomentumBuffer()).floats[i] + (1 - momentum) * g;
    e.result(1).floats[i] = b;
    x.values[i] = momentum * b + (1 - momentum) * g;
  }
  double stretch = x.rows > x.columns && x.columns ? std::sqrt(double(x.rows) / double(x.columns)) : 1;
  x = orthogonalized(x);
  for (size_t i = 0; i < x.values.size(); ++i)
    e.result(0).floats[i] =
        w.floats[i] * (1 - lr * e.scalar(op.getWeightDecay())) - lr * stretch * x.values[i];
}

template <typename Op> bool evaluateUpdate(Evaluation &e) {
  auto op = mlir::dyn_cast<Op>(e.getOperation());
  if (op)
    update(e, op);
  return bool(op);
}

} // namespace

bool evaluateTensorOptimizer(Evaluation &e) {
  return evaluateUpdate<train::LambOp>(e) || evaluateUpdate<train::MuonOp>(e);
}

} // namespace dlc::interpret

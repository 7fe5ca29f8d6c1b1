//===- TensorOptimizer.cpp - updates by norms and products -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Optimizer updates that look at a parameter as a whole: the formulas of OptimizerOps.td.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/train/MoreOptimizers.h"

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

/// What Adafactor does with an estimate of the second moment.
template <typename Op> void adafactorUpdate(Evaluation &e, Op op, const Numbers &variance) {
  const Numbers w = numbersOf(e.of(op.getW()));
  const double lr = e.scalar(op.getLearningRate()), step = e.scalar(op.getStep()),
               epsilon = e.scalar(op.getEpsilon()), count = std::sqrt(double(w.size()));
  Numbers change(w.size());
  for (size_t i = 0; i < w.size(); ++i)
    change[i] = e.of(op.getG()).floats[i] / std::sqrt(maximum(variance[i], epsilon * epsilon));
  const double rate =
      maximum(norm(w) / count, e.scalar(op.getEpsilon2())) * std::fmin(lr, 1 / std::sqrt(step));
  const double excess = maximum(1, norm(change) / count / e.scalar(op.getClipThreshold()));
  for (size_t i = 0; i < w.size(); ++i)
    e.result(0).floats[i] = w[i] * (1 - lr * e.scalar(op.getWeightDecay())) - rate / excess * change[i];
}

void update(Evaluation &e, train::AdafactorVectorOp op) {
  const double part = std::pow(e.scalar(op.getStep()), e.scalar(op.getBeta2Decay()));
  Numbers variance = numbersOf(e.of(op.getVariance()));
  for (size_t i = 0; i < variance.size(); ++i) {
    const double g = e.of(op.getG()).floats[i];
    e.result(1).floats[i] = variance[i] += part * (g * g - variance[i]);
  }
  adafactorUpdate(e, op, variance);
}

void update(Evaluation &e, train::AdafactorOp op) {
  const std::vector<int64_t> shape(e.of(op.getW()).shape.begin(), e.of(op.getW()).shape.end());
  const size_t columns = size_t(shape[shape.size() - 1]), rows = size_t(shape[shape.size() - 2]);
  const Numbers g = numbersOf(e.of(op.getG()));
  const double part = std::pow(e.scalar(op.getStep()), e.scalar(op.getBeta2Decay()));
  Numbers ofRows = numbersOf(e.of(op.getRowVar())), ofColumns = numbersOf(e.of(op.getColVar())),
          variance(g.size());
  for (size_t begin = 0, k = 0; begin < g.size(); begin += rows * columns, ++k) { // each matrix of many
    Numbers rowMeans(rows), columnMeans(columns);
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j) {
        const double square = g[begin + i * columns + j] * g[begin + i * columns + j];
        rowMeans[i] += square / double(columns);
        columnMeans[j] += square / double(rows);
      }
    double whole = 0;
    for (size_t i = 0; i < rows; ++i)
      whole += (ofRows[k * rows + i] += part * (rowMeans[i] - ofRows[k * rows + i])) / double(rows);
    for (size_t j = 0; j < columns; ++j)
      ofColumns[k * columns + j] += part * (columnMeans[j] - ofColumns[k * columns + j]);
    whole = maximum(whole, e.scalar(op.getEpsilon()));
    for (size_t i = 0; i < rows; ++i)
      for (size_t j = 0; j < columns; ++j)
        variance[begin + i * columns + j] = ofRows[k * rows + i] * ofColumns[k * columns + j] / whole;
  }
  std::copy(ofRows.begin(), ofRows.end(), e.result(1).floats.begin());
  std::copy(ofColumns.begin(), ofColumns.end(), e.result(2).floats.begin());
  adafactorUpdate(e, op, variance);
}

void update(Evaluation &e, train::SparseAdamOp op) {
  const Numbers w = numbersOf(e.of(op.getW())), g = numbersOf(e.of(op.getG())),
                m = numbersOf(e.of(op.getExpAvg())), v = numbersOf(e.of(op.getExpAvgSq()));
  const double beta1 = e.scalar(op.getBeta1()), beta2 = e.scalar(op.getBeta2()),
               step = e.scalar(op.getStep());
  const double rate =
      e.scalar(op.getLearningRate()) * std::sqrt(1 - std::pow(beta2, step)) / (1 - std::pow(beta1, step));
  const size_t rows = size_t(e.of(op.getW()).shape[0]), width = rows ? w.size() / rows : 0;
  for (size_t i = 0; i < w.size(); ++i) {
    const auto begin = g.begin() + int64_t(i / width * width);
    const bool isAbsent = std::all_of(begin, begin + int64_t(width), [](double x) { return x == 0; });
    const double newM = beta1 * m[i] + (1 - beta1) * g[i], newV = beta2 * v[i] + (1 - beta2) * g[i] * g[i];
    e.result(1).floats[i] = isAbsent ? m[i] : newM;
    e.result(2).floats[i] = isAbsent ? v[i] : newV;
    e.result(0).floats[i] =
        isAbsent ? w[i] : w[i] - rate * newM / (std::sqrt(newV) + e.scalar(op.getEpsilon()));
  }
}

template <typename Op> bool evaluateUpdate(Evaluation &e) {
  auto op = mlir::dyn_cast<Op>(e.getOperation());
  if (op)
    update(e, op);
  return bool(op);
}

} // namespace

bool evaluateTensorOptimizer(Evaluation &e) {
  return evaluateUpdate<train::LambOp>(e) || evaluateUpdate<train::MuonOp>(e) ||
         evaluateUpdate<train::AdafactorOp>(e) || evaluateUpdate<train::AdafactorVectorOp>(e) ||
         evaluateUpdate<train::SparseAdamOp>(e);
}

} // namespace dlc::interpret

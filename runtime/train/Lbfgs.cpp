//===- Lbfgs.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nocedal and Wright, Numerical Optimization (2006), algorithms 7.4 and 7.5: the direction is the inverse of
// the Hessian times the gradient, where the inverse is known from the last moves and what they did to the
// gradient.
//===----------------------------------------------------------------------===//
#include "runtime/train/Lbfgs.h"

#include <cmath>

using dlc::runtime::Line;
using dlc::runtime::LinePoint;
using dlc::runtime::Remembered;

namespace {

bool areGood(const dlc_lbfgs_options &o) {
  return o.learning_rate > 0 && std::isfinite(o.learning_rate) && o.gradient_tolerance >= 0 &&
         o.change_tolerance >= 0 && o.iterations > 0 && o.evaluations > 0 && o.history > 0;
}

void copy(double *to, const double *from, int64_t count) {
  memmove(to, from, static_cast<size_t>(count) * sizeof(double)); // which may be the same
}

double sumOfSizes(const double *a, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += std::fabs(a[i]);
  return sum;
}

} // namespace

/// The last move and the change of the gradient that it made, unless the function is not convex along it.
void dlc_lbfgs::remember(const double *gradient) {
  Remembered &n = numbers;
  const int64_t free = place(n.stored); // of the oldest pair, where the history is full
  double *change = changes + free * count, *move = moves + free * count;
  double product = 0, square = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double y = gradient[i] - gradientBefore[i];
    product += y * (direction[i] * n.at);
    square += y * y;
  }
  if (!(product > 1e-10))
    return;
  for (int64_t i = 0; i < count; ++i) {
    change[i] = gradient[i] - gradientBefore[i];
    move[i] = direction[i] * n.at;
  }
  curvatures[free] = 1 / product;
  n.scale = product / square;
  if (n.stored < options.history)
    ++n.stored;
  else
    n.oldest = place(1);
}

void dlc_lbfgs::chooseDirection(const double *gradient) {
  Remembered &n = numbers;
  for (int64_t i = 0; i < count; ++i)
    direction[i] = -gradient[i];
  for (int64_t age = n.stored; age-- > 0;) {
    const int64_t k = place(age);
    weights[k] = dlc::runtime::dot(moves + k * count, direction, count) * curvatures[k];
    for (int64_t i = 0; i < count; ++i)
      direction[i] -= weights[k] * changes[k * count + i];
  }
  for (int64_t i = 0; i < count; ++i)
    direction[i] *= n.scale;
  for (int64_t age = 0; age < n.stored; ++age) {
    const int64_t k = place(age);
    const double weight =
        weights[k] - dlc::runtime::dot(changes + k * count, direction, count) * curvatures[k];
    for (int64_t i = 0; i < count; ++i)
      direction[i] += weight * moves[k * count + i];
  }
}

/// The iterations of a step; `values` move.
static dlc_status iterate(dlc_lbfgs &state, double *values, Line &line, double *lossBefore) {
  const dlc_lbfgs_options &options = state.options;
  Remembered &n = state.numbers;
  LinePoint now = {0, 0, 0, line.gradients[0]};
  line.evaluations = 1;
  if (dlc_status status = line.evaluate(line.context, values, &now.loss, now.gradient))
    return status;
  if (lossBefore)
    *lossBefore = now.loss;
  for (int32_t i = 0; i < options.iterations; ++i) {
    const double steepest = dlc::runtime::largest(now.gradient, state.count);
    if (!std::isfinite(now.loss) || !std::isfinite(steepest)) // of the values that the step began with
      return DLC_NOT_FINITE;
    if (steepest <= options.gradient_tolerance)
      break;
    const bool isFirst = n.iterations++ == 0;
    if (isFirst)
      n.scale = 1;
    else
      state.remember(now.gradient);
    state.chooseDirection(now.gradient);
    copy(state.gradientBefore, now.gradient, state.count);
    copy(state.from, values, state.count);
    const double sum = isFirst ? sumOfSizes(now.gradient, state.count) : 0;
    n.at = options.learning_rate * (sum > 1 ? 1 / sum : 1);
    LinePoint begin = {0, now.loss, dlc::runtime::dot(now.gradient, state.direction, state.count),
                       state.gradientBefore};
    if (begin.slope > -options.change_tolerance)
      break;

    if (options.strong_wolfe) {
      if (dlc_status status = searchLine(line, begin, n.at, now))
        return status;
      n.at = now.at;
    }
    line.moveTo(n.at);
    if (i + 1 == options.iterations)
      break;
    if (!options.strong_wolfe)
      if (dlc_status status = line.ask(n.at, begin, begin, now))
        return status;
    if (!std::isfinite(now.loss))
      return DLC_NOT_FINITE;
    if (line.evaluations >= options.evaluations ||
        dlc::runtime::largest(state.direction, state.count) * std::fabs(n.at) <= options.change_tolerance ||
        std::fabs(now.loss - begin.loss) < options.change_tolerance)
      break;
  }
  return DLC_OK;
}

extern "C" {

dlc_lbfgs_options dlc_lbfgs_defaults(void) { return {1, 1e-7, 1e-9, 20, 25, 100, 0}; }

dlc_status dlc_lbfgs_create(int64_t count, const dlc_lbfgs_options *options, dlc_lbfgs **out) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  const dlc_lbfgs_options chosen = options ? *options : dlc_lbfgs_defaults();
  if (count < 1 || !areGood(chosen))
    return DLC_INVALID_ARGUMENT;
  size_t doubles = 0;
  const size_t n = static_cast<size_t>(count), history = static_cast<size_t>(chosen.history);
  if (__builtin_mul_overflow(n, 2 * history + 8, &doubles) ||
      __builtin_add_overflow(doubles, 2 * history + 64, &doubles) || doubles > SIZE_MAX / 16)
    return DLC_OUT_OF_MEMORY;
  void *place = malloc(sizeof(dlc_lbfgs));
  if (!place)
    return DLC_OUT_OF_MEMORY;
  auto *lbfgs = new (place) dlc_lbfgs();
  if (!lbfgs->memory.allocate(2 * n + (2 * n + 1) * history) || !lbfgs->scratch.allocate(5 * n + history)) {
    dlc_lbfgs_destroy(lbfgs);
    return DLC_OUT_OF_MEMORY;
  }
  lbfgs->count = count;
  lbfgs->options = chosen;
  lbfgs->direction = lbfgs->memory.data();
  lbfgs->gradientBefore = lbfgs->direction + n;
  lbfgs->curvatures = lbfgs->gradientBefore + n;
  lbfgs->moves = lbfgs->curvatures + history;
  lbfgs->changes = lbfgs->moves + n * history;
  for (int i = 0; i < 3; ++i)
    lbfgs->gradients[i] = lbfgs->scratch.data() + n * static_cast<size_t>(i);
  lbfgs->from = lbfgs->scratch.data() + 3 * n;
  lbfgs->begin = lbfgs->from + n;
  lbfgs->weights = lbfgs->begin + n;
  *out = lbfgs;
  return DLC_OK;
}

void dlc_lbfgs_destroy(dlc_lbfgs *lbfgs) {
  if (!lbfgs)
    return;
  lbfgs->~dlc_lbfgs();
  free(lbfgs);
}

dlc_status dlc_lbfgs_step(dlc_lbfgs *lbfgs, double *values, dlc_lbfgs_function evaluate, void *context,
                          double *loss) {
  if (loss)
    *loss = 0;
  if (!lbfgs || !values || !evaluate)
    return DLC_INVALID_ARGUMENT;
  Line line = {lbfgs->count,
               lbfgs->from,
               lbfgs->direction,
               values,
               {lbfgs->gradients[0], lbfgs->gradients[1], lbfgs->gradients[2]},
               evaluate,
               context};
  copy(lbfgs->begin, values, lbfgs->count);
  const dlc_status status = iterate(*lbfgs, values, line, loss);
  if (status != DLC_OK) {
    copy(values, lbfgs->begin, lbfgs->count);
    lbfgs->forget();
  }
  return status;
}

} // extern "C"

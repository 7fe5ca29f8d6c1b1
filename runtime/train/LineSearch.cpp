//===- LineSearch.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nocedal and Wright, Numerical Optimization (2006), algorithms 3.5 and 3.6: first the step grows until an
// interval is known that has a good place, then the interval shrinks. New places are minima of the cubic
// through two points and their slopes. Where PyTorch's choices differ from the book's, they are PyTorch's.
//===----------------------------------------------------------------------===//
#include "runtime/train/LineSearch.h"

#include <cmath>

namespace dlc::runtime {

namespace {

constexpr double enoughDecrease = 1e-4, enoughFlatness = 0.9, smallestInterval = 1e-9;
constexpr int32_t mostTries = 25;

double smaller(double a, double b) { return b < a ? b : a; }
double larger(double a, double b) { return b > a ? b : a; }

/// Where the cubic through both points is lowest, between two bounds; halfway where it has no minimum.
double lowestOfCubic(const LinePoint &a, const LinePoint &b, double low, double high) {
  const LinePoint &left = a.at <= b.at ? a : b, &right = a.at <= b.at ? b : a;
  const double mean = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.at - b.at);
  const double square = mean * mean - a.slope * b.slope;
  if (!(square >= 0))
    return (low + high) / 2;
  const double root = std::sqrt(square);
  const double place =
      right.at - (right.at - left.at) * ((right.slope + root - mean) / (right.slope - left.slope + 2 * root));
  return std::isnan(place) ? (low + high) / 2 : smaller(larger(place, low), high);
}

/// The better one becomes `low`.
void order(LinePoint &low, LinePoint &high) {
  if (!(high.loss < low.loss))
    return;
  const LinePoint better = high;
  high = low;
  low = better;
}

struct Search {
  Line &line;
  const LinePoint &begin;
  int32_t tries = 0;

  bool isTooHigh(const LinePoint &p) const {
    return p.loss > begin.loss + enoughDecrease * p.at * begin.slope;
  }
  bool isFlat(const LinePoint &p) const { return std::fabs(p.slope) <= -enoughFlatness * begin.slope; }

  /// Longer and longer steps. True where an interval [one, other] was found; else `one` is the result.
  dlc_status grow(double firstStep, LinePoint &one, LinePoint &other, bool &isInterval) {
    one = begin;
    if (dlc_status status = line.ask(firstStep, begin, begin, other))
      return status;
    for (isInterval = true; tries < mostTries; ++tries) {
      if (isTooHigh(other) || (tries > 1 && other.loss >= one.loss))
        return DLC_OK;
      if (isFlat(other)) {
        one = other;
        isInterval = false;
        return DLC_OK;
      }
      if (other.slope >= 0)
        return DLC_OK;
      const double next = lowestOfCubic(one, other, other.at + 0.01 * (other.at - one.at), other.at * 10);
      one = other;
      if (dlc_status status = line.ask(next, begin, one, other))
        return status;
    }
    one = begin;
    return DLC_OK;
  }

  /// A place between two points that is not too near to either: `wasNear` says whether the last one was.
  static double between(const LinePoint &a, const LinePoint &b, bool &wasNear) {
    const double left = smaller(a.at, b.at), right = larger(a.at, b.at), margin = 0.1 * (right - left);
    const double place = lowestOfCubic(a, b, left, right);
    const bool isNear = smaller(right - place, place - left) < margin;
    if (!isNear || !(wasNear || place >= right || place <= left)) {
      wasNear = isNear;
      return place;
    }
    wasNear = false;
    return right - place < place - left ? right - margin : left + margin;
  }

  /// Shorter and shorter intervals around a good place; `low` is the better end.
  dlc_status shrink(LinePoint &low, LinePoint &high) {
    const double reach = largest(line.direction, line.count);
    for (bool wasNear = false; tries < mostTries && std::fabs(high.at - low.at) * reach >= smallestInterval;
         ++tries) {
      LinePoint next;
      if (dlc_status status = line.ask(between(low, high, wasNear), low, high, next))
        return status;
      if (isTooHigh(next) || next.loss >= low.loss) {
        high = next;
        order(low, high);
        continue;
      }
      const bool isDone = isFlat(next);
      if (!isDone && next.slope * (high.at - low.at) >= 0)
        high = low;
      low = next;
      if (isDone)
        break;
    }
    return DLC_OK;
  }
};

} // namespace

double dot(const double *a, const double *b, int64_t count) {
  double sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

double largest(const double *a, int64_t count) {
  double result = 0;
  for (int64_t i = 0; i < count; ++i)
    if (!(std::fabs(a[i]) <= result))
      result = std::fabs(a[i]);
  return result;
}

void Line::moveTo(double at) {
  for (int64_t i = 0; i < count; ++i)
    values[i] = from[i] + at * direction[i];
}

dlc_status Line::ask(double at, const LinePoint &one, const LinePoint &other, LinePoint &found) {
  double *free = gradients[0];
  for (double *gradient : gradients)
    if (gradient != one.gradient && gradient != other.gradient)
      free = gradient;
  moveTo(at);
  ++evaluations;
  found = {at, 0, 0, free};
  if (dlc_status status = evaluate(context, values, &found.loss, free))
    return status;
  found.slope = dot(free, direction, count);
  if (!std::isfinite(found.loss) || !std::isfinite(found.slope))
    found.loss = INFINITY; // too far
  return DLC_OK;
}

dlc_status searchLine(Line &line, const LinePoint &begin, double firstStep, LinePoint &found) {
  Search search{line, begin};
  LinePoint other;
  bool isInterval;
  if (dlc_status status = search.grow(firstStep, found, other, isInterval))
    return status;
  if (!isInterval)
    return DLC_OK;
  order(found, other);
  return search.shrink(found, other);
}

} // namespace dlc::runtime

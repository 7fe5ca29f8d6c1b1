//===- Print.cpp - tensors as text ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in brackets as PyTorch prints them: four digits after the point, or the form 1.0000e-05 where
// numbers are very large or small; of long dims the first and last three.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Elements.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>
#include <ostream>

namespace dlc {
using namespace detail;

namespace {

constexpr int64_t mostElements = 1000, edge = 3;

class Printer {
public:
  Printer(const record::Elements &elements, std::ostream &out)
      : shape(elements.shape), dtype(elements.dtype), numbers(unpack(elements)), out(out),
        isShortened(countOf(shape) > mostElements) {
    double largest = 0, smallest = INFINITY;
    std::vector<double> shown;
    forEachShown(0, 0, [&](int64_t offset) { shown.push_back(numbers[offset]); });
    for (double number : shown) {
      isWhole &= !std::isfinite(number) || number == std::nearbyint(number);
      if (std::isfinite(number) && number != 0) {
        largest = std::max(largest, std::fabs(number));
        smallest = std::min(smallest, std::fabs(number));
      }
    }
    isScientific = largest >= 1e8 || smallest < 1e-4 || largest / smallest > 1000;
    isScientific &= !isWhole || largest >= 1e8;
    for (double number : shown)
      width = std::max(width, textOf(number).size());
  }

  void print(size_t dim = 0, int64_t offset = 0) {
    if (dim == shape.size()) {
      std::string text = textOf(numbers[offset]);
      out << std::string(shape.empty() ? 0 : width - text.size(), ' ') << text;
      return;
    }
    out << '[';
    for (int64_t i = 0, expected = 0; i < shape[dim]; i = next(dim, i), ++expected) {
      if (i)
        separate(dim);
      if (i != expected) {
        out << (dim + 1 == shape.size() ? " ..." : "...");
        separate(dim);
        expected = i;
      }
      print(dim + 1, offset + i * stride(dim));
    }
    out << ']';
  }

private:
  int64_t stride(size_t dim) const {
    int64_t elements = 1;
    for (size_t i = dim + 1; i < shape.size(); ++i)
      elements *= shape[i];
    return elements;
  }
  /// The position along a dim that is shown after `i`.
  int64_t next(size_t dim, int64_t i) const {
    bool skips = isShortened && shape[dim] > 2 * edge && i == edge - 1;
    return skips ? shape[dim] - edge : i + 1;
  }
  template <typename Visit> void forEachShown(size_t dim, int64_t offset, const Visit &visit) const {
    if (dim == shape.size())
      return visit(offset);
    for (int64_t i = 0; i < shape[dim]; i = next(dim, i))
      forEachShown(dim + 1, offset + i * stride(dim), visit);
  }

  /// Rows below each other, matrices apart.
  void separate(size_t dim) {
    size_t rest = shape.size() - 1 - dim;
    out << ',' << (rest == 0 ? " " : std::string(rest, '\n') + std::string(dim + 8, ' '));
  }

  std::string textOf(double number) const {
    if (dtype == DType::Bool)
      return number ? "True" : "False";
    if (std::isnan(number) || std::isinf(number))
      return std::isnan(number) ? "nan" : number < 0 ? "-inf" : "inf";
    if (!is_floating_point(dtype))
      return formatted(number, 'f', 0);
    return isScientific ? formatted(number, 'e', 4)
           : isWhole    ? formatted(number, 'f', 0) + '.'
                        : formatted(number, 'f', 4);
  }

  const std::vector<int64_t> &shape;
  DType dtype;
  std::vector<double> numbers;
  std::ostream &out;
  bool isShortened, isWhole = true, isScientific = false;
  size_t width = 0;
};

} // namespace

std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  if (!tensor.defined())
    return out << "tensor without a value";
  auto &recorder = record::Recorder::get();
  auto elements = recorder.valueOf(tensor.id());
  if (!elements.value)
    return out << "tensor(shape=" << str(tensor.shape()) << ", dtype=" << name_of(tensor.dtype())
               << ", made by " << recorder.originOf(tensor.id()) << " at "
               << recorder.placeOf(tensor.id()).file << ':'
               << std::to_string(recorder.placeOf(tensor.id()).line) << ')';
  out << "tensor(";
  Printer(*elements.value, out).print();
  DType dtype = tensor.dtype();
  if (dtype != DType::Float32 && dtype != DType::Int64 && dtype != DType::Bool)
    out << ", dtype=" << name_of(dtype);
  return out << ')';
}

} // namespace dlc

//===- Print.cpp - tensors as text ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements in brackets as PyTorch prints them: four digits after the point, or the form 1.0000e-05 where
// numbers are very large or small; of long dims the first and last three; lines of 80 characters.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>
#include <sstream>

namespace dlc {
using namespace detail;

namespace {

constexpr int64_t mostElements = 1000, edge = 3;
constexpr size_t lineWidth = 80, indent = 7; // "tensor("

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
    size_t shown = 0;
    for (int64_t i = 0, expected = 0; i < shape[dim]; i = next(dim, i), ++expected) {
      if (i)
        separate(dim, ++shown);
      if (i != expected) {
        out << (dim + 1 == shape.size() ? " ..." : "...");
        separate(dim, ++shown);
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

  /// Rows below each other, matrices apart; elements in lines.
  void separate(size_t dim, size_t shown) {
    size_t rest = shape.size() - 1 - dim;
    const size_t inLine = std::max<size_t>(1, (lineWidth - std::min(lineWidth, indent + dim)) / (width + 2));
    const size_t lines = rest > 0 ? rest : shown % inLine == 0 ? 1 : 0;
    out << ',' << (lines == 0 ? " " : std::string(lines, '\n') + std::string(dim + indent + 1, ' '));
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

/// What follows the elements, on a line of its own where this one is full.
static std::string withSuffixes(std::string text, const std::vector<std::string> &suffixes) {
  size_t length = text.size() - (text.rfind('\n') + 1) + 2;
  for (const std::string &suffix : suffixes) {
    const bool fits = length + suffix.size() + 2 <= lineWidth;
    text += (fits ? ", " : ",\n" + std::string(indent, ' ')) + suffix;
    length = fits ? length + suffix.size() + 2 : indent + suffix.size();
  }
  return text + ')';
}

/// "made by relu at values.cpp:11".
static std::string originOf(const Tensor &tensor) {
  auto &recorder = record::Recorder::get();
  record::Place place = recorder.placeOf(tensor.id());
  return "made by " + recorder.originOf(tensor.id()) + " at " + place.file + ":" + std::to_string(place.line);
}

static std::string textOf(const Tensor &tensor) {
  auto &recorder = record::Recorder::get();
  const bool isLeaf = recorder.isLeaf(tensor.id());
  auto elements = recorder.valueOf(tensor.id());
  if (!elements.value)
    return "tensor(shape=" + str(tensor.shape()) + ", dtype=" + name_of(tensor.dtype()) +
           (isLeaf ? ", requires_grad=True" : "") + ", " + originOf(tensor) + ')';
  std::ostringstream text;
  text << "tensor(";
  const bool isEmpty = countOf(elements.value->shape) == 0;
  if (isEmpty)
    text << "[]";
  else
    Printer(*elements.value, text).print();
  std::vector<std::string> suffixes;
  if (isEmpty && elements.value->shape.size() != 1)
    suffixes.push_back("size=" + pythonTuple(elements.value->shape));
  const DType dtype = tensor.dtype();
  if (dtype != DType::Float32 && (isEmpty || (dtype != DType::Int64 && dtype != DType::Bool)))
    suffixes.push_back(std::string("dtype=") + name_of(dtype));
  if (isLeaf)
    suffixes.push_back("requires_grad=True");
  else if (tensor.requires_grad())
    suffixes.push_back(originOf(tensor));
  return withSuffixes(text.str(), suffixes);
}

std::ostream &operator<<(std::ostream &out, const Tensor &tensor) {
  if (!tensor.defined())
    return out << "tensor without a value";
  return out << (record::Recorder::get().isParameter(tensor.id()) ? "Parameter containing:\n" : "")
             << textOf(tensor);
}

} // namespace dlc

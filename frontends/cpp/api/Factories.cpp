//===- Factories.cpp - inputs and constants ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/Text.h"
#include <cmath>

namespace dlc {
using namespace detail;
using record::Recorder;

Tensor input(std::string_view name, const Shape &shape, DType dtype, Where where) {
  return Tensor::of(
      unwrap(Recorder::get().input(std::string(name), {shape, dtype}, std::nullopt, placeOf(where)), where));
}

Tensor input(std::string_view called, const Shape &shape, const Tensor &example, Where where) {
  const std::string name(called);
  if (!example.defined())
    fail("input '" + name + "': the example has no value", where);
  record::Elements elements = unwrap(Recorder::get().valueOf(example.id()), where);
  return Tensor::of(
      unwrap(Recorder::get().input(name, {shape, example.dtype()}, elements, placeOf(where)), where));
}

Tensor full(const Shape &shape, double value, DType dtype, Where where) {
  At at(where);
  Tensor number = scalar(value, dtype, where);
  return shape.empty() ? number : number.expand(shape);
}

Tensor full_like(const Tensor &x, double value, Where where) {
  return full(x.shape(), value, x.dtype(), where);
}

Tensor arange(double start, double end, double step, DType dtype, Where where) {
  if (!(step != 0 && (end - start) / step >= 0 && (end - start) / step < double(int64_t(1) << 31)))
    fail("arange: expected steps that lead from start to end, got " + pythonNumber(start) + ", " +
             pythonNumber(end) + ", " + pythonNumber(step),
         where);
  return constant({int64_t(std::ceil((end - start) / step))}, dtype, where, [&](int64_t count) {
    std::vector<double> numbers(count);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] = start + double(i) * step;
    return numbers;
  });
}

Tensor arange(const Number &start, const Number &end, const Number &step, Where where) {
  bool isFloat = start.dtype == float32 || end.dtype == float32 || step.dtype == float32;
  return arange(start.value, end.value, step.value, isFloat ? float32 : int64, where);
}
Tensor arange(const Number &end, Where where) { return arange(0, end, 1, where); }
Tensor arange(double end, DType dtype, Where where) { return arange(0, end, 1, dtype, where); }

/// Counted from both ends, as PyTorch does, so that the last number is exact.
Tensor linspace(double start, double end, int64_t steps, DType dtype, Where where) {
  if (steps < 0)
    fail("linspace: expected a number of steps, got " + std::to_string(steps), where);
  double step = steps > 1 ? (end - start) / double(steps - 1) : 0;
  return constant({steps}, dtype, where, [&](int64_t count) {
    std::vector<double> numbers(count);
    for (int64_t i = 0; i < count; ++i)
      numbers[i] =
          i < count / 2 || count == 1 ? start + step * double(i) : end - step * double(count - 1 - i);
    return numbers;
  });
}

Tensor eye(int64_t size, DType dtype, Where where) {
  if (size < 0)
    fail("eye: expected a size, got " + std::to_string(size), where);
  return constant({size, size}, dtype, where, [&](int64_t count) {
    std::vector<double> numbers(count, 0);
    for (int64_t i = 0; i < size; ++i)
      numbers[i * size + i] = 1;
    return numbers;
  });
}

Tensor from_data(const std::vector<double> &elements, const Shape &shape, DType dtype, Where where) {
  At at(where);
  std::vector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.value());
  return constant(elements, sizes, dtype, where);
}

Tensor detail::copied(const void *elements, const Shape &shape, DType dtype, const Where &where) {
  At at(where);
  record::Elements copy{{}, dtype, {}};
  int64_t count = 1;
  bool isTooLarge = false;
  for (const Dim &dim : shape) {
    copy.shape.push_back(dim.value());
    if (dim.factor < 0)
      fail("from_blob: expected sizes of at least 0, got " + str(shape), where);
    isTooLarge |= __builtin_mul_overflow(count, dim.factor, &count);
  }
  if (isTooLarge || count > largestTensor)
    fail("from_blob: a tensor of shape " + str(shape) + " is too large", where);
  if (!elements && count > 0)
    fail("from_blob: the elements of shape " + str(shape) + " are NULL", where);
  const char *bytes = static_cast<const char *>(elements);
  copy.bytes.assign(bytes, bytes + count * bytesOf(dtype));
  return Tensor::of(unwrap(Recorder::get().constant(copy, placeOf(where)), where));
}

Nested::Nested(const Number &number) : elements{number.value}, dtype(number.dtype) {}
Nested::Nested(DType dtype) : shape{0}, dtype(dtype) {}

Nested::Nested(std::initializer_list<Nested> parts) : Nested(DType::Float32) {
  for (const Nested &part : parts)
    add(part);
}

/// The first part says what shape all have.
void Nested::add(const Nested &part) {
  const std::vector<int64_t> ofParts(shape.begin() + 1, shape.end());
  if (shape[0] == 0) {
    shape.insert(shape.end(), part.shape.begin(), part.shape.end());
    dtype = part.dtype;
  } else if (part.shape != ofParts && error.empty()) {
    auto textOf = [](const std::vector<int64_t> &sizes) {
      return sizes.empty() ? std::string("a number")
                           : "one of shape " + str(Shape(sizes.begin(), sizes.end()));
    };
    error = "tensor: expected parts of one shape, got " + textOf(ofParts) + " and " + textOf(part.shape);
  }
  if (error.empty())
    error = part.error;
  ++shape[0];
  elements.insert(elements.end(), part.elements.begin(), part.elements.end());
  if (part.dtype != dtype) // truth values are integers, integers are numbers
    dtype = dtype == float32 || part.dtype == float32 ? float32 : int64;
}

Tensor tensor(const Nested &numbers, DType dtype, Where where) {
  if (!numbers.error.empty())
    fail(numbers.error, where);
  return constant(numbers.elements, numbers.shape, dtype, where);
}
Tensor tensor(const Nested &numbers, Where where) { return tensor(numbers, numbers.dtype, where); }

Tensor einsum(std::string_view equation, const std::vector<Tensor> &operands, Where where) {
  std::vector<record::Id> ids;
  for (const Tensor &operand : operands) {
    if (!operand.defined())
      fail("einsum: a tensor without a value was given", where);
    ids.push_back(operand.id());
  }
  if (ids.empty())
    fail("einsum: expected at least one tensor", where);
  const record::Id result =
      unwrap(Recorder::get().einsum(std::string(equation), ids, placeOf(where)), where);
  return unlessNoGrad(Tensor::of(result), where);
}

Tensor outer(const Tensor &a, const Tensor &b, Where where) {
  At at(where);
  if (a.dim() != 1 || b.dim() != 1)
    fail("outer: expected two vectors, got " + describe(a) + " and " + describe(b), where);
  return a.unsqueeze(1) * b.unsqueeze(0);
}

Tensor matmul(const Tensor &a, const Tensor &b, Where where) {
  At at(where);
  // A vector is a row on the left and a column on the right, whose dim of size 1 the result does not have.
  bool isRow = a.dim() == 1, isColumn = b.dim() == 1;
  if (!isRow && !isColumn)
    return apply("nn.matmul", {a, b}, {}, where);
  Tensor product = apply(
      "nn.matmul", {isRow ? a.unsqueeze(0, where) : a, isColumn ? b.unsqueeze(1, where) : b}, {}, where);
  if (isColumn)
    product = product.squeeze(-1, where);
  return isRow ? product.squeeze(isColumn ? -1 : -2, where) : product;
}

Tensor causal_mask(int64_t rows, int64_t columns, Where where) {
  At at(where);
  return arange(columns).unsqueeze(0) <= arange(rows).unsqueeze(1);
}

} // namespace dlc

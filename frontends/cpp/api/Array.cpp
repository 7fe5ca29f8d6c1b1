//===- Array.cpp - numbers that a session reads and gives -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/array.h"
#include "dlc/abi.h"
#include "frontends/cpp/api/DTypes.h"
#include "frontends/cpp/api/Detail.h"
#include <cstring>

namespace dlc {
using namespace detail;

size_t bytes_of(DType dtype) {
  switch (dtype) {
  case DType::Float64:
  case DType::Int64:
    return 8;
  case DType::BFloat16:
  case DType::Float16:
    return 2;
  case DType::Bool:
  case DType::UInt8:
    return 1;
  case DType::Float32:
  case DType::Int32:
    return 4;
  }
  return 0;
}

/// Number of elements; an error where no memory could hold them.
static size_t elementsOf(const std::vector<int64_t> &shape, const Where &where) {
  size_t count = 1;
  for (int64_t size : shape) {
    if (size < 0)
      fail("expected sizes of at least 0, got " + textOf(shape), where);
    if (__builtin_mul_overflow(count, size_t(size), &count) || count > SIZE_MAX / 16)
      fail("an array of shape " + textOf(shape) + " is too large", where);
  }
  return count;
}

static void requireCount(size_t count, const std::vector<int64_t> &shape, const Where &where) {
  if (size_t expected = elementsOf(shape, where); count != expected)
    fail("expected " + std::to_string(expected) + " elements for the shape " + textOf(shape) + ", got " +
             std::to_string(count),
         where);
}

Array::Array(DType dtype, std::vector<int64_t> shape, Where where) : type(dtype), sizes(std::move(shape)) {
  const size_t bytes = elementsOf(sizes, where) * bytes_of(dtype);
  try {
    content.resize(bytes);
  } catch (const std::exception &) { // std::bad_alloc, std::length_error
    fail("no memory for the " + std::to_string(bytes) + " bytes of an array of shape " + textOf(sizes),
         where);
  }
}

std::vector<int64_t> Array::shape() && { return std::move(sizes); }
size_t Array::size() const { return content.size() / bytes_of(type); }
std::span<const std::byte> Array::bytes() const & { return content; }
std::span<std::byte> Array::bytes() & { return content; }

void Array::copy(const void *elements, size_t count, const Where &where) {
  requireCount(count, sizes, where);
  if (count)
    std::memcpy(content.data(), elements, content.size());
}

void Array::require(DType wanted, const Where &where) const {
  if (wanted != type)
    fail(std::string("the array is ") + name_of(type) + " " + textOf(sizes) + ", not " + name_of(wanted),
         where);
}

View::View(const Array &array)
    : elements(array.bytes().data()), type(array.dtype()), sizes(array.shape()) {}

View::View(const void *elements, size_t count, DType dtype, std::vector<int64_t> shape, Where where)
    : elements(elements), type(dtype), sizes(std::move(shape)) {
  requireCount(count, sizes, where);
}

View::View(const void *elements, int dtype, std::vector<int64_t> shape, Where where)
    : elements(elements), type(DType::Float32), sizes(std::move(shape)) {
  if (dtype < DLC_F32 || dtype > DLC_U8)
    detail::fail("a view: " + std::to_string(dtype) + " is no dlc_dtype", where);
  type = detail::dtypeOf(dtype);
}

std::vector<int64_t> View::shape() && { return std::move(sizes); }

size_t View::bytes() const {
  size_t count = bytes_of(type);
  for (int64_t size : sizes)
    count *= size_t(size);
  return count;
}

StateDict load_tensors(const std::string &path, Where where) {
  StateDict tensors;
  auto visit = [](void *context, const char *name, const dlc_array *tensor) -> dlc_status {
    const View view(tensor->data, tensor->bytes / bytes_of(dtypeOf(tensor->dtype)), dtypeOf(tensor->dtype),
                    {tensor->shape, tensor->shape + tensor->rank});
    static_cast<StateDict *>(context)->emplace_back(name, arrayOf(view));
    return DLC_OK;
  };
  char error[1024];
  if (dlc_visit_tensors(path.c_str(), visit, &tensors, error, sizeof error) != DLC_OK)
    fail(error, where);
  return tensors;
}

namespace detail {

DType dtypeOf(int64_t runtime) {
  constexpr DType dtypes[] = {DType::Float32, DType::Float64,  DType::Int32,   DType::Int64,
                              DType::Bool,    DType::BFloat16, DType::Float16, DType::UInt8};
  static_assert(DLC_F32 == 1 && DLC_F64 == 2 && DLC_I32 == 3 && DLC_I64 == 4 && DLC_BOOL == 5 &&
                DLC_BF16 == 6 && DLC_F16 == 7 && DLC_U8 == 8);
  return dtypes[runtime - DLC_F32];
}

std::string textOf(const std::vector<int64_t> &shape) { return str(Shape(shape.begin(), shape.end())); }

Array arrayOf(const View &view) {
  Array array(view.dtype(), view.shape());
  if (view.bytes())
    std::memcpy(array.bytes().data(), view.data(), view.bytes());
  return array;
}

} // namespace detail
} // namespace dlc

//===- Types.cpp - dtypes and sizes ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/types.h"
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Dims.h"
#include <algorithm>
#include <ostream>

namespace dlc {

const char *name_of(DType dtype) {
  static const char *const names[] = {"float32", "float64", "bfloat16", "float16",
                                      "int64",   "int32",   "bool",     "uint8"};
  return names[int(dtype)];
}

Dim::Dim(int64_t size) : factor(size) {}
Dim::Dim(std::string_view name, int64_t bound) { names.emplace_back(name, bound); }

bool Dim::is_static() const { return names.empty(); }
bool operator==(const Dim &a, const Dim &b) { return a.factor == b.factor && a.names == b.names; }

int64_t Dim::value() const {
  if (!is_static())
    detail::fail("the size of the dim '" + str() + "' is known only when the compiled model runs", Where());
  return factor;
}

std::string Dim::str() const {
  if (is_static())
    return std::to_string(factor);
  std::string text = factor == 1 ? "" : std::to_string(factor) + "*";
  for (size_t i = 0; i < names.size(); ++i)
    text += (i ? "*" : "") + names[i].first;
  return text;
}

Dim operator*(const Dim &a, const Dim &b) {
  Dim product(a.factor * b.factor);
  product.names = a.names;
  product.names.insert(product.names.end(), b.names.begin(), b.names.end());
  std::sort(product.names.begin(), product.names.end());
  return product;
}

std::optional<Dim> detail::quotient(const Dim &a, const Dim &b) {
  Dim quotient(b.factor ? a.factor / b.factor : 0);
  quotient.names = a.names;
  bool divides = b.factor != 0 && a.factor % b.factor == 0;
  for (const auto &name : b.names) {
    auto found = std::find(quotient.names.begin(), quotient.names.end(), name);
    divides &= found != quotient.names.end();
    if (divides)
      quotient.names.erase(found);
  }
  return divides ? std::optional(quotient) : std::nullopt;
}

Dim operator/(const Dim &a, const Dim &b) {
  std::optional<Dim> parts = detail::quotient(a, b);
  if (!parts)
    detail::fail("a dim of size " + a.str() + " has no parts of size " + b.str(), Where());
  return *parts;
}

Shape::Shape() = default;
Shape::Shape(std::initializer_list<Dim> sizes) : std::vector<Dim>(sizes) {}
Shape::Shape(size_t count, const Dim &size) : std::vector<Dim>(count, size) {}
Shape::Shape(std::vector<Dim> sizes) : std::vector<Dim>(std::move(sizes)) {}

std::string str(const Shape &shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.size(); ++i)
    text += (i ? ", " : "") + shape[i].str();
  return text + "]";
}

std::ostream &operator<<(std::ostream &out, DType dtype) { return out << name_of(dtype); }
std::ostream &operator<<(std::ostream &out, const Dim &dim) { return out << dim.str(); }
std::ostream &operator<<(std::ostream &out, const Shape &shape) { return out << str(shape); }

} // namespace dlc

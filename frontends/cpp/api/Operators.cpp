//===- Operators.cpp - operators of tensors and numbers ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"

namespace dlc {
using namespace detail;

/// The tensor itself, or the number with the dtype of the other operand.
static Tensor materialize(const Operand &x, const Operand &other) {
  if ((x.isNumber ? other : x).tensor.id() == 0)
    fail("a tensor without a value was given", x.where);
  if (!x.isNumber)
    return x.tensor;
  DType dtype = other.tensor.dtype();
  if (!x.isInteger && !is_floating_point(dtype))
    fail("a number with a decimal point meets a tensor of " + std::string(name_of(dtype)) +
             "; convert the tensor with to(dlc::float32), or leave the point out",
         x.where);
  return scalar(x.number, dtype, x.where);
}

static Tensor binary(const char *operation, const Operand &a, const Operand &b,
                     const record::Attributes &attributes = {}) {
  Tensor left = materialize(a, b), right = materialize(b, a);
  if (left.dtype() != right.dtype())
    fail(std::string(operation + 3) + ": expected tensors of one dtype, got " + name_of(left.dtype()) + " " +
             str(left.shape()) + " and " + name_of(right.dtype()) + " " + str(right.shape()) +
             "; convert one with to(dlc::" +
             name_of(is_floating_point(left.dtype()) ? left.dtype() : right.dtype()) + ")",
         a.where);
  return apply(operation, {left, right}, attributes, a.where);
}

Tensor operator+(const Operand &a, const Operand &b) { return binary("nn.add", a, b); }
Tensor operator-(const Operand &a, const Operand &b) { return binary("nn.sub", a, b); }
Tensor operator*(const Operand &a, const Operand &b) { return binary("nn.mul", a, b); }

Tensor operator/(const Operand &a, const Operand &b) {
  DType dtype = materialize(a.isNumber ? b : a, a).dtype();
  if (!is_floating_point(dtype))
    fail(std::string("division of ") + name_of(dtype) + "; convert the tensor with to(dlc::float32)",
         a.where);
  return binary("nn.div", a, b);
}

Tensor &operator+=(Tensor &a, const Operand &b) { return a = a + b; }
Tensor &operator-=(Tensor &a, const Operand &b) { return a = a - b; }
Tensor &operator*=(Tensor &a, const Operand &b) { return a = a * b; }
Tensor &operator/=(Tensor &a, const Operand &b) { return a = a / b; }

Tensor operator-(const Operand &x) { return x.tensor.neg(x.where); }

static Tensor compare(const char *predicate, const Operand &a, const Operand &b) {
  return binary("nn.compare", a, b,
                {{"predicate", record::Spelled{std::string("#nn<comparison ") + predicate + ">"}}});
}
Tensor operator==(const Operand &a, const Operand &b) { return compare("eq", a, b); }
Tensor operator!=(const Operand &a, const Operand &b) { return compare("ne", a, b); }
Tensor operator<(const Operand &a, const Operand &b) { return compare("lt", a, b); }
Tensor operator<=(const Operand &a, const Operand &b) { return compare("le", a, b); }
Tensor operator>(const Operand &a, const Operand &b) { return compare("gt", a, b); }
Tensor operator>=(const Operand &a, const Operand &b) { return compare("ge", a, b); }

Tensor operator&(const Operand &a, const Operand &b) { return binary("nn.logical_and", a, b); }
Tensor operator|(const Operand &a, const Operand &b) { return binary("nn.logical_or", a, b); }
Tensor operator^(const Operand &a, const Operand &b) { return binary("nn.logical_xor", a, b); }
Tensor operator!(const Operand &x) {
  return apply("nn.logical_not", {x.tensor}, {}, x.where, {{x.tensor.shape(), x.tensor.dtype()}});
}

Tensor maximum(const Operand &a, const Operand &b) { return binary("nn.max", a, b); }
Tensor minimum(const Operand &a, const Operand &b) { return binary("nn.min", a, b); }
Tensor pow(const Operand &base, const Operand &exponent) { return binary("nn.pow", base, exponent); }

Tensor where(const Tensor &condition, const Operand &a, const Operand &b) {
  DType numbers = a.isInteger && b.isInteger ? int64 : float32; // where neither is a tensor
  bool noTensor = a.isNumber && b.isNumber;
  Tensor chosen = noTensor ? scalar(a.number, numbers, a.where) : materialize(a, b),
         other = noTensor ? scalar(b.number, numbers, b.where) : materialize(b, a);
  return apply("nn.select", {condition, chosen, other}, {}, a.where);
}

} // namespace dlc

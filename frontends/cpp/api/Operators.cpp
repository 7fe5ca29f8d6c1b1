//===- Operators.cpp - operators of tensors and numbers ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include <algorithm>

namespace dlc {
using namespace detail;

/// 0 for truth values, 1 for integers, 2 for floating-point numbers.
static int kindOf(DType dtype) { return is_floating_point(dtype) ? 2 : dtype == boolean ? 0 : 1; }
static int kindOf(const Operand &x) {
  return !x.isNumber ? kindOf(x.tensor.dtype(x.where)) : x.isBool ? 0 : x.isInteger ? 1 : 2;
}
/// What a number of such a kind is where nothing else says it.
static DType usualOf(int kind) { return kind == 0 ? boolean : kind == 1 ? int64 : float32; }

/// The larger of two dtypes of one kind.
static DType largerOf(DType a, DType b) {
  if (a == b)
    return a;
  if (a == uint8 || b == uint8) // every other one of integers holds bytes
    return a == uint8 ? b : a;
  if (!is_floating_point(a))
    return int64;
  return a == float64 || b == float64 ? float64 : float32; // bfloat16 and float16 have no other one in common
}

/// Whether it is a tensor of some dims, whose dtype counts before that of others of its kind.
static bool hasDims(const Operand &x) { return !x.isNumber && x.tensor.dim(x.where) > 0; }

/// PyTorch's torch.result_type.
static DType commonOf(const Operand &a, const Operand &b) {
  const int kind = std::max(kindOf(a), kindOf(b));
  auto isOfKind = [&](const Operand &x) { return !x.isNumber && kindOf(x) == kind; };
  if (isOfKind(a) && isOfKind(b) && hasDims(a) == hasDims(b))
    return largerOf(a.tensor.dtype(), b.tensor.dtype());
  for (const Operand *x : {&a, &b}) // tensors of some dims come first
    if (isOfKind(*x) && hasDims(*x))
      return x->tensor.dtype();
  for (const Operand *x : {&a, &b})
    if (isOfKind(*x))
      return x->tensor.dtype();
  return usualOf(kind);
}

static void requireValue(const Operand &x) {
  if (!x.isNumber && !x.tensor.defined())
    fail("a tensor without a value was given", x.where);
}

static Tensor as(DType dtype, const Operand &x) {
  return x.isNumber ? scalar(x.number, dtype, x.where) : x.tensor.to(dtype, x.where);
}

static Tensor binary(const char *operation, const Operand &a, const Operand &b,
                     const record::Attributes &attributes = {}) {
  requireValue(a);
  requireValue(b);
  DType dtype = commonOf(a, b);
  Tensor left = as(dtype, a), right = as(dtype, b);
  return apply(operation, {left, right}, attributes, a.where);
}

/// An operation of two numbers. Programs compute nothing in bytes: int32 modulo 256 is what bytes are in
/// PyTorch.
static Tensor ofNumbers(const char *operation, const Operand &a, const Operand &b) {
  requireValue(a);
  requireValue(b);
  if (commonOf(a, b) != uint8)
    return binary(operation, a, b);
  Tensor left = as(int32, a), right = as(int32, b);
  return apply(operation, {left, right}, {}, a.where).to(uint8, a.where);
}

/// An operation of two numbers, or of two truth values by `logical`, if there is one, as PyTorch has it.
static Tensor arithmetic(const char *operation, const char *logical, const Operand &a, const Operand &b) {
  requireValue(a);
  requireValue(b);
  if (commonOf(a, b) != boolean)
    return ofNumbers(operation, a, b);
  if (!logical)
    fail(std::string(operation + 3) +
             ": expected numbers, got two truth values; convert them with to(dlc::int64)",
         a.where);
  return binary(logical, a, b);
}

Tensor operator+(const Operand &a, const Operand &b) { return arithmetic("nn.add", "nn.logical_or", a, b); }
Tensor operator-(const Operand &a, const Operand &b) { return arithmetic("nn.sub", nullptr, a, b); }
Tensor operator*(const Operand &a, const Operand &b) { return arithmetic("nn.mul", "nn.logical_and", a, b); }

Tensor operator/(const Operand &a, const Operand &b) {
  requireValue(a);
  requireValue(b);
  DType common = commonOf(a, b), dtype = is_floating_point(common) ? common : float32;
  Tensor left = as(dtype, a), right = as(dtype, b);
  return apply("nn.div", {left, right}, {}, a.where);
}

/// The remainder of whole numbers, which has the sign of y. Their quotient is rounded towards zero, so that
/// `rest` may have the sign of x.
static Tensor wholeRemainder(const Operand &x, const Operand &y, DType dtype) {
  Tensor a = as(dtype, x), b = as(dtype, y);
  Tensor rest = a - apply("nn.div", {a, b}, {}, x.where) * b;
  return dlc::where(dlc::where(b < 0, rest > 0, rest < 0), rest + b, rest);
}

Tensor remainder(const Operand &x, const Operand &y) {
  At at(x.where);
  requireValue(x);
  requireValue(y);
  DType dtype = commonOf(x, y);
  if (dtype == boolean)
    fail("remainder: expected numbers, got two truth values; convert them with to(dlc::int64)", x.where);
  if (dtype == uint8)
    return wholeRemainder(x, y, int32).to(uint8);
  return is_floating_point(dtype) ? x - floor(x / y) * y : wholeRemainder(x, y, dtype);
}

Operand Operand::of(const Dim &size, const Where &where) {
  At at(where);
  Tensor count = size.is_static() ? scalar(double(size.factor), int64, where) : full({size}, 1, int64).sum();
  return {count, where};
}

/// What a variable that requires gradients is after a step of descent, while a NoGrad lives: it still does,
/// and depends on nothing.
static Tensor stepped(const Tensor &before, const Tensor &after, const Where &where) {
  auto &recorder = record::Recorder::get();
  auto known = recorder.valueOf(after.id());
  Tensor result = after;
  if (known.value && recorder.inputUnder(after.id()).empty())
    result = Tensor::of(unwrap(recorder.constant(*known.value, placeOf(where)), where));
  result.requires_grad_(true, where);
  moveGradient(before.id(), result.id());
  return result;
}

/// What a variable holds after `a += b`, which has the variable's dtype, as PyTorch requires it.
static Tensor &assign(Tensor &a, const Tensor &result, const char *sign, const Operand &b) {
  if (result.dtype() != a.dtype())
    fail("'" + std::string(sign) + "' gives " + name_of(result.dtype()) + ", which a variable of " +
             name_of(a.dtype()) + " cannot take; write x = x " + sign[0] + " y",
         b.where);
  if (record::Recorder::get().isParameter(a.id()) && a.requires_grad())
    fail("'" + std::string(sign) +
             "' would not change the parameter, but have this variable stand for another "
             "tensor; a session trains parameters, and dlc::nn::init and load_state_dict() give them other "
             "values",
         b.where);
  const bool isStep = isNoGrad() && record::Recorder::get().isLeaf(a.id());
  return a = isStep ? stepped(a, result, b.where) : result;
}
Tensor &operator+=(Tensor &a, const Operand &b) { return assign(a, Operand(a, b.where) + b, "+=", b); }
Tensor &operator-=(Tensor &a, const Operand &b) { return assign(a, Operand(a, b.where) - b, "-=", b); }
Tensor &operator*=(Tensor &a, const Operand &b) { return assign(a, Operand(a, b.where) * b, "*=", b); }
Tensor &operator/=(Tensor &a, const Operand &b) { return assign(a, Operand(a, b.where) / b, "/=", b); }

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
/// The operator has no place for a line: it is that of what is negated.
Tensor operator!(const Tensor &x) {
  if (!x.defined())
    fail("a tensor without a value was given", Where());
  auto &recorder = record::Recorder::get();
  record::Place place = placeOf(Where());
  if (place.line == 0) {
    place = recorder.placeOf(x.id());
    place.module = currentModule();
  }
  auto results = recorder.apply("nn.logical_not", {x.id()}, {}, place, {{x.shape(), x.dtype()}});
  if (!results.value)
    failAt(x, results.error);
  return Tensor::of(results.value->front());
}

Tensor maximum(const Operand &a, const Operand &b) { return ofNumbers("nn.max", a, b); }
Tensor minimum(const Operand &a, const Operand &b) { return ofNumbers("nn.min", a, b); }
Tensor pow(const Operand &base, const Operand &exponent) {
  return arithmetic("nn.pow", nullptr, base, exponent);
}

Tensor where(const Tensor &condition, const Operand &a, const Operand &b) {
  requireValue(a);
  requireValue(b);
  DType dtype = commonOf(a, b);
  Tensor chosen = as(dtype, a), other = as(dtype, b);
  return apply("nn.select", {condition, chosen, other}, {}, a.where);
}

} // namespace dlc

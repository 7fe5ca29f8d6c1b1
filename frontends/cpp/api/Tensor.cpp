//===- Tensor.cpp - types, elements, one-element functions -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include <cmath>

namespace dlc {
using namespace detail;

Tensor Tensor::of(uint32_t id) {
  Tensor tensor;
  tensor.handle = id;
  return tensor;
}

DType Tensor::dtype(Where where) const {
  if (!defined())
    fail("a tensor without a value has no dtype", where);
  return record::Recorder::get().typeOf(handle).dtype;
}

Shape Tensor::shape(Where where) const {
  if (!defined())
    fail("a tensor without a value has no shape", where);
  return record::Recorder::get().typeOf(handle).shape;
}

int64_t Tensor::dim(Where where) const { return int64_t(shape(where).size()); }

Dim Tensor::size(int64_t dim, Where where) const {
  At at(where);
  Shape all = shape();
  return all[frontDim(dim, all.size(), where)];
}

Dim Tensor::numel(Where where) const {
  Dim count(1);
  for (const Dim &dim : shape(where))
    count = count * dim;
  return count;
}

std::vector<double> Tensor::values(Where where) const {
  if (!defined())
    fail("a tensor without a value has no elements", where);
  std::vector<double> numbers = unpack(unwrap(record::Recorder::get().valueOf(handle), where));
  if (std::string input = record::Recorder::get().inputUnder(handle); !input.empty())
    warn("the numbers depend on input '" + input +
             "', and are those of its example: what C++ does with them, such as "
             "the way that an if takes, is the same for all inputs of the compiled model; print the tensor "
             "itself to "
             "look at it",
         where);
  if (record::Recorder::get().isDropped(handle))
    warn("the numbers are those of one draw of a dropout: each training step draws others, and evaluation "
         "leaves it out; eval() shows the module so",
         where);
  return numbers;
}

double Tensor::item(Where where) const {
  std::vector<double> all = values(where);
  if (all.size() != 1)
    fail("item: expected a tensor of one element, got " + str(shape()), where);
  return all[0];
}

Tensor::operator bool() const {
  auto &recorder = record::Recorder::get();
  if (!defined())
    fail("a tensor without a value is no condition; defined() says whether it has one", Where());
  if (auto known = recorder.valueOf(handle); !known.value)
    failAt(
        *this,
        "if, &&, || and ! ask for the value of a tensor while the model is described, but " + known.error +
            "; where(condition, a, b) decides in each call, by_mode(a, b) between training and evaluation");
  else if (countOf(known.value->shape) != 1)
    failAt(*this, "expected one truth value as a condition, got " + describe(*this) +
                      "; any() or all() of them is one");
  else if (std::string input = recorder.inputUnder(handle); !input.empty())
    warnAt(*this,
           "the condition depends on input '" + input +
               "', and is that of its example: the way that is taken is the same for all inputs of the "
               "compiled model; where(condition, a, b) decides in each call");
  return unpack(*recorder.valueOf(handle).value)[0] != 0;
}

Tensor Tensor::to(DType dtype, Where where) const {
  At at(where);
  return dtype == this->dtype() ? *this : apply("nn.cast", {*this}, {{"to", dtype}}, where);
}

#define DLC_UNARY(name)                                                                                      \
  Tensor Tensor::name(Where where) const {                                                                   \
    At at(where);                                                                                            \
    return apply("nn." #name, {*this}, {}, where, {{shape(), dtype()}});                                     \
  }
#include "dlc/unary.inc"

Tensor Tensor::pow(const Number &exponent, Where where) const {
  Operand number(exponent.value, where);
  number.isInteger = exponent.dtype != float32;
  number.isBool = exponent.dtype == boolean;
  return dlc::pow(Operand(*this, where), number);
}

Tensor Tensor::clamp(double low, double high, Where where) const {
  At at(where);
  return apply("nn.clip", {*this}, {{"low", low}, {"high", high}}, where, {{shape(), dtype()}});
}

Tensor Tensor::clamp(const Tensor &low, const Tensor &high, Where where) const {
  At at(where);
  Tensor raised = dlc::where(*this < low, low, *this);
  return dlc::where(raised > high, high, raised);
}

Tensor Tensor::clamp_min(double low, Where where) const { return clamp(low, INFINITY, where); }
Tensor Tensor::clamp_max(double high, Where where) const { return clamp(-INFINITY, high, where); }

Tensor Tensor::softmax(int64_t dim, Where where) const {
  At at(where);
  return apply("nn.softmax", {*this}, {{"axis", frontDim(dim, this->dim(), where)}}, where);
}

Tensor Tensor::log_softmax(int64_t dim, Where where) const {
  At at(where);
  return apply("nn.log_softmax", {*this}, {{"axis", frontDim(dim, this->dim(), where)}}, where);
}

Tensor Tensor::matmul(const Tensor &other, Where where) const { return dlc::matmul(*this, other, where); }

Tensor Tensor::bmm(const Tensor &other, Where where) const {
  At at(where);
  if (dim() != 3 || other.dim() != 3)
    fail("bmm: expected tensors of three dims, got " + str(shape()) + " and " + str(other.shape()), where);
  return apply("nn.matmul", {*this, other}, {}, where);
}

} // namespace dlc

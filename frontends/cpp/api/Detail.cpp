//===- Detail.cpp - what the public functions share ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/Text.h"
#include <cstdio>
#include <cstring>
#include <iostream>
#include <set>

namespace dlc {

Error::Error(const std::string &message, const std::string &file, unsigned line, unsigned column,
             const std::string &module)
    : std::runtime_error(
          (line ? file + ":" + std::to_string(line) + ":" + std::to_string(column) + ": " : std::string()) +
          "error: " + (module.empty() ? "" : "at '" + module + "': ") + message),
      text(message), path(module), source(file), row(line) {}
Error::Error(const std::string &message, const Where &where, const std::string &module)
    : Error(message, where.file_name(), where.line(), where.column(), module) {}
Error::~Error() = default;

namespace detail {

static std::optional<Where> outermost;

At::At(const Where &where) : isOutermost(!outermost) {
  if (isOutermost)
    outermost = where;
}
At::~At() {
  if (isOutermost)
    outermost.reset();
}

Where effective(const Where &where) { return outermost.value_or(where); }

record::Place placeOf(const Where &where) {
  Where place = effective(where);
  return {place.file_name(), place.line(), place.column(), currentModule()};
}

void fail(const std::string &message, const Where &where) {
  throw Error(message, effective(where), currentModule());
}

/// A line on standard error, once for each place; `kind` is "warning" or "note".
static void say(const char *kind, const std::string &message, const record::Place &place) {
  static std::set<std::string> warned;
  std::string line = place.file + ":" + std::to_string(place.line);
  if (!warned.insert(line + message).second)
    return;
  std::cout.flush(); // what the description has printed comes before, in whole lines
  std::fprintf(stderr, "%s:%u: %s: %s%s\n", line.c_str(), place.column, kind,
               (place.module.empty() ? "" : "at '" + place.module + "': ").c_str(), message.c_str());
}

void warn(const std::string &message, const Where &where) { say("warning", message, placeOf(where)); }
void note(const std::string &message, const Where &where) { say("note", message, placeOf(where)); }

void warnAt(const Tensor &tensor, const std::string &message) {
  record::Place place = record::Recorder::get().placeOf(tensor.id());
  place.module = currentModule();
  say("warning", message, place);
}

std::string describe(const Tensor &tensor) {
  return tensor.defined() ? std::string(name_of(tensor.dtype())) + " " + str(tensor.shape())
                          : "a tensor without a value";
}

std::vector<Tensor> tensorsOf(std::initializer_list<const Tensor *> arguments) {
  std::vector<Tensor> tensors;
  for (const Tensor *argument : arguments)
    if (argument)
      tensors.push_back(*argument);
  return tensors;
}

std::vector<Tensor> applyAll(const char *operation, const std::vector<Tensor> &operands,
                             const record::Attributes &attributes, const Where &where,
                             const std::vector<record::Type> &types) {
  std::vector<record::Id> ids;
  for (const Tensor &operand : operands) {
    if (!operand.defined())
      fail(std::string(std::strchr(operation, '.') + 1) + ": a tensor without a value was given", where);
    ids.push_back(operand.id());
  }
  std::vector<Tensor> results;
  for (record::Id id :
       unwrap(record::Recorder::get().apply(operation, ids, attributes, placeOf(where), types), where))
    results.push_back(unlessNoGrad(Tensor::of(id), where));
  return results;
}

Tensor apply(const char *operation, const std::vector<Tensor> &operands, const record::Attributes &attributes,
             const Where &where, const std::vector<record::Type> &types) {
  return applyAll(operation, operands, attributes, where, types).front();
}

int64_t frontDim(int64_t dim, int64_t rank, const Where &where) {
  int64_t front = dim < 0 ? dim + rank : dim;
  if (front < 0 || front >= rank)
    fail("expected a dim from " + std::to_string(-rank) + " to " + std::to_string(rank - 1) + ", got " +
             std::to_string(dim),
         where);
  return front;
}

/// Integers have no NaN, and not all sizes.
static void requireInRange(const std::vector<double> &numbers, DType dtype, const Where &where) {
  if (is_floating_point(dtype) || dtype == boolean)
    return;
  const double limit = dtype == int64   ? 0x1p63
                       : dtype == int32 ? 0x1p31
                                        : 256,
               low = dtype == uint8 ? 0 : -limit;
  for (double number : numbers)
    if (!(number >= low && number < limit))
      fail(std::string("expected numbers that ") + name_of(dtype) + " has, got " + pythonNumber(number),
           where);
}

Tensor scalar(double number, DType dtype, const Where &where) {
  requireInRange({number}, dtype, where);
  return Tensor::of(
      unwrap(record::Recorder::get().constant(pack({number}, {}, dtype), placeOf(where)), where));
}

Tensor constant(const std::vector<double> &elements, const std::vector<int64_t> &shape, DType dtype,
                const Where &where) {
  if (int64_t(elements.size()) != countOf(shape))
    fail("expected " + std::to_string(countOf(shape)) + " elements for the shape " +
             str(Shape(shape.begin(), shape.end())) + ", got " + std::to_string(elements.size()),
         where);
  requireInRange(elements, dtype, where);
  return Tensor::of(
      unwrap(record::Recorder::get().constant(pack(elements, shape, dtype), placeOf(where)), where));
}

Tensor constant(const std::vector<int64_t> &shape, DType dtype, const Where &where,
                const std::function<std::vector<double>(int64_t)> &numbers) {
  const std::string text = str(Shape(shape.begin(), shape.end()));
  int64_t count = 1;
  bool isTooLarge = false;
  for (int64_t size : shape) {
    if (size < 0)
      fail("expected sizes of at least 0, got " + text, where);
    isTooLarge |= __builtin_mul_overflow(count, size, &count);
  }
  if (isTooLarge || count > largestTensor)
    fail("a tensor of shape " + text + " is too large", where);
  try {
    return constant(numbers(count), shape, dtype, where);
  } catch (const std::bad_alloc &) {
    fail("no memory for the elements of a tensor of shape " + text, where);
  }
}

} // namespace detail
} // namespace dlc

//===- Sequence.cpp - ONNX operators of the family Shape: split to a sequence and read back
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's exporter writes split and chunk as a sequence of parts and reads each part at a known position.
// Such a sequence is gone after the import: each part is a slice. Nothing else may read a sequence.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// More parts than a model has use for.
constexpr int64_t maxParts = 4096;

/// The parts' sizes: given as a list, or one for all, of which the last part may have less; default 1.
static std::optional<SmallVector<int64_t>> partSizes(Node &node, int64_t size) {
  SmallVector<int64_t> given{1};
  bool isList = false;
  if (node.has(1)) {
    isList = node.rank(1) > 0;
    std::optional<SmallVector<int64_t>> known = node.integers(1, "the sizes of the parts");
    if (!known)
      return std::nullopt;
    given = *known;
  }
  if (!isList) {
    int64_t each = given.empty() ? 0 : given.front();
    if (each < 1 || (size + each - 1) / each > maxParts) {
      node.error("cannot split " + Twine(size) + " into parts of " + Twine(each));
      return std::nullopt;
    }
    given.clear();
    for (int64_t start = 0; start < size; start += each)
      given.push_back(std::min(each, size - start));
  }
  int64_t total = 0;
  for (int64_t part : given)
    if (part < 0 || (total += part) > size)
      break;
  if (total == size && int64_t(given.size()) <= maxParts &&
      llvm::all_of(given, [](int64_t n) { return n >= 0; }))
    return given;
  node.error("parts do not add up to " + Twine(size));
  return std::nullopt;
}

static void splitToSequence(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis)
    return;
  if (!shape[*axis].isStatic())
    return node.error("axis " + Twine(*axis) + " has the size " + shape[*axis].str() +
                      " and cannot be split");
  std::optional<SmallVector<int64_t>> sizes = partSizes(node, shape[*axis].factor);
  if (!sizes)
    return;
  bool keepsDim = node.has(1) || node.integer("keepdims", 1) != 0;
  std::vector<Value> parts;
  Value x = node.value(0);
  int64_t start = 0;
  for (int64_t size : *sizes) {
    Value part = node.part(x, *axis, start, start + size);
    start += size;
    if (!keepsDim) {
      nn::Shape without = shape;
      without.erase(without.begin() + *axis);
      part = node.reshape(part, without);
    }
    parts.push_back(part);
  }
  node.give(0, std::move(parts));
}

static void sequenceAt(Node &node) {
  ArrayRef<Value> parts = node.parts(0);
  if (parts.empty())
    return node.error("expects a sequence, got the tensor '" + node.inputName(0) + "'");
  std::optional<SmallVector<int64_t>> position = node.integers(1, "the position");
  if (!position)
    return;
  int64_t count = parts.size();
  if (position->size() != 1 || position->front() < -count || position->front() >= count)
    return node.error("the position must be one number in [" + Twine(-count) + ", " + Twine(count) + ")" +
                      (position->size() == 1 ? ", got " + std::to_string(position->front()) : std::string()));
  node.give(0, parts[position->front() + (position->front() < 0 ? count : 0)]);
}

static const Operator sequenceOperators[] = {
    {"SplitToSequence", 11, splitToSequence, 1, 2, "axis keepdims"},
    {"SequenceAt", 11, sequenceAt, 2, 2, ""},
};
ArrayRef<Operator> operatorsOfSequence() { return sequenceOperators; }

} // namespace dlc::onnx

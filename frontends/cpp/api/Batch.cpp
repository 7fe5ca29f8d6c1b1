//===- Batch.cpp - the arrays of a call, compared with what the model takes ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Batch.h"
#include "frontends/cpp/api/DTypes.h"
#include "frontends/cpp/api/Detail.h"
#include <algorithm>

namespace dlc::detail {

/// "float32 [batch, 784]".
static std::string typeOf(const dlc_model &model, const dlc_input &input) {
  std::string text = std::string(name_of(dtypeOf(input.dtype))) + " [";
  for (uint32_t i = 0; i < input.rank; ++i) {
    Dim dim(input.axes ? input.axes[i].factor : input.shape[i]);
    for (uint32_t d = 0; input.axes && d < input.axes[i].dim_count; ++d) {
      const dlc_dim &named = model.dims[input.axes[i].dims[d]];
      dim.names.emplace_back(named.name, named.bound);
    }
    text += (i ? ", " : "") + dim.str();
  }
  return text + "]";
}

static bool hasRows(const dlc_axis *axes, uint32_t rank) {
  return axes && rank && axes[0].dim_count && axes[0].dims[0] == 0;
}

Batch::Batch(const dlc_model &model, const std::vector<View> &arrays, Inputs inputs, Rows rows,
             const Where &where)
    : model(model), sizes(model.dim_count), where(where) {
  size_t next = 0;
  std::string expected;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    bool isLeftOut =
        model.inputs[i].taken_by || (inputs == Inputs::WithoutTargets && model.inputs[i].is_target);
    given.push_back(isLeftOut || next >= arrays.size() ? nullptr : &arrays[next]);
    if (isLeftOut)
      continue;
    expected +=
        (next ? ", '" : "'") + std::string(model.inputs[i].name) + "' " + typeOf(model, model.inputs[i]);
    ++next;
  }
  if (next != arrays.size())
    fail("expected " + std::to_string(next) + " arrays (" + expected + "), got " +
             std::to_string(arrays.size()),
         where);
  canCut = rows == Rows::Any && model.dim_count > 0;
  for (uint32_t i = 0; i < model.input_count; ++i)
    canCut = canCut && (!given[i] || isCutByRows(model.inputs[i].axes, model.inputs[i].rank));
  for (uint32_t i = 0; i < model.output_count; ++i)
    canCut = canCut && (model.outputs[i].role != DLC_OUTPUT_PREDICTION ||
                        (hasRows(model.outputs[i].axes, model.outputs[i].rank) &&
                         isCutByRows(model.outputs[i].axes, model.outputs[i].rank)));
  // First the axes that say a size, then, with all sizes known, products of several.
  for (int pass = 0; pass < 2; ++pass)
    for (uint32_t i = 0; i < model.input_count; ++i)
      if (given[i])
        match(model.inputs[i], *given[i]);
  for (uint32_t d = 0; d < model.dim_count; ++d)
    if (sizes[d] == 0) // no input says it
      sizes[d] = model.dims[d].bound;
}

void Batch::match(const dlc_input &input, const View &array) {
  if (array.dtype() != dtypeOf(input.dtype) || array.shape().size() != input.rank)
    refuse(input, array);
  for (uint32_t i = 0; i < input.rank; ++i) {
    const int64_t size = array.shape()[i];
    int64_t expected = input.axes ? input.axes[i].factor : input.shape[i];
    const uint32_t count = input.axes ? input.axes[i].dim_count : 0;
    if (count == 1 && sizes[input.axes[i].dims[0]] == 0) {
      const uint32_t d = input.axes[i].dims[0];
      const int64_t found = size / expected;
      if (size % expected != 0 || found < 1 || (found > model.dims[d].bound && !(d == 0 && canCut)))
        refuse(input, array);
      sizes[d] = found;
    }
    bool isKnown = true;
    for (uint32_t k = 0; k < count; ++k) {
      isKnown = isKnown && sizes[input.axes[i].dims[k]] != 0;
      expected *= sizes[input.axes[i].dims[k]];
    }
    if (isKnown && size != expected)
      refuse(input, array);
  }
}

/// What was probably meant by a target of another kind.
static std::string hintFor(const dlc_input &input, const View &array) {
  const size_t rank = array.shape().size();
  if (input.is_target && input.is_index && rank == input.rank + 1)
    return "; these are a number for each class: labels are the classes' own numbers, as argmax of one-hot "
           "rows "
           "gives them";
  if (input.is_target && is_floating_point(dtypeOf(input.dtype)) && !is_floating_point(array.dtype()) &&
      rank + 1 == input.rank)
    return "; labels, the numbers of classes, are for a cross entropy";
  return "";
}

/// The size of dim `d` by an array that has all but its bound right; 0 where it is another thing that is
/// wrong.
int64_t Batch::sizeAbove(const dlc_input &input, const View &array, uint32_t d) const {
  if (sizes[d] != 0 || (d == 0 && canCut) || array.dtype() != dtypeOf(input.dtype) ||
      array.shape().size() != input.rank)
    return 0;
  int64_t above = 0;
  for (uint32_t i = 0; i < input.rank; ++i) {
    const int64_t size = array.shape()[i], factor = input.axes[i].factor;
    const uint32_t count = input.axes[i].dim_count;
    if (count == 1 && input.axes[i].dims[0] == d && size % factor == 0 && size / factor > model.dims[d].bound)
      above = size / factor;
    else if (count == 0 && size != factor)
      return 0;
  }
  return above;
}

void Batch::refuse(const dlc_input &input, const View &array) const {
  std::string text = "input '" + std::string(input.name) + "': expected " + typeOf(model, input);
  std::vector<bool> named(model.dim_count);
  for (uint32_t i = 0; input.axes && i < input.rank; ++i)
    for (uint32_t k = 0; k < input.axes[i].dim_count; ++k)
      named[input.axes[i].dims[k]] = true;
  std::string hint = hintFor(input, array);
  for (uint32_t d = 0; d < model.dim_count; ++d)
    if (named[d]) {
      const std::string known = std::to_string(sizes[d]), bound = std::to_string(model.dims[d].bound);
      text += ", " + std::string(model.dims[d].name) + " " +
              (sizes[d]           ? "being " + known + " elsewhere"
               : d == 0 && canCut ? "at least 1"
                                  : "from 1 to " + bound);
      if (const int64_t found = sizeAbove(input, array, d))
        hint += "; raise the bound: Dim(\"" + std::string(model.dims[d].name) + "\", " +
                std::to_string(found) + ")";
    }
  fail(text + "; got " + name_of(array.dtype()) + " " + textOf(array.shape()) + hint, where);
}

bool Batch::isAtBounds() const {
  for (uint32_t d = 0; d < model.dim_count; ++d)
    if (sizes[d] != model.dims[d].bound)
      return false;
  return true;
}

/// Whether the rows are the outermost dim, or there are none.
bool Batch::isCutByRows(const dlc_axis *axes, uint32_t rank) const {
  for (uint32_t i = 0; axes && i < rank; ++i)
    for (uint32_t k = 0; k < axes[i].dim_count; ++k)
      if (axes[i].dims[k] == 0 && (i > 0 || axes[i].dim_count > 1))
        return false;
  return true;
}

std::vector<const void *> Batch::pointers(int64_t first) const {
  std::vector<const void *> result;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    const size_t offset =
        given[i] && first && hasRows(input.axes, input.rank) ? given[i]->bytes() / rows() * first : 0;
    result.push_back(given[i] ? static_cast<const std::byte *>(given[i]->data()) + offset : nullptr);
  }
  return result;
}

std::vector<int64_t> Batch::shapeOf(const dlc_output &output, int64_t rows) const {
  std::vector<int64_t> shape(output.shape, output.shape + output.rank);
  for (uint32_t i = 0; output.axes && i < output.rank; ++i) {
    shape[i] = output.axes[i].factor;
    for (uint32_t k = 0; k < output.axes[i].dim_count; ++k) {
      const uint32_t d = output.axes[i].dims[k];
      shape[i] *= d == 0 ? rows : sizes[d];
    }
  }
  return shape;
}

} // namespace dlc::detail

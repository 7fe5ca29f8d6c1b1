//===- InitializerViews.cpp - tensors of which others have the elements
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/InitializerViews.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/STLExtras.h"
#include <functional>
#include <numeric>

using namespace mlir;

namespace dlc::onnx {

/// More dims are not permuted: there are too many ways.
constexpr size_t maxPermuted = 5;
/// Parts of tables that are larger are not looked for.
constexpr int64_t maxPlaces = 1 << 20;

static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t i = shape.size(); i-- > 1;)
    strides[i - 1] = strides[i] * shape[i];
  return strides;
}

/// Whether element i of `tensor`, counted through `shape`, is the element of `whole` at these strides.
static bool isRead(const HostTensor &tensor, const HostTensor &whole, ArrayRef<int64_t> shape,
                   ArrayRef<int64_t> strides, int64_t start, int64_t &budget) {
  size_t size = tensor.type.getElementTypeBitWidth() / 8;
  SmallVector<int64_t> place(shape.size(), 0);
  int64_t at = start;
  for (int64_t i = 0, count = tensor.count(); i < count; ++i) {
    if (--budget < 0 || std::memcmp(&tensor.data[i * size], &whole.data[at * size], size) != 0)
      return false;
    for (size_t axis = shape.size(); axis-- > 0;) {
      at += strides[axis];
      if (++place[axis] < shape[axis])
        break;
      at -= strides[axis] * shape[axis];
      place[axis] = 0;
    }
  }
  return true;
}

static std::optional<View> findPermutation(const HostTensor &tensor, const HostTensor &whole,
                                           int64_t &budget) {
  ArrayRef<int64_t> shape = tensor.type.getShape(), other = whole.type.getShape();
  SmallVector<int64_t> strides = stridesOf(other), order(other.size());
  std::iota(order.begin(), order.end(), 0);
  if (shape.size() != other.size() || other.size() > maxPermuted)
    return std::nullopt;
  while (std::next_permutation(order.begin(), order.end())) {
    SmallVector<int64_t> permuted, sizes;
    for (int64_t axis : order) {
      permuted.push_back(strides[axis]);
      sizes.push_back(other[axis]);
    }
    if (ArrayRef<int64_t>(sizes) == shape && isRead(tensor, whole, shape, permuted, 0, budget))
      return View{"", order, {}, {}, {shape.begin(), shape.end()}};
  }
  return std::nullopt;
}

/// Where in a tensor of shape `other` a box of these sizes may begin; false behind the last place.
static bool advance(SmallVectorImpl<int64_t> &starts, ArrayRef<int64_t> sizes, ArrayRef<int64_t> other) {
  for (size_t axis = starts.size(); axis-- > 0;) {
    if (++starts[axis] + sizes[axis] <= other[axis])
      return true;
    starts[axis] = 0;
  }
  return false;
}

/// A part of these sizes, anywhere.
static std::optional<View> findBox(const HostTensor &tensor, const HostTensor &whole, ArrayRef<int64_t> sizes,
                                   int64_t &budget) {
  ArrayRef<int64_t> other = whole.type.getShape();
  SmallVector<int64_t> strides = stridesOf(other), starts(other.size(), 0);
  int64_t places = 1;
  for (auto [size, of] : llvm::zip(sizes, other)) {
    if (size > of)
      return std::nullopt;
    places *= of - size + 1; // no more than the elements of `whole`
  }
  if (places > maxPlaces)
    return std::nullopt;
  do {
    int64_t first = 0;
    for (auto [start, stride] : llvm::zip(starts, strides))
      first += start * stride;
    if (!isRead(tensor, whole, sizes, strides, first, budget))
      continue;
    View view;
    for (auto [start, size] : llvm::zip(starts, sizes))
      view.ends.push_back(start + size);
    view.starts = starts;
    view.shape.assign(tensor.type.getShape().begin(), tensor.type.getShape().end());
    return view;
  } while (budget > 0 && advance(starts, sizes, other));
  return std::nullopt;
}

/// A part that has lost some of the axes along which it has one element.
static std::optional<View> findPart(const HostTensor &tensor, const HostTensor &whole, int64_t &budget) {
  ArrayRef<int64_t> shape = tensor.type.getShape(), other = whole.type.getShape();
  if (other.size() > maxPermuted || shape.size() > other.size())
    return std::nullopt;
  for (unsigned kept = 0; kept < 1u << other.size(); ++kept) {
    if (size_t(llvm::popcount(kept)) != shape.size())
      continue;
    SmallVector<int64_t> sizes;
    for (size_t axis = 0, next = 0; axis < other.size(); ++axis)
      sizes.push_back(kept >> axis & 1 ? shape[next++] : 1);
    if (std::optional<View> view = findBox(tensor, whole, sizes, budget))
      return view;
  }
  return std::nullopt;
}

static std::optional<View> findExpansion(const HostTensor &tensor, const HostTensor &whole, int64_t &budget) {
  ArrayRef<int64_t> shape = tensor.type.getShape(), other = whole.type.getShape();
  if (other.size() > shape.size())
    return std::nullopt;
  SmallVector<int64_t> strides(shape.size() - other.size(), 0);
  for (auto [axis, stride] : llvm::enumerate(stridesOf(other))) {
    int64_t size = shape[strides.size()];
    if (other[axis] != size && other[axis] != 1)
      return std::nullopt;
    strides.push_back(other[axis] == size ? stride : 0);
  }
  if (!isRead(tensor, whole, shape, strides, 0, budget))
    return std::nullopt;
  return View{"", {}, {}, {}, {shape.begin(), shape.end()}, /*isExpanded=*/true};
}

/// The first of equal rows, without the dims that repeat it; the tensor itself where its rows differ.
static HostTensor withoutRepeats(const HostTensor &tensor) {
  ArrayRef<int64_t> shape = tensor.type.getShape();
  size_t first = 0, size = tensor.type.getElementTypeBitWidth() / 8, bytes = tensor.data.size();
  // Leading dims go one by one, as long as all that they count is equal.
  while (first + 1 < shape.size() && shape[first] > 0) {
    size_t row = bytes / shape[first];
    if (row < size ||
        !std::equal(tensor.data.begin() + row, tensor.data.begin() + bytes, tensor.data.begin()))
      break;
    bytes = row;
    ++first;
  }
  HostTensor rest;
  rest.type = RankedTensorType::get(shape.drop_front(first), tensor.type.getElementType());
  rest.data = frontend::TensorBytes::copy(ArrayRef<char>(tensor.data).take_front(bytes));
  return rest;
}

/// A part of `whole` that keeps its dims, repeated along new ones: a bias of which a layer of zeros is left.
static std::optional<View> findRepeatedPart(const HostTensor &tensor, const HostTensor &whole,
                                            int64_t &budget) {
  ArrayRef<int64_t> shape = tensor.type.getShape();
  int64_t repeated = int64_t(shape.size()) - whole.type.getRank();
  // A row is as long as the tensor's last dims say: it is copied only where it fits.
  if (repeated <= 0)
    return std::nullopt;
  ArrayRef<int64_t> kept = shape.drop_front(repeated);
  if (std::accumulate(kept.begin(), kept.end(), int64_t(1), std::multiplies<>()) > whole.count())
    return std::nullopt;
  HostTensor row = withoutRepeats(tensor);
  size_t size = row.type.getElementTypeBitWidth() / 8;
  bool isUniform = std::equal(row.data.begin() + size, row.data.end(), row.data.begin());
  if (row.type == tensor.type || isUniform || row.type.getRank() != whole.type.getRank())
    return std::nullopt;
  std::optional<View> view = findBox(row, whole, row.type.getShape(), budget);
  if (view) {
    view->shape.assign(tensor.type.getShape().begin(), tensor.type.getShape().end());
    view->isExpanded = true;
  }
  return view;
}

std::optional<View> findView(const HostTensor &tensor, const HostTensor &whole, int64_t &budget) {
  if (tensor.count() == 0 || tensor.type.getElementType() != whole.type.getElementType() || tensor.splat ||
      whole.splat)
    return std::nullopt;
  if (std::optional<View> repeated = findRepeatedPart(tensor, whole, budget))
    return repeated;
  if (tensor.count() > whole.count())
    return findExpansion(tensor, whole, budget);
  if (tensor.count() < whole.count())
    return findPart(tensor, whole, budget);
  ArrayRef<int64_t> shape = tensor.type.getShape();
  if (tensor.data == whole.data)
    return View{"", {}, {}, {}, {shape.begin(), shape.end()}};
  return findPermutation(tensor, whole, budget);
}

HostTensor View::undo(const HostTensor &result) const {
  HostTensor whole = result;
  ArrayRef<int64_t> sizes = result.type.getShape();
  if (permutation.empty()) {
    whole.type = RankedTensorType::get({result.count()}, result.type.getElementType());
    return whole;
  }
  int64_t rows = sizes[0], columns = sizes[1];
  whole.type = RankedTensorType::get({columns, rows}, result.type.getElementType());
  if (result.splat)
    return whole;
  size_t size = result.type.getElementTypeBitWidth() / 8;
  whole.data = frontend::TensorBytes::allocate(result.data.size());
  char *turned = whole.data.mutableData();
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      std::memcpy(&turned[(column * rows + row) * size], &result.data[(row * columns + column) * size], size);
  return whole;
}

//===-- Nodes --------------------------------------------------------------===//

static ::onnx::AttributeProto &addAttribute(::onnx::NodeProto &node, const char *name,
                                            ::onnx::AttributeProto::AttributeType type) {
  ::onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(type);
  return attribute;
}

static ::onnx::NodeProto &addNode(::onnx::GraphProto &graph, const char *op, const std::string &name) {
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op);
  node.set_name(name);
  node.add_output(name);
  return node;
}

static std::string addIntegers(::onnx::GraphProto &graph, const std::string &name,
                               ArrayRef<int64_t> numbers) {
  ::onnx::NodeProto &node = addNode(graph, "Constant", name);
  ::onnx::TensorProto &tensor = *addAttribute(node, "value", ::onnx::AttributeProto::TENSOR).mutable_t();
  tensor.set_data_type(::onnx::TensorProto::INT64);
  tensor.add_dims(int64_t(numbers.size()));
  for (int64_t number : numbers)
    tensor.add_int64_data(number);
  return name;
}

void View::write(::onnx::GraphProto &graph, const std::string &name) const {
  if (!permutation.empty()) {
    ::onnx::NodeProto &node = addNode(graph, "Transpose", name);
    node.add_input(of);
    ::onnx::AttributeProto &order = addAttribute(node, "perm", ::onnx::AttributeProto::INTS);
    for (int64_t axis : permutation)
      order.add_ints(axis);
    return;
  }
  std::string whole = of;
  if (!starts.empty()) {
    std::string from = addIntegers(graph, name + ".starts", starts),
                to = addIntegers(graph, name + ".ends", ends);
    ::onnx::NodeProto &node = addNode(graph, "Slice", name + ".part");
    for (const std::string &input : {whole, from, to})
      node.add_input(input);
    whole = name + ".part";
  }
  std::string sizes = addIntegers(graph, name + ".shape", shape);
  ::onnx::NodeProto &node = addNode(graph, isExpanded ? "Expand" : "Reshape", name);
  node.add_input(whole);
  node.add_input(sizes);
}

} // namespace dlc::onnx

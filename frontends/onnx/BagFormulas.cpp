//===- BagFormulas.cpp - sums of embeddings without a loop -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/BagFormulas.h"
#include "frontends/onnx/Messages.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <limits>

namespace dlc::onnx {

using llvm::StringRef;
using ::onnx::GraphProto;
using ::onnx::NodeProto;

namespace {

/// Writes nodes into the graph, named after the one that they replace.
class Writer {
public:
  Writer(GraphProto &graph, std::string stem, int64_t opset)
      : graph(graph), stem(std::move(stem)), opset(opset) {}

  std::string node(StringRef op, llvm::ArrayRef<std::string> inputs) {
    NodeProto &made = *graph.add_node();
    std::string output = stem + ".bag" + std::to_string(++count);
    made.set_op_type(op.str());
    made.set_name(output);
    for (const std::string &input : inputs)
      made.add_input(input);
    made.add_output(output);
    return output;
  }
  void set(StringRef name, int64_t value) {
    auto &attribute = *last().add_attribute();
    attribute.set_name(name.str());
    attribute.set_type(::onnx::AttributeProto::INT);
    attribute.set_i(value);
  }
  /// Rank 1 with `isList`.
  std::string integer(int64_t number, bool isList = false) {
    std::string output = node("Constant", {});
    ::onnx::TensorProto &tensor = valueOf(last());
    tensor.set_data_type(::onnx::TensorProto::INT64);
    if (isList)
      tensor.add_dims(1);
    tensor.add_int64_data(number);
    return output;
  }
  /// A number of the type of `like`.
  std::string number(float value, const std::string &like) {
    std::string output = node("Constant", {});
    ::onnx::TensorProto &tensor = valueOf(last());
    tensor.set_data_type(::onnx::TensorProto::FLOAT);
    tensor.add_float_data(value);
    return castLike(output, like);
  }
  std::string castLike(const std::string &x, const std::string &like) {
    return opset >= 15 ? node("CastLike", {x, like}) : cast(x, ::onnx::TensorProto::FLOAT);
  }
  std::string cast(const std::string &x, int64_t type) {
    std::string output = node("Cast", {x});
    set("to", type);
    return output;
  }
  /// An operator whose axes are an input since `since`, before an attribute.
  std::string along(StringRef op, const std::string &x, int64_t axis, int64_t since) {
    if (opset >= since)
      return node(op, {x, integer(axis, /*isList=*/true)});
    std::string output = node(op, {x});
    auto &attribute = *last().add_attribute();
    attribute.set_name("axes");
    attribute.set_type(::onnx::AttributeProto::INTS);
    attribute.add_ints(axis);
    return output;
  }
  std::string unsqueeze(const std::string &x, int64_t axis) { return along("Unsqueeze", x, axis, 13); }
  std::string reduce(StringRef op, const std::string &x, int64_t axis, bool keepdims) {
    std::string output = along(op, x, axis, op == "ReduceSum" ? 13 : 18);
    set("keepdims", keepdims);
    return output;
  }
  std::string sizeOf(const std::string &x, int64_t dim, bool isList) {
    return node("Gather", {node("Shape", {x}), integer(dim, isList)});
  }
  std::string countTo(const std::string &limit) { return node("Range", {integer(0), limit, integer(1)}); }

private:
  NodeProto &last() { return *graph.mutable_node(graph.node_size() - 1); }
  static ::onnx::TensorProto &valueOf(NodeProto &node) {
    auto &attribute = *node.add_attribute();
    attribute.set_name("value");
    attribute.set_type(::onnx::AttributeProto::TENSOR);
    return *attribute.mutable_t();
  }

  GraphProto &graph;
  std::string stem;
  int64_t opset, count = 0;
};

} // namespace

/// Bags of equal lengths; the reshape checks that they are all indices.
static std::string equalBags(Writer &write, const Bags &bags, const std::string &rows,
                             const std::string &length) {
  std::string count = write.node("Shape", {bags.offsets}), features = write.sizeOf(rows, 1, /*isList=*/true);
  std::string each = write.node("Reshape", {length, write.integer(1, /*isList=*/true)});
  std::string shape = write.node("Concat", {count, each, features});
  write.set("axis", 0);
  return write.reduce(bags.mode, write.node("Reshape", {rows, shape}), 1, /*keepdims=*/false);
}

/// An index belongs to the last bag that does not begin behind it. Empty bags give zeros.
static std::string anyBags(Writer &write, const Bags &bags, const std::string &rows) {
  std::string offsets = write.cast(bags.offsets, ::onnx::TensorProto::INT64);
  std::string places = write.countTo(write.sizeOf(rows, 0, /*isList=*/false));
  std::string isLater = write.node("Greater", {write.unsqueeze(offsets, 1), places});
  std::string begun = write.cast(write.node("Not", {isLater}), ::onnx::TensorProto::INT64);
  std::string bag =
      write.node("Sub", {write.reduce("ReduceSum", begun, 0, /*keepdims=*/true), write.integer(1)});
  std::string count = write.sizeOf(offsets, 0, /*isList=*/false);
  if (bags.hasEnd)
    count = write.node("Sub", {count, write.integer(1)});
  std::string isIn = write.node("Equal", {write.unsqueeze(write.countTo(count), 1), bag});
  std::string members = write.castLike(isIn, rows);
  std::string sizes = write.reduce("ReduceSum", members, 1, /*keepdims=*/true);
  if (bags.mode != "ReduceMax") {
    std::string sum = write.node("MatMul", {members, rows});
    if (bags.mode == "ReduceSum")
      return sum;
    return write.node("Div", {sum, write.node("Max", {sizes, write.number(1, rows)})});
  }
  std::string lowest = write.number(-std::numeric_limits<float>::infinity(), rows);
  std::string spread = write.node("Where", {write.unsqueeze(isIn, 2), write.unsqueeze(rows, 0), lowest});
  std::string zero = write.number(0, rows), isEmpty = write.node("Equal", {sizes, zero});
  return write.node("Where", {isEmpty, zero, write.reduce("ReduceMax", spread, 1, /*keepdims=*/false)});
}

std::string addBags(GraphProto &graph, const std::string &stem, int64_t opset, const Bags &bags,
                    const std::string &length) {
  Writer write(graph, stem, opset);
  std::string rows = bags.rows;
  if (rows.empty())
    rows = write.node("Gather", {bags.table, bags.indices});
  if (!bags.weights.empty())
    rows = write.node("Mul", {rows, write.unsqueeze(bags.weights, 1)});
  return length.empty() ? anyBags(write, bags, rows) : equalBags(write, bags, rows, length);
}

} // namespace dlc::onnx

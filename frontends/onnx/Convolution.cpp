//===- Convolution.cpp - what the operators of convolutions share ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Convolution.h"

using namespace mlir;

namespace dlc::onnx {

std::optional<WindowAttributes>
readConvolution(Node &node, std::optional<WindowAttributes> (*read)(Node &, ArrayRef<nn::Dim>,
                                                                    std::optional<SmallVector<int64_t>>)) {
  nn::Shape x = node.shape(0), w = node.shape(1);
  if (x.size() < 3 || x.size() > 5 || x.size() != w.size()) {
    node.error("expects an image and a weight of the same rank, 3, 4 or 5, for one to three spatial dims, "
               "got shapes " +
               nn::str(x) + " and " + nn::str(w));
    return std::nullopt;
  }
  for (const auto &[shape, what, first] : {std::tuple(x, "image", 1), std::tuple(w, "weight", 0)})
    for (unsigned axis = first; axis < shape.size(); ++axis)
      if (!shape[axis].isStatic()) {
        node.error("expects known sizes of all dims but the batch, got " + shape[axis].str() + " for dim " +
                   Twine(axis) + " of the " + what + ": give its size with --dim");
        return std::nullopt;
      }
  for (const auto &[shape, what, first] : {std::tuple(x, "image", 2), std::tuple(w, "weight", 0)})
    for (unsigned axis = first; axis < shape.size(); ++axis)
      if (shape[axis].factor < 1) {
        node.error("expects an image and a weight with elements, got " + nn::str(shape) + " for the " + what);
        return std::nullopt;
      }
  SmallVector<int64_t> kernel;
  for (const nn::Dim &dim : ArrayRef(w).drop_front(2))
    kernel.push_back(dim.factor);
  if (auto given = node.integerList("kernel_shape"); given && *given != kernel) {
    auto list = [](ArrayRef<int64_t> sizes) { return nn::str(nn::Shape(sizes.begin(), sizes.end())); };
    node.error("attribute 'kernel_shape' is " + list(*given) + ", but the weight has a kernel of " +
               list(kernel));
    return std::nullopt;
  }
  return read(node, x, kernel);
}

void giveWithBias(Node &node, int input, Value result) {
  if (!result || !node.has(input))
    return node.give(0, result);
  nn::Shape shape = nn::shapeOf(result), bias = node.shape(input), column(shape.size(), nn::Dim(1));
  if (bias != nn::Shape{shape[1]})
    return node.error("expects a bias for the " + shape[1].str() +
                      " channels of the result, got one of shape " + nn::str(bias));
  column[1] = shape[1];
  node.give(0, node.make<nn::AddOp>({result, node.reshape(node.value(input), column)}));
}

} // namespace dlc::onnx

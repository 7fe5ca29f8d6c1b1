//===- Image.cpp - images that windows slide over -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Image.h"
#include "dialects/nn/Window.h"

using namespace mlir;

namespace dlc::pt2 {

std::optional<Image> Image::read(Node &node, StringRef argument, int64_t spatial) {
  Image image;
  image.x = node.value(argument);
  if (!image.x)
    return std::nullopt;
  image.shape = nn::shapeOf(image.x);
  int64_t rank = image.shape.size();
  image.isAlone = rank == spatial + 1;
  if (spatial < 1 || spatial > 3 || (rank != spatial + 2 && !image.isAlone)) {
    node.error("expects an image [batch, channels, 1 to 3 spatial dims], got shape " + nn::str(image.shape));
    return std::nullopt;
  }
  if (image.isAlone) {
    image.shape.insert(image.shape.begin(), nn::Dim(1));
    image.x = node.reshape(image.x, image.shape);
  }
  for (const nn::Dim &dim : llvm::drop_begin(image.shape, 2)) {
    if (!dim.isStatic() || dim.factor < 1) {
      node.error("expects known spatial sizes above 0, got shape " + nn::str(image.shape) +
                 "; export the module with fixed ones");
      return std::nullopt;
    }
    image.sizes.push_back(dim.factor);
  }
  return image;
}

Value Image::give(Node &node, Value y) const {
  if (!y || !isAlone)
    return y;
  nn::Shape result = nn::shapeOf(y);
  result.erase(result.begin());
  return node.reshape(y, result);
}

std::optional<Numbers> perDim(Node &node, StringRef name, unsigned spatial, int64_t fallback, int64_t least) {
  std::optional<Numbers> given = node.integers(name);
  if (!given && node.has(name))
    return std::nullopt;
  Numbers numbers = given && !given->empty() ? *given : Numbers(spatial, fallback);
  if (numbers.size() == 1)
    numbers.resize(spatial, numbers.front());
  bool isGood = numbers.size() == spatial;
  for (int64_t number : numbers)
    isGood &= number >= least && number <= nn::largestWindow;
  if (isGood)
    return numbers;
  node.error("expects " + Twine(spatial) + " numbers from " + Twine(least) + " to " +
             Twine(nn::largestWindow) + " for the argument '" + name + "', one per spatial dim");
  return std::nullopt;
}

} // namespace dlc::pt2

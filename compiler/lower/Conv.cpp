//===- Conv.cpp - convolutions to linalg -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A convolution without padding (DecomposeConv.cpp) is one contraction. Channels are seen as groups and the
// channels of a group, [N, G, C/G, ...]: where there is one group, or one channel in each, the dims of size 1
// have no loops, and no view is made.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include "dialects/nn/Window.h"

namespace dlc::lower {
namespace {

/// `shape` with the dim `axis` in two: the groups, and what is in one.
nn::Shape grouped(nn::Shape shape, unsigned axis, int64_t groups) {
  shape[axis] = shape[axis].factor / groups;
  shape.insert(shape.begin() + axis, nn::Dim(groups));
  return shape;
}

/// What is known of products with a padded operand: at these positions along its dim number `dim`, whether
/// they are with zeros.
void addPadding(Value operand, unsigned dim, AffineExpr position, SmallVector<AffineExpr> &nonzero) {
  auto pad = operand.getDefiningOp<nn::PadOp>();
  if (!pad || pad.getMode() != nn::PadMode::constant || !pad.getValue().isZero() ||
      pad.getInterior()[dim] != 0)
    return;
  auto type = mlir::cast<mlir::RankedTensorType>(operand.getType());
  if (type.isDynamicDim(dim))
    return;
  if (int64_t low = pad.getLow()[dim]; low > 0)
    nonzero.push_back(position - low);
  if (int64_t high = pad.getHigh()[dim]; high > 0)
    nonzero.push_back(position * -1 + (type.getDimSize(dim) - high - 1));
}

/// The loops of a convolution and of its gradient by the weight: n, g, m, c, then those of the positions and
/// those of the kernel. Each operand's dims are read at some of them.
class Convolution {
public:
  template <typename Op>
  Convolution(Op op, Lowering &lowering)
      : lowering(lowering), groups(op.getGroups()), strides(op.getStrides()), dilations(op.getDilations()) {}

  /// Which dims of the space are n, g, m and c, which is the first of the positions, and which the first of
  /// the kernel's.
  unsigned n, g, m, c, position, kernel;

  Read image(const Space &space, Value x) const {
    return read(space, x, grouped(nn::shapeOf(x.getType()), 1, groups), [&](unsigned dim) {
      if (dim < 3)
        return at(space, dim == 0 ? n : dim == 1 ? g : c);
      return positionIn(space, dim - 3);
    });
  }
  /// Which products are not with the image's padding.
  SmallVector<AffineExpr> inImage(const Space &space, Value x) const {
    SmallVector<AffineExpr> nonzero;
    for (unsigned i = 0; i < strides.size(); ++i)
      addPadding(x, i + 2, positionIn(space, i), nonzero);
    return nonzero;
  }
  Read weight(const Space &space, Value w) const {
    return read(space, w, grouped(nn::shapeOf(w.getType()), 0, groups), [&](unsigned dim) {
      return at(space, dim == 0 ? g : dim == 1 ? m : dim == 2 ? c : kernel + dim - 3);
    });
  }
  Read result(const Space &space, Value y) const {
    return read(space, y, grouped(nn::shapeOf(y.getType()), 1, groups), [&](unsigned dim) {
      return at(space, dim == 0 ? n : dim == 1 ? g : dim == 2 ? m : position + dim - 3);
    });
  }

private:
  /// Where the image is read along its spatial dim number `i`.
  AffineExpr positionIn(const Space &space, unsigned i) const {
    return at(space, position + i) * strides[i] + at(space, kernel + i) * dilations[i];
  }
  AffineExpr at(const Space &space, unsigned dim) const {
    return space.position(dim, lowering.builder().getContext());
  }
  Read read(const Space &space, Value value, const nn::Shape &shape,
            llvm::function_ref<AffineExpr(unsigned)> position) const {
    return {lowering.view(value, shape), lowering.map(space, shape, position)};
  }

  Lowering &lowering;
  int64_t groups;
  ArrayRef<int64_t> strides, dilations;
};

} // namespace

// The space is (n, g, m, positions | c, kernel).
static void lowerConv(nn::ConvOp op, Lowering &lowering) {
  nn::Shape w = nn::shapeOf(op.getW().getType()), dims = nn::shapeOf(op.getY().getType());
  dims = grouped(dims, 1, op.getGroups());
  unsigned spatial = w.size() - 2;
  dims.append(w.begin() + 1, w.end());
  Space space(dims, /*reductions=*/1 + spatial);
  Convolution loops(op, lowering);
  loops.n = 0, loops.g = 1, loops.m = 2, loops.position = 3, loops.c = 3 + spatial,
  loops.kernel = 4 + spatial;
  lowering.sumOfProducts(space, loops.image(space, op.getX()), loops.weight(space, op.getW()), op.getY(),
                         loops.inImage(space, op.getX()));
}

// The space is (g, m, c, kernel | n, positions).
static void lowerConvWeightGradient(nn::ConvWeightGradientOp op, Lowering &lowering) {
  nn::Shape dy = nn::shapeOf(op.getDy().getType()), dims = nn::shapeOf(op.getDw().getType());
  dims = grouped(dims, 0, op.getGroups());
  unsigned spatial = dy.size() - 2;
  dims.push_back(dy[0]);
  dims.append(dy.begin() + 2, dy.end());
  Space space(dims, /*reductions=*/1 + spatial);
  Convolution loops(op, lowering);
  loops.g = 0, loops.m = 1, loops.c = 2, loops.kernel = 3, loops.n = 3 + spatial,
  loops.position = 4 + spatial;
  lowering.sumOfProducts(space, loops.image(space, op.getX()), loops.result(space, op.getDy()), op.getDw(),
                         loops.inImage(space, op.getX()));
}

// Each spatial dim of the image is q blocks of r elements, r the stride, and each of the kernel j blocks of
// r: the space is (n, g, c, (q, r)... | m, j...), and dy is read at q - j, from the last j on.
static void lowerConvTranspose(nn::ConvTransposeOp op, Lowering &lowering) {
  mlir::MLIRContext *context = op.getContext();
  int64_t groups = op.getGroups();
  nn::Shape dx = grouped(nn::shapeOf(op.getDx().getType()), 1, groups);
  nn::Shape dy = grouped(nn::shapeOf(op.getDy().getType()), 1, groups);
  nn::Shape w = grouped(nn::shapeOf(op.getW().getType()), 0, groups);
  unsigned spatial = dy.size() - 3, m = 3 + 2 * spatial, firstJ = m + 1;
  nn::Shape dims(dx.begin(), dx.begin() + 3), weight(w.begin(), w.begin() + 3), js;
  for (unsigned i = 0; i < spatial; ++i) {
    int64_t stride = op.getStrides()[i];
    dims.append({nn::Dim(dx[i + 3].factor / stride), nn::Dim(stride)});
    js.push_back(w[i + 3].factor / stride);
    weight.append({js.back(), nn::Dim(stride)});
  }
  dims.push_back(dy[2]);
  dims.append(js);
  Space space(dims, /*reductions=*/1 + spatial);
  auto at = [&](unsigned dim) { return space.position(dim, context); };
  auto positionInDy = [&](unsigned i) {
    int64_t dilation = op.getDilations()[i];
    return at(3 + 2 * i) - at(firstJ + i) * dilation + (js[i].factor - 1) * dilation;
  };
  AffineMap dyMap = lowering.map(
      space, dy, [&](unsigned dim) { return dim < 3 ? at(dim == 2 ? m : dim) : positionInDy(dim - 3); });
  SmallVector<AffineExpr> nonzero;
  for (unsigned i = 0; i < spatial; ++i) {
    addPadding(op.getDy(), i + 2, positionInDy(i), nonzero);
    addPadding(op.getW(), i + 2, at(firstJ + i) * op.getStrides()[i] + at(4 + 2 * i), nonzero);
  }
  AffineMap weightMap = lowering.map(space, weight, [&](unsigned dim) {
    if (dim < 3)
      return at(dim == 0 ? 1 : dim == 1 ? m : 2);
    unsigned i = (dim - 3) / 2;
    return at((dim - 3) % 2 == 0 ? firstJ + i : 4 + 2 * i);
  });
  lowering.sumOfProducts(space, {lowering.view(op.getDy(), dy), dyMap},
                         {lowering.view(op.getW(), weight), weightMap}, op.getDx(), nonzero);
}

void addConvLowerings(Lowerings &table) {
  table.add<nn::ConvOp>(lowerConv);
  table.add<nn::ConvTransposeOp>(lowerConvTranspose);
  table.add<nn::ConvWeightGradientOp>(lowerConvWeightGradient);
}

} // namespace dlc::lower

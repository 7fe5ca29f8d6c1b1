//===- Pool.cpp - pooling to linalg ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pooling reduces over the positions in a window, which are loops of their own: the image is read at o *
// stride + k * dilation. Padding is made as a tensor first, so that what is read is affine in the loops.
// Unpooling goes over the positions of the image: each position adds up what the windows that cover it have
// for it. So no two threads write to one place, and the order of the sum is fixed. Few windows cover one
// position.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Positions.h"
#include "compiler/lower/ScalarOps.h"
#include "dialects/nn/Window.h"

using namespace mlir::arith;

namespace dlc::lower {

namespace {
/// The loops of one operation: batch, channels and spatial dims of its result, and a reduction for each
/// spatial dim.
struct Windows {
  SmallVector<nn::Window> along; ///< per spatial dim
  Space space;

  Windows(SmallVector<nn::Window> along, nn::Shape result, ArrayRef<int64_t> reduced)
      : along(along), space(joined(result, reduced), reduced.size()) {}

  /// The dims of the space that belong to spatial dim `i`.
  unsigned resultDim(unsigned i) const { return 2 + i; }
  unsigned reducedDim(unsigned i) const { return 2 + along.size() + i; }

private:
  static nn::Shape joined(nn::Shape result, ArrayRef<int64_t> reduced) {
    result.append(reduced.begin(), reduced.end());
    return result;
  }
};
} // namespace

template <typename Op> static SmallVector<nn::Window> windowsOf(Op op) {
  SmallVector<nn::Window> windows;
  for (unsigned i = 0; i < op.getKernel().size(); ++i)
    windows.push_back(nn::windowOf(op, i));
  return windows;
}

static Value plus(ImplicitLocOpBuilder &b, Value x, int64_t number) {
  return number == 0 ? x : AddIOp::create(b, x, constantIndex(b, number)).getResult();
}
static Value times(ImplicitLocOpBuilder &b, Value x, int64_t number) {
  return number == 1 ? x : MulIOp::create(b, x, constantIndex(b, number)).getResult();
}

/// The row-major position in a plane of `sizes`.
static Value positionInPlane(ImplicitLocOpBuilder &b, ArrayRef<nn::Dim> sizes, ArrayRef<Value> positions) {
  Value result = positions.front();
  for (unsigned i = 1; i < sizes.size(); ++i)
    result = AddIOp::create(b, times(b, result, sizes[i].factor), positions[i]);
  return IndexCastOp::create(b, b.getI32Type(), result);
}

//===-- Pooling ----------------------------------------------------------------===//

template <typename Op> static Windows poolingWindows(Op op) {
  return Windows(windowsOf(op), nn::shapeOf(op.getY().getType()), op.getKernel());
}

/// The images, from `low` positions before their first on, with `padding` where there is none.
static Value padded(Lowering &lowering, const Windows &windows, Value x, ArrayRef<nn::Dim> sizes,
                    double padding) {
  nn::Shape shape = nn::shapeOf(x.getType());
  mlir::Type type = mlir::cast<mlir::RankedTensorType>(x.getType()).getElementType();
  Value images = lowering.tensor(x);
  Space space{nn::Shape(sizes)};
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    Value inside = always(b);
    SmallVector<Value> positions{position(b, space, 0), position(b, space, 1)};
    for (auto [i, window] : llvm::enumerate(windows.along)) {
      int64_t size = shape[2 + i].factor;
      Value from = plus(b, position(b, space, 2 + i), -window.low);
      if (window.low != 0)
        inside = require(b, inside, from, CmpIPredicate::sge, 0);
      if (sizes[2 + i].factor > window.low + size)
        inside = require(b, inside, from, CmpIPredicate::slt, size);
      positions.push_back(clamp(b, from, constantIndex(b, size)));
    }
    Value element = elementAt(b, images, shape, positions);
    return SelectOp::create(b, inside, element, constant(b, type, padding));
  };
  Value tensor = lowering.generic(space, {}, type, body);
  lowering.replace(tensor, tensor); // it stands for itself
  return tensor;
}

/// What each window covers of the images.
static Read readWindows(Lowering &lowering, const Windows &windows, Value x, double padding) {
  nn::Shape shape = nn::shapeOf(x.getType()), sizes = shape;
  bool isPlain = true;
  for (auto [i, window] : llvm::enumerate(windows.along)) {
    int64_t count = windows.space.dims[windows.resultDim(i)].factor;
    sizes[2 + i] = (count - 1) * window.stride + window.span();
    // Where a dim is read at the position of one loop, linalg takes its size for the extent of that loop.
    bool isOneLoop = count == 1 && window.dilation == 1;
    isPlain &= !window.isPadded() && (!isOneLoop || sizes[2 + i] == shape[2 + i]);
  }
  Value images = isPlain ? x : padded(lowering, windows, x, sizes, padding);
  mlir::MLIRContext *context = lowering.builder().getContext();
  return {images, lowering.map(windows.space, isPlain ? shape : sizes, [&](unsigned dim) {
            if (dim < 2)
              return windows.space.position(dim, context);
            const nn::Window &window = windows.along[dim - 2];
            return windows.space.position(windows.resultDim(dim - 2), context) * window.stride +
                   windows.space.position(windows.reducedDim(dim - 2), context) * window.dilation;
          })};
}

static void lowerSumPool(nn::SumPoolOp op, Lowering &lowering) {
  Windows windows = poolingWindows(op);
  mlir::Type type = op.getY().getType().getElementType();
  Read x = readWindows(lowering, windows, op.getX(), 0);
  bool reduces = windows.space.hasReduction();
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange read) {
    return reduces ? add(b, read[1], read[0]) : read[0];
  };
  lowering.replace(op.getY(), lowering.generic(windows.space, x, type, body,
                                               reduces ? numberAttr(type, 0) : mlir::TypedAttr()));
}

// The largest elements, and then where they are: the first element that equals the largest, or the last NaN.
static void lowerMaxPool(nn::MaxPoolOp op, Lowering &lowering) {
  Windows windows = poolingWindows(op);
  auto type = mlir::cast<mlir::FloatType>(op.getY().getType().getElementType());
  constexpr double lowest = -std::numeric_limits<double>::infinity();
  Read x = readWindows(lowering, windows, op.getX(), lowest);
  bool reduces = windows.space.hasReduction();
  auto largest = [&](ImplicitLocOpBuilder &b, ValueRange read) {
    return reduces ? larger(b, read[1], read[0]) : read[0];
  };
  lowering.replace(op.getY(), lowering.generic(windows.space, x, type, largest,
                                               reduces ? numberAttr(type, lowest) : mlir::TypedAttr()));
  if (op.getPositions().use_empty())
    return;
  nn::Shape sizes(llvm::drop_begin(nn::shapeOf(op.getX().getType()), 2));
  auto place = [&](ImplicitLocOpBuilder &b, ValueRange read) -> Value {
    Value isInside = always(b);
    SmallVector<Value> at;
    for (auto [i, window] : llvm::enumerate(windows.along)) {
      Value o = position(b, windows.space, windows.resultDim(i)),
            k = position(b, windows.space, windows.reducedDim(i));
      Value start = plus(b, times(b, o, window.stride), -window.low);
      at.push_back(AddIOp::create(b, start, times(b, k, window.dilation)));
      if (window.low != 0)
        isInside = require(b, isInside, at.back(), CmpIPredicate::sge, 0);
      if (window.high != 0)
        isInside = require(b, isInside, at.back(), CmpIPredicate::slt, sizes[i].factor);
    }
    Value here = positionInPlane(b, sizes, at);
    if (!reduces)
      return here;
    Value isNaN = CmpFOp::create(b, CmpFPredicate::UNO, read[0], read[0]);
    Value isLargest = CmpFOp::create(b, CmpFPredicate::OEQ, read[0], read[1]);
    Value isFirst = CmpIOp::create(b, CmpIPredicate::slt, read[2], constant(b, b.getI32Type(), 0));
    Value isFirstLargest = AndIOp::create(b, isLargest, isFirst);
    Value takes = AndIOp::create(b, isInside, OrIOp::create(b, isNaN, isFirstLargest));
    return SelectOp::create(b, takes, here, read[2]);
  };
  Read reads[] = {
      x, lowering.broadcast(windows.space, op.getY(), windows.space.dims.size() - windows.along.size())};
  mlir::Type i32 = lowering.builder().getI32Type();
  lowering.replace(op.getPositions(), lowering.generic(windows.space, reads, i32, place,
                                                       reduces ? numberAttr(i32, -1) : mlir::TypedAttr()));
}

//===-- Unpooling --------------------------------------------------------------===//

namespace {
/// One of the windows over a position of an image.
struct WindowOver {
  SmallVector<Value> positions; ///< of an element of the windows' tensor, inside it
  Value exists, covers;         ///< `covers`: the position is one that the window covers
};
} // namespace

template <typename Op> static Windows unpoolingWindows(Op op) {
  SmallVector<nn::Window> along = windowsOf(op);
  SmallVector<int64_t> overlaps;
  for (const nn::Window &window : along)
    overlaps.push_back(window.overlap());
  return Windows(along, nn::shapeOf(op.getX().getType()), overlaps);
}

// The last window that begins at or before a position begins at floor(position / stride); the reductions
// count the others back from it.
static WindowOver windowOver(ImplicitLocOpBuilder &b, const Windows &windows, ArrayRef<nn::Dim> counts) {
  WindowOver result{{position(b, windows.space, 0), position(b, windows.space, 1)}, always(b), always(b)};
  for (auto [i, window] : llvm::enumerate(windows.along)) {
    int64_t count = counts[2 + i].factor, size = windows.space.dims[windows.resultDim(i)].factor;
    Value at = plus(b, position(b, windows.space, windows.resultDim(i)), window.low);
    Value last =
        window.stride == 1 ? at : DivUIOp::create(b, at, constantIndex(b, window.stride)).getResult();
    Value o = SubIOp::create(b, last, position(b, windows.space, windows.reducedDim(i)));
    if (window.overlap() > 1)
      result.exists = require(b, result.exists, o, CmpIPredicate::sge, 0);
    if ((size - 1 + window.low) / window.stride >= count)
      result.exists = require(b, result.exists, o, CmpIPredicate::slt, count);
    Value offset = SubIOp::create(b, at, times(b, o, window.stride));
    if (window.overlap() * window.stride != window.span())
      result.covers = require(b, result.covers, offset, CmpIPredicate::slt, window.span());
    if (window.dilation != 1) {
      Value remainder = RemUIOp::create(b, offset, constantIndex(b, window.dilation));
      result.covers = require(b, result.covers, remainder, CmpIPredicate::eq, 0);
    }
    result.positions.push_back(clamp(b, o, constantIndex(b, count)));
  }
  return result;
}

/// The images whose elements are sums of `element(window)` over the windows over them.
template <typename Op, typename Element> static void lowerUnpool(Op op, Lowering &lowering, Element element) {
  Windows windows = unpoolingWindows(op);
  mlir::Type type = op.getX().getType().getElementType();
  nn::Shape counts = nn::shapeOf(op.getY().getType());
  bool reduces = windows.space.hasReduction();
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange read) {
    Value part = element(b, windows, windowOver(b, windows, counts));
    return reduces ? add(b, read.back(), part) : part;
  };
  lowering.replace(op.getX(), lowering.generic(windows.space, {}, type, body,
                                               reduces ? numberAttr(type, 0) : mlir::TypedAttr()));
}

static void lowerSumUnpool(nn::SumUnpoolOp op, Lowering &lowering) {
  Value y = lowering.tensor(op.getY());
  nn::Shape counts = nn::shapeOf(op.getY().getType());
  lowerUnpool(op, lowering, [&](ImplicitLocOpBuilder &b, const Windows &, const WindowOver &window) -> Value {
    Value isPart = AndIOp::create(b, window.exists, window.covers);
    Value part = elementAt(b, y, counts, window.positions);
    return SelectOp::create(b, isPart, part, constant(b, part.getType(), 0));
  });
}

static void lowerMaxUnpool(nn::MaxUnpoolOp op, Lowering &lowering) {
  Value y = lowering.tensor(op.getY()), places = lowering.tensor(op.getPositions());
  nn::Shape counts = nn::shapeOf(op.getY().getType()),
            sizes(llvm::drop_begin(nn::shapeOf(op.getX().getType()), 2));
  lowerUnpool(
      op, lowering, [&](ImplicitLocOpBuilder &b, const Windows &windows, const WindowOver &window) -> Value {
        SmallVector<Value> at;
        for (unsigned i = 0; i < windows.along.size(); ++i)
          at.push_back(position(b, windows.space, windows.resultDim(i)));
        Value here = positionInPlane(b, sizes, at);
        Value place = convert(b, elementAt(b, places, counts, window.positions), b.getI32Type());
        Value isHere = AndIOp::create(b, window.exists, CmpIOp::create(b, CmpIPredicate::eq, place, here));
        Value part = elementAt(b, y, counts, window.positions);
        return SelectOp::create(b, isHere, part, constant(b, part.getType(), 0));
      });
}

void addPoolLowerings(Lowerings &table) {
  table.add<nn::MaxPoolOp>(lowerMaxPool);
  table.add<nn::SumPoolOp>(lowerSumPool);
  table.add<nn::MaxUnpoolOp>(lowerMaxUnpool);
  table.add<nn::SumUnpoolOp>(lowerSumUnpool);
}

} // namespace dlc::lower

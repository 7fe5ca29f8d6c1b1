//===- Pool.cpp - gradients of pooling and resampling -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums over windows and sums of windows are each other's adjoint. A maximum hands its gradient to the element
// that it took; the gradient of that is read where it went.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Window.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

SmallVector<Value> SumPoolOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  return {SumUnpoolOp::create(builder, dResults[0], spatialSizes(getX()), getKernel(), getStrides(), getLow(),
                              getHigh(), getDilations())};
}

SmallVector<Value> SumUnpoolOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  return {SumPoolOp::create(builder, dResults[0], getKernel(), getStrides(), getLow(), getHigh(),
                            getDilations())};
}

SmallVector<Value> MaxPoolOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  if (!dResults[0])
    return {Value()};
  return {MaxUnpoolOp::create(builder, dResults[0], getPositions(), spatialSizes(getX()), getKernel(),
                              getStrides(), getLow(), getHigh(), getDilations())};
}

SmallVector<Value> MaxUnpoolOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  Expr dx(builder, dResults[0]), positions(builder, getPositions());
  Shape images = shapeOf(dx.type()), windows = shapeOf(positions.type());
  Dim plane = elementCount(ArrayRef<Dim>(images).drop_front(2)), planes = images[0] * images[1];
  // Positions among the elements of all images.
  mlir::Type i64 = builder.getI64Type();
  Shape perPlane{images[0], images[1]};
  perPlane.append(windows.size() - 2, Dim(1));
  Expr number(builder, IotaOp::create(builder, tensorType({planes}, i64), 0));
  Expr start = reshape(number * double(plane.factor), tensorType(perPlane, i64));
  Expr elements = reshape(dx, tensorType({planes * plane}, dx.elementType()));
  Expr indices = cast(positions, i64) + start;
  return {GatherOp::create(builder, elements, indices, 0), Value()};
}

//===-- Resampling -------------------------------------------------------------===//

// Element i takes part in the results that have it as one of their taps: these are its own taps. Elements
// with fewer taps than others get some of weight 0.
SmallVector<Value> ResampleOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults, ArrayRef<bool>) {
  auto type = mlir::cast<mlir::RankedTensorType>(getX().getType());
  int64_t size = type.getDimSize(getAxis()), results = getPositions().size() / getTaps();
  if (results == 0)
    return {expand(Expr(builder, dResults[0]).scalar(0), type)};
  std::vector<std::vector<std::pair<int64_t, double>>> uses(size);
  for (auto [i, position, weight] : llvm::enumerate(getPositions(), getWeights()))
    if (weight != 0)
      uses[position].push_back({int64_t(i) % results, weight});
  size_t taps = 1;
  for (const auto &use : uses)
    taps = std::max(taps, use.size());
  SmallVector<int64_t> positions(taps * size, 0);
  SmallVector<double> weights(taps * size, 0);
  for (int64_t i = 0; i < size; ++i)
    for (size_t t = 0; t < taps; ++t) {
      // An index of weight 0 is one that the element has anyway, if there is one: else a result that is NaN
      // would become the gradient of elements that have nothing to do with it.
      auto [result, weight] = t < uses[i].size() ? uses[i][t]
                              : uses[i].empty()  ? std::pair(i * results / size, 0.0)
                                                 : std::pair(uses[i].back().first, 0.0);
      positions[t * size + i] = result;
      weights[t * size + i] = weight;
    }
  return {ResampleOp::create(builder, dResults[0], getAxis(), int64_t(taps), positions, weights)};
}

} // namespace nn

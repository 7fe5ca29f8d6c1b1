//===- Copies.cpp - how operands of contractions come to shared memory -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU copies 4, 8 or 16 neighbouring bytes while its threads do something else. The wider, the fewer
// instructions; but each copy must begin at a multiple of its width, in memory and in the operand's loops.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Views.h"
#include "compiler/schedule/gpu/Stages.h"
#include "compiler/support/Elements.h"
#include "dialects/train/BatchParts.h"
#include <numeric>

using namespace mlir;

namespace dlc::schedule {
namespace {

/// The alignment in bytes of an argument in all launches: a part of another tensor begins where that part
/// does.
int64_t alignmentOf(train::KernelOp kernel, BlockArgument argument) {
  int64_t alignment = GpuTarget::copyBytes;
  auto program = kernel->getParentOfType<train::ProgramOp>();
  program.walk([&](train::LaunchOp launch) {
    if (launch.getKernel() != kernel.getSymName())
      return;
    Value tensor = launch.getInputs()[argument.getArgNumber()];
    std::optional<analysis::View> view = analysis::viewOf(tensor);
    alignment = std::gcd(alignment, view ? view->offset * elementBytes(tensor) : elementBytes(tensor));
    auto whole = view ? cast<RankedTensorType>(view->whole.getType()) : RankedTensorType();
    // Each batch part of an input begins behind the part before it.
    if (view && view->whole.getDefiningOp<train::ReadOp>() &&
        launch->getParentOfType<train::FunctionOp>().getOnePart())
      alignment =
          std::gcd(alignment, elementBytes(tensor) * (whole.hasStaticShape() ? whole.getNumElements() : 1));
  });
  return alignment;
}

/// What the distance in memory between an iteration of a loop and the next one is a multiple of, in elements;
/// the last entry is about the place of the first element.
SmallVector<int64_t> divisorsOf(train::KernelOp kernel, AffineMap map, BlockArgument argument) {
  nn::Shape strides =
      kernel.stridesOf(argument.getArgNumber()).value_or(analysis::rowMajor(nn::shapeOf(argument.getType())));
  SmallVector<int64_t> divisors(map.getNumDims() + 1, 0);
  MLIRContext *context = map.getContext();
  for (unsigned axis = 0; axis < map.getNumResults(); ++axis) {
    const int64_t stride = strides[axis].factor;
    SmallVector<AffineExpr> at(map.getNumDims(), getAffineConstantExpr(0, context));
    auto valueAt = [&] {
      AffineExpr value = simplifyAffineExpr(map.getResult(axis).replaceDims(at), 0, 0);
      return cast<AffineConstantExpr>(value).getValue();
    };
    const int64_t start = valueAt();
    divisors.back() = std::gcd(divisors.back(), start * stride);
    for (unsigned loop = 0; loop < map.getNumDims(); ++loop) {
      at[loop] = getAffineConstantExpr(1, context);
      divisors[loop] = std::gcd(divisors[loop], (valueAt() - start) * stride);
      at[loop] = getAffineConstantExpr(0, context);
    }
  }
  return divisors;
}

/// The row loops of the product (operand 0), its column loops (operand 1), or its reduction loops
/// (`areSteps`).
SmallVector<int64_t> loopsOf(linalg::GenericOp root, unsigned operand, bool areSteps) {
  SmallVector<int64_t> loops;
  auto maps = root.getIndexingMapsArray();
  for (unsigned loop = 0; loop < root.getNumLoops(); ++loop)
    if (areSteps ? loop >= root.getNumParallelLoops()
                 : loop < root.getNumParallelLoops() && maps[operand].isFunctionOfDim(loop) &&
                       !maps[1 - operand].isFunctionOfDim(loop))
      loops.push_back(loop);
  return loops;
}

/// The innermost of these loops that has more than one iteration; -1 if none.
int64_t innermostOf(ArrayRef<int64_t> loops, ArrayRef<int64_t> bounds) {
  for (int64_t loop : llvm::reverse(loops))
    if (bounds[loop] != 1)
      return loop;
  return -1;
}

/// Whether the loop that this operand alone moves by a dim of its own has the same size in each call.
bool isStatic(AffineMap map, Value tensor, int64_t loop) {
  auto type = cast<RankedTensorType>(tensor.getType());
  return llvm::any_of(llvm::enumerate(map.getResults()), [&](auto result) {
    return result.value() == getAffineDimExpr(loop, map.getContext()) && !type.isDynamicDim(result.index());
  });
}

/// Whether no position is computed by divisions, as those in panels are.
bool isLinear(AffineMap map) {
  bool isLinear = true;
  map.walkExprs([&](AffineExpr expr) {
    isLinear &= expr.getKind() != AffineExprKind::FloorDiv && expr.getKind() != AffineExprKind::Mod;
  });
  return isLinear;
}

} // namespace

int64_t widestCopy(train::KernelOp kernel, linalg::GenericOp root, unsigned operand, bool alongSteps) {
  auto argument = dyn_cast<BlockArgument>(root.getDpsInputs()[operand]);
  const int64_t element = elementBytes(root.getDpsInputs()[operand]);
  const int64_t single = element >= GpuTarget::leastCopyBytes ? element : 0;
  AffineMap map = root.getIndexingMapsArray()[operand];
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, root);
  const int64_t innermost = innermostOf(loopsOf(root, operand, alongSteps), bounds);
  if (!argument || innermost < 0 || !isLinear(map) || !isStatic(map, argument, innermost) ||
      strideAlong(kernel, map, argument, innermost) != 1)
    return single;
  const int64_t alignment = alignmentOf(kernel, argument);
  SmallVector<int64_t> divisors = divisorsOf(kernel, map, argument);
  const int64_t least = std::max(2 * element, GpuTarget::leastCopyBytes);
  for (int64_t bytes = GpuTarget::copyBytes; bytes >= least; bytes /= 2) {
    const int64_t elements = bytes / element;
    bool fits = alignment % bytes == 0 && bounds[innermost] % elements == 0;
    for (auto [loop, divisor] : llvm::enumerate(divisors))
      fits &= int64_t(loop) == innermost || divisor % elements == 0;
    if (fits)
      return bytes;
  }
  return single;
}

gpu::CopyAttr copyOf(train::KernelOp kernel, linalg::GenericOp root, unsigned operand) {
  AffineMap map = root.getIndexingMapsArray()[operand];
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, root);
  auto lengthAlong = [&](bool areSteps) -> int64_t { // of what lies side by side
    int64_t loop = innermostOf(loopsOf(root, operand, areSteps), bounds);
    return loop >= 0 && strideAlong(kernel, map, root.getDpsInputs()[operand], loop) == 1 ? bounds[loop] : 0;
  };
  bool alongSteps = lengthAlong(/*areSteps=*/true) > lengthAlong(/*areSteps=*/false);
  return gpu::CopyAttr::get(kernel.getContext(), widestCopy(kernel, root, operand, alongSteps), alongSteps);
}

} // namespace dlc::schedule

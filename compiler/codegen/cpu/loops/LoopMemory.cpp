//===- LoopMemory.cpp - what a kernel of loops reads and writes ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/loops/LoopKernel.h"

using namespace mlir;

namespace dlc::codegen {

Value LoopKernel::read(linalg::GenericOp op, OpOperand &operand, const Point &point, unsigned which) {
  Value tensor = operand.get();
  if (cast<ShapedType>(operand.get().getType()).getRank() == 0 && tensor.getDefiningOp<linalg::FillOp>())
    return arith::ConstantOp::create(b, kernel.initialValue(tensor));
  if (auto it = registers.find(tensor); it != registers.end())
    return it->second[which];
  if (Value scalar = kernel.scalarInput(tensor))
    return scalar;
  AffineMap map = op.getMatchingIndexingMap(&operand);
  if (const Memory *exchanged = shortRows.find(tensor))
    return Access(b, *exchanged, map).load(b, shortRows.at(point, which));
  if (const Memory *temporary = temporaries.find(tensor))
    return Access(b, *temporary, map).load(b, temporaries.at(point, which));
  auto memory = kernel.memoryOf(tensor);
  assert(memory && "an operand is an argument or an earlier result of the kernel");
  return Access(b, *memory, map).load(b, point);
}

void LoopKernel::write(linalg::GenericOp op, const Points &points, const Values &results) {
  unsigned count = op.getNumResults();
  for (unsigned r = 0; r < count; ++r) {
    OpResult result = op->getResult(r);
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(r));
    const Memory *exchanged = shortRows.find(result);
    for (auto [which, point] : llvm::enumerate(points)) {
      if (exchanged)
        Access(b, *exchanged, map).store(b, shortRows.at(point, which), results[which * count + r]);
      else
        for (const Memory &memory : kernel.outputsOf(result))
          Access(b, memory, map).store(b, point, results[which * count + r]);
    }

    if (const Memory *temporary = temporaries.find(result)) {
      for (auto [which, point] : llvm::enumerate(points))
        Access(b, *temporary, map).store(b, temporaries.at(point, which), results[which * count + r]);
      continue;
    }
    // A temporary of one element for each point stays in a register.
    bool isElement = llvm::all_of(map.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim && int64_t(dim.getPosition()) < shared;
    });
    if (isElement) {
      Values &values = registers[result];
      for (size_t which = 0; which < points.size(); ++which)
        values.push_back(results[which * count + r]);
    }
  }
}

} // namespace dlc::codegen

//===- MergeLoops.cpp - generics over the same loops -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Rewrite.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

GenericOp mergeLoops(ArrayRef<GenericOp> ops) {
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> inputMaps, initMaps;
  SmallVector<OpResult> results; // those with users outside
  std::string doc;
  for (GenericOp op : ops) {
    doc = joinDocs(doc, op.getDoc().value_or(""));
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (members.contains(input->get().getDefiningOp()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      bool isKnown = false;
      for (unsigned i = 0; i < inputs.size(); ++i)
        isKnown |= inputs[i] == input->get() && inputMaps[i] == map;
      if (!isKnown) {
        inputs.push_back(input->get());
        inputMaps.push_back(map);
      }
    }
    for (OpResult result : op->getResults())
      if (!isElementwise(op) ||
          llvm::any_of(result.getUsers(), [&](Operation *user) { return !members.contains(user); })) {
        results.push_back(result);
        inits.push_back(op.getDpsInitOperand(result.getResultNumber())->get());
        initMaps.push_back(op.getIndexingMapMatchingResult(result));
      }
  }

  GenericOp last = ops.back();
  mlir::OpBuilder b(last);
  auto build = [&](mlir::OpBuilder &inner, mlir::Location loc, ValueRange arguments) {
    llvm::DenseMap<Value, Value> scalars; // of members' results
    for (GenericOp op : ops) {
      mlir::IRMapping mapping;
      for (OpOperand *input : op.getDpsInputOperands()) {
        Value scalar = scalars.lookup(input->get());
        for (unsigned i = 0; !scalar && i < inputs.size(); ++i)
          if (inputs[i] == input->get() && inputMaps[i] == op.getMatchingIndexingMap(input))
            scalar = arguments[i];
        mapping.map(op.getMatchingBlockArgument(input), scalar);
      }
      for (auto [position, result] : llvm::enumerate(results)) // what a reduction adds to
        if (result.getOwner() == op)
          mapping.map(op.getRegionOutputArgs()[result.getResultNumber()],
                      arguments[inputs.size() + position]);
      for (Operation &bodyOp : op.getBody()->without_terminator())
        inner.clone(bodyOp, mapping);
      for (OpResult result : op->getResults())
        scalars[result] =
            mapping.lookupOrDefault(op.getBody()->getTerminator()->getOperand(result.getResultNumber()));
    }
    SmallVector<Value> yielded;
    for (OpResult result : results)
      yielded.push_back(scalars.lookup(result));
    mlir::linalg::YieldOp::create(inner, loc, yielded);
  };
  SmallVector<AffineMap> maps(inputMaps);
  maps.append(initMaps);
  auto locations = llvm::map_to_vector(ops, [](GenericOp op) -> mlir::Location { return op.getLoc(); });
  auto made =
      GenericOp::create(b, mlir::FusedLoc::get(b.getContext(), locations), ValueRange(inits).getTypes(),
                        inputs, inits, maps, last.getIteratorTypesArray(), doc, "", build);
  for (auto [old, value] : llvm::zip_equal(results, made.getResults()))
    old.replaceAllUsesWith(value);
  for (GenericOp op : llvm::reverse(ops))
    op->erase();
  return made;
}

} // namespace dlc::fuse

//===- Kernel.cpp - train: kernels, launches, places
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace train;

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (!isa<RankedTensorType>(argument.getType()))
      return emitOpError("expects ranked tensors as arguments, got ")
             << argument.getType() << " as argument " << argument.getArgNumber();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  if (!yield)
    return emitOpError("expects a body that ends in train.yield");
  if (std::optional<ArrayAttr> dims = getArgDims()) {
    size_t expected = body.getNumArguments() + yield.getNumOperands();
    if (dims->size() != expected)
      return emitOpError("expects arg_dims of ")
             << expected << " entries, one per argument and result, got " << dims->size();
    for (Attribute entry : *dims)
      if (!isa<UnitAttr, nn::DimsAttr>(entry))
        return emitOpError("expects #nn.dims or unit in arg_dims, got ") << entry;
  }
  return success();
}

/// Whether a launch's `used` type is that of the kernel's tensor: the tensor itself, or a place for it
/// (truth values are bytes in memory).
static bool fitsKernel(Type used, Type tensor) {
  if (used == tensor)
    return true;
  auto memory = dyn_cast<MemRefType>(used);
  auto type = dyn_cast<RankedTensorType>(tensor);
  if (!memory || !type || memory.getShape() != type.getShape())
    return false;
  return memory.getElementType() == type.getElementType() ||
         (type.getElementType().isInteger(1) && memory.getElementType().isInteger(8));
}

LogicalResult LaunchOp::verifySymbolUses(SymbolTableCollection &tables) {
  auto program = (*this)->getParentOfType<ProgramOp>();
  if (!program)
    return emitOpError("expects to be in a train.program");
  auto kernel = tables.lookupSymbolIn<KernelOp>(program, getKernelAttr());
  if (!kernel)
    return emitOpError("expects ") << getKernelAttr() << " to be a train.kernel";
  if (!getDestinations().empty() && !getOutputs().empty())
    return emitOpError("expects destinations or results, not both");

  Block &body = kernel.getBody().front();
  auto yield = dyn_cast<YieldOp>(body.back());
  if (!yield)
    return success(); // the kernel's own error
  auto check = [&](StringRef what, TypeRange used, TypeRange expected) -> LogicalResult {
    if (used.size() != expected.size())
      return emitOpError("expects ") << expected.size() << " " << what << " as " << getKernelAttr()
                                     << " has, got " << used.size();
    for (auto [i, type, tensor] : llvm::enumerate(used, expected))
      if (!fitsKernel(type, tensor))
        return emitOpError("expects ")
               << what << " " << i << " to fit " << tensor << " of " << getKernelAttr() << ", got " << type;
    return success();
  };
  if (failed(check("inputs", getInputs().getTypes(), body.getArgumentTypes())))
    return failure();
  if (getDestinations().empty())
    return check("results", getOutputs().getTypes(), yield.getOperandTypes());
  TypeRange destinations = getDestinations().getTypes();
  if (ScheduleInterface schedule = kernel.getScheduleAttr(); schedule && schedule.scratchBytes() > 0) {
    if (!isa<MemRefType>(destinations.back()))
      return emitOpError("expects a place for scratch as last destination, got ") << destinations.back();
    destinations = destinations.drop_back();
  }
  return check("destinations", destinations, yield.getOperandTypes());
}

LogicalResult PlaceOp::verify() {
  if (getSymbol().has_value() == getOffset().has_value())
    return emitOpError("expects either a symbol (of) or an offset (at)");
  if (std::optional<int64_t> offset = getOffset(); offset && *offset < 0)
    return emitOpError("expects an offset that is not negative, got ") << *offset;
  return success();
}

LogicalResult CopyOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()),
       destination = cast<MemRefType>(getDestination().getType());
  if (source.getShape() == destination.getShape() && source.getElementType() == destination.getElementType())
    return success();
  return emitOpError("expects equal shapes and element types, got ") << source << " and " << destination;
}

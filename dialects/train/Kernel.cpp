//===- Kernel.cpp - train: kernels, launches, places
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Roles.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/STLExtras.h"
#include <numeric>

using namespace mlir;
using namespace train;

/// Texts that are sizes, one per dim.
static LogicalResult verifyStrides(KernelOp kernel) {
  std::optional<ArrayAttr> strides = kernel.getArgStrides();
  if (!strides)
    return success();
  Block &body = kernel.getBody().front();
  SmallVector<Type> types(body.getArgumentTypes());
  llvm::append_range(types, body.back().getOperandTypes());
  if (strides->size() != types.size())
    return kernel.emitOpError("expects arg_strides of ")
           << types.size() << " entries, one per argument and result, got " << strides->size();
  for (auto [type, entry] : llvm::zip(types, *strides)) {
    auto isSize = [](Attribute text) {
      return isa<StringAttr>(text) && nn::Dim::parse(cast<StringAttr>(text).getValue());
    };
    auto texts = dyn_cast<ArrayAttr>(entry);
    if (!isa<UnitAttr>(entry) && !(texts && int64_t(texts.size()) == cast<RankedTensorType>(type).getRank() &&
                                   llvm::all_of(texts, isSize)))
      return kernel.emitOpError("expects unit or a size for each dim of ")
             << type << " in arg_strides, got " << entry;
  }
  return success();
}

/// What a launch's place for a tensor needs: names of the dims that are open.
static LogicalResult verifyDims(KernelOp kernel, ArrayRef<Type> types) {
  std::optional<ArrayAttr> dims = kernel.getArgDims();
  if (dims && dims->size() != types.size())
    return kernel.emitOpError("expects arg_dims of ")
           << types.size() << " entries, one per argument and result, got " << dims->size();
  for (auto [i, type] : llvm::enumerate(types)) {
    const Attribute entry = dims ? (*dims)[i] : UnitAttr::get(kernel.getContext());
    if (!isa<UnitAttr, nn::DimsAttr>(entry))
      return kernel.emitOpError("expects #nn.dims or unit in arg_dims, got ") << entry;
    auto tensor = dyn_cast<RankedTensorType>(type);
    auto named = dyn_cast<nn::DimsAttr>(entry);
    if (tensor && !tensor.hasStaticShape() &&
        (!named || int64_t(named.getNames().size()) != tensor.getRank()))
      return kernel.emitOpError("expects arg_dims to name the dims of ") << type << ", got " << entry;
  }
  return success();
}

/// That nests have roles of one kind, and each role as often as those who read them expect.
static LogicalResult verifyRoles(KernelOp kernel) {
  unsigned count[getMaxEnumValForKernelRole() + 1] = {}, all = 0;
  auto is = [&](KernelRole role) -> unsigned & { return count[unsigned(role)]; };
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>()) {
    RoleAttr role = roleOf(op);
    if (!role)
      continue;
    const bool isProduct =
        llvm::is_contained({KernelRole::Scores, KernelRole::Values, KernelRole::Producer}, role.getRole());
    const bool isLoaded = role.getRole() == KernelRole::Producer;
    auto isPlain = [](AffineMap map) { return map.isProjectedPermutation(); };
    if (op.getNumResults() != 1 || (isProduct && op.getNumDpsInputs() != 2) ||
        (isLoaded && !llvm::all_of(op.getIndexingMapsArray(), isPlain)))
      return op.emitOpError("has the role ")
             << role << ", whose nests have one result" << (isProduct ? ", two operands" : "")
             << (isLoaded ? " and dims that are loops" : "");
    ++is(role.getRole());
    ++all;
  }
  const unsigned ofTransients =
      is(KernelRole::Producer) + is(KernelRole::Elementwise) + is(KernelRole::Consumer);
  auto once = {KernelRole::Scores, KernelRole::RowMax, KernelRole::Exponentials, KernelRole::RowSum,
               KernelRole::Values};
  const bool isAttention = ofTransients == 0 && is(KernelRole::RowFactor) <= 1 &&
                           llvm::all_of(once, [&](KernelRole role) { return is(role) == 1; });
  const bool isOfTransients =
      all == ofTransients && is(KernelRole::Producer) > 0 && is(KernelRole::Consumer) > 0;
  if (all == 0 || isAttention || isOfTransients)
    return success();
  return kernel.emitOpError("expects one nest each with the roles scores, row_max, exponentials, row_sum and "
                            "values, or producers and consumers");
}

LogicalResult KernelOp::verify() {
  Block &body = getBody().front();
  for (BlockArgument argument : body.getArguments())
    if (!isa<RankedTensorType>(argument.getType()))
      return emitOpError("expects ranked tensors as arguments, got ")
             << argument.getType() << " as argument " << argument.getArgNumber();
  auto yield = dyn_cast_or_null<YieldOp>(body.empty() ? nullptr : &body.back());
  if (!yield)
    return emitOpError("expects a body that ends in train.yield");
  SmallVector<Type> types(body.getArgumentTypes());
  llvm::append_range(types, yield.getOperandTypes());
  if (failed(verifyDims(*this, types)) || failed(verifyStrides(*this)))
    return failure();
  std::optional<ArrayRef<int64_t>> counts = getSteps();
  int64_t generics = llvm::range_size(body.getOps<linalg::GenericOp>());
  if (counts && (std::accumulate(counts->begin(), counts->end(), int64_t(0)) != generics ||
                 llvm::any_of(*counts, [](int64_t count) { return count < 1; })))
    return emitOpError("expects steps of all its ") << generics << " generics, one or more in each";
  return verifyRoles(*this);
}

std::optional<nn::Shape> KernelOp::stridesOf(unsigned index) {
  std::optional<ArrayAttr> all = getArgStrides();
  auto texts = all && index < all->size() ? dyn_cast<ArrayAttr>((*all)[index]) : ArrayAttr();
  if (!texts)
    return std::nullopt;
  nn::Shape strides;
  for (auto text : texts.getAsRange<StringAttr>())
    strides.push_back(*nn::Dim::parse(text.getValue()));
  return strides;
}

//===-- Join -------------------------------------------------------------------===//

static ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

bool JoinOp::lacksAxis(unsigned part) {
  return shapeOf(getParts()[part]).size() < shapeOf(getWhole()).size();
}

int64_t JoinOp::sizeOf(unsigned part) { return lacksAxis(part) ? 1 : shapeOf(getParts()[part])[getAxis()]; }

int64_t JoinOp::startOf(unsigned part) {
  int64_t start = 0;
  for (unsigned before = 0; before < part; ++before)
    start += sizeOf(before);
  return start;
}

LogicalResult JoinOp::verify() {
  SmallVector<int64_t> whole(shapeOf(getWhole()));
  int64_t axis = getAxis();
  if (axis < 0 || axis >= int64_t(whole.size()))
    return emitOpError("expects an axis of the ") << whole.size() << " dims of its result, got " << axis;
  if (getParts().empty())
    return emitOpError("expects at least one part");
  for (auto [i, part] : llvm::enumerate(getParts())) {
    SmallVector<int64_t> expected(whole);
    if (lacksAxis(i))
      expected.erase(expected.begin() + axis);
    else if (shapeOf(part).size() == whole.size())
      expected[axis] = shapeOf(part)[axis];
    auto type =
        RankedTensorType::get(expected, cast<RankedTensorType>(getWhole().getType()).getElementType());
    if (part.getType() != type || ShapedType::isDynamic(expected.empty() ? 0 : sizeOf(i)))
      return emitOpError("expects part ") << i << " to have type " << type << ", got " << part.getType();
  }
  if (startOf(getParts().size()) != whole[axis])
    return emitOpError("expects parts of ")
           << whole[axis] << " elements along axis " << axis << ", got " << startOf(getParts().size());
  return success();
}

//===-- Launches and places ----------------------------------------------------===//

/// Whether a launch's `used` type is that of the kernel's tensor: the tensor itself, or a place for it, with
/// `strides` where it is a part (truth values are bytes in memory).
static bool fitsKernel(Type used, Type tensor, std::optional<nn::Shape> strides) {
  if (used == tensor)
    return true;
  auto memory = dyn_cast<MemRefType>(used);
  auto type = dyn_cast<RankedTensorType>(tensor);
  if (!memory || !type || memory.getShape() != type.getShape())
    return false;
  if (memory.getLayout().isIdentity() == strides.has_value())
    return false;
  if (strides) {
    auto strided = dyn_cast<StridedLayoutAttr>(memory.getLayout());
    if (!strided || strided.getStrides().size() != strides->size())
      return false;
    for (auto [used, expected] : llvm::zip(strided.getStrides(), *strides))
      if (used != (expected.isStatic() ? expected.factor : ShapedType::kDynamic))
        return false;
  }
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
  auto check = [&](StringRef what, TypeRange used, TypeRange expected, unsigned first) -> LogicalResult {
    if (used.size() != expected.size())
      return emitOpError("expects ") << expected.size() << " " << what << " as " << getKernelAttr()
                                     << " has, got " << used.size();
    for (auto [i, type, tensor] : llvm::enumerate(used, expected))
      if (!fitsKernel(type, tensor, kernel.stridesOf(first + i)))
        return emitOpError("expects ")
               << what << " " << i << " to fit " << tensor << " of " << getKernelAttr() << ", got " << type;
    return success();
  };
  if (failed(check("inputs", getInputs().getTypes(), body.getArgumentTypes(), 0)))
    return failure();
  unsigned results = body.getNumArguments();
  if (getDestinations().empty())
    return check("results", getOutputs().getTypes(), yield.getOperandTypes(), results);
  TypeRange destinations = getDestinations().getTypes();
  if (ScheduleInterface schedule = kernel.getScheduleAttr(); schedule && schedule.scratchBytes() > 0) {
    if (!isa<MemRefType>(destinations.back()))
      return emitOpError("expects a place for scratch as last destination, got ") << destinations.back();
    destinations = destinations.drop_back();
  }
  return check("destinations", destinations, yield.getOperandTypes(), results);
}

LogicalResult PlaceOp::verify() {
  if (!getSymbol() && !getOffset())
    return emitOpError("expects a symbol (of) or an offset (at)");
  if (std::optional<int64_t> offset = getOffset(); offset && *offset < 0)
    return emitOpError("expects an offset that is not negative, got ") << *offset;
  if (std::optional<int64_t> value = getValue(); value && *value < 0)
    return emitOpError("expects a value's number that is not negative, got ") << *value;
  return success();
}

LogicalResult CopyOp::verify() {
  auto source = cast<MemRefType>(getSource().getType()),
       destination = cast<MemRefType>(getDestination().getType());
  if (source.getShape() == destination.getShape() && source.getElementType() == destination.getElementType())
    return success();
  return emitOpError("expects equal shapes and element types, got ") << source << " and " << destination;
}

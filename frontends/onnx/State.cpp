//===- State.cpp - values, parameters and constants of an imported model
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Float initializers become parameters when something reads them, and so do constants in weight positions;
// other constants stay constants. What no gradient reaches is frozen.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace dlc::onnx {

GraphValue *Importer::find(StringRef name) {
  auto found = values.find(resolve(name));
  return found == values.end() ? nullptr : &found->second;
}

StringRef Importer::resolve(StringRef name) const {
  auto alias = aliases.find(name);
  return alias == aliases.end() ? name : StringRef(alias->second);
}

static bool isUniform(const HostTensor &tensor) {
  size_t element = tensor.data.size() / std::max<int64_t>(tensor.splat ? 1 : tensor.count(), 1);
  return tensor.splat || element == 0 ||
         std::equal(tensor.data.begin() + element, tensor.data.end(), tensor.data.begin());
}

/// Exporters write one initializer and Identity nodes for parameters that are shared, and also for those that
/// merely are equal, like the scales of all normalizations, all ones. Only the former train as one.
void Importer::declareAlias(StringRef alias, StringRef name) {
  const GraphValue &value = *find(name);
  if (!value.initializer || !value.constant->isFloat() || !isUniform(*value.constant)) {
    aliases[alias] = resolve(name).str();
    return;
  }
  GraphValue copy;
  copy.constant = value.constant;
  copy.initializer = true;
  values[alias] = std::move(copy);
}

Location Importer::locationOf(StringRef name) {
  return NameLoc::get(StringAttr::get(&context, name.empty() ? StringRef("model") : name));
}

std::string Importer::uniqueSymbol(StringRef name) {
  std::string symbol = name.str();
  while (!symbols.insert(symbol).second)
    symbol = (name + "_" + Twine(++lastSuffixes[name])).str();
  return symbol;
}

Value Importer::declareParameter(StringRef name, const GraphValue &value) {
  const HostTensor &tensor = *value.constant;
  // Exporters write literals of formulas (1/sqrt(d) ...) as rank-0 initializers.
  bool frozen = tensor.type.getRank() == 0;
  std::string symbol = uniqueSymbol(name);
  if (frozen)
    notes[{"", "the scalar initializer '" + name.str() + "' is not trained (--train='*' --train='" + symbol +
                   "' trains it)"}];
  train::StateOp::create(declarations, locationOf(name), train::StateKind::Parameter, symbol,
                         FlatSymbolRefAttr(), frozen, tensor.type, tensor.attribute(symbol));
  return train::ReadOp::create(body, locationOf(name), tensor.type, symbol);
}

Value Importer::materialize(StringRef name, GraphValue &value) {
  if (value.value || value.failed)
    return value.value;
  if (!value.constant)
    return value.value = materializeDims(*value.dims);
  bool isWeight = value.initializer || (weightPositions.contains(name) && value.constant->count() > 1);
  if (value.constant->isFloat() && isWeight)
    return value.value = declareParameter(name, value);
  return value.value = nn::ConstantOp::create(body, locationOf(name), value.constant->denseAttribute());
}

Value Importer::materializeDims(const DimTensor &dims) {
  SmallVector<Value> elements;
  for (const nn::Dim &dim : dims.elements) {
    auto scalarType = RankedTensorType::get({}, dims.elementType),
         one = RankedTensorType::get({1}, dims.elementType);
    nn::Expr element(body,
                     nn::ConstantOp::create(
                         body, splatTensor(scalarType, dim.isStatic() ? dim.factor : 1).denseAttribute()));
    // The size of a named dim is counted when the program runs.
    if (!dim.isStatic())
      element = nn::sumAll(nn::expand(element, nn::tensorType({dim}, dims.elementType)));
    elements.push_back(nn::reshape(element, one));
  }
  Value joined = nn::ConcatOp::create(body, elements, 0);
  return nn::reshape({body, joined}, RankedTensorType::get(dims.shape, dims.elementType));
}

/// Whether a gradient can flow from a result of `op` to this operand.
static bool passesGradient(OpOperand &operand) {
  if (!isa<FloatType>(nn::elementTypeOf(operand.get())))
    return false;
  if (auto rule = dyn_cast<nn::GradientOpInterface>(operand.getOwner()))
    return rule.isDifferentiable(operand.getOperandNumber());
  return isa<train::BatchNormOp>(operand.getOwner());
}

void Importer::freezeUnreached() {
  llvm::DenseSet<Value> reached;
  for (Operation &op : llvm::reverse(forward.getBody().front())) {
    bool isOutput = isa<train::WriteOp>(op);
    if (!isOutput && llvm::none_of(op.getResults(), [&](Value result) { return reached.contains(result); }))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      if (isOutput || passesGradient(operand))
        reached.insert(operand.get());
  }
  llvm::StringSet<> reachedSymbols;
  for (auto read : forward.getOps<train::ReadOp>())
    if (reached.contains(read.getValue()))
      reachedSymbols.insert(read.getSymbol());
  for (auto state : program.getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::Parameter && !reachedSymbols.contains(state.getSymName()))
      state.setFrozen(true);
}

/// Every operation is checked when it is made, so that an error belongs to a node.
void Importer::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  for (Value result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type)
      continue;
    SmallVector<int64_t> bounds;
    for (const nn::Dim &dim : nn::shapeOf(type)) {
      int64_t size = dim.factor;
      for (const std::string &name : dim.names)
        for (const DimNames::Declared &declared : dimNames.declared())
          if (declared.name == name && (size < 0 || llvm::MulOverflow(size, declared.bound, size)))
            size = -1;
      bounds.push_back(size);
    }
    if (!countElements(bounds)) {
      op->emitError("a result of shape ") << nn::str(nn::shapeOf(type)) << " is too large";
      return;
    }
  }
  if (!isa<train::ReadOp, train::WriteOp, train::BatchNormOp, train::ProgramOp, train::FunctionOp>(op))
    (void)verify(op, /*verifyRecursively=*/false);
}

} // namespace dlc::onnx

//===- Node.cpp - what the import of an operation reads, and gives ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Node.h"
#include "frontends/common/IndexRange.h"
#include "frontends/stablehlo/Importer.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::stablehlo {

//===-- Operands ---------------------------------------------------------------===//

Known &Node::known(unsigned i) { return (*importer.scope)[op->getOperand(i)]; }

Value Node::value(unsigned i) {
  unsigned before = importer.diagnostics.errors();
  Value value = importer.materialize(known(i), op->getOperand(i).getType());
  if (!value && importer.diagnostics.errors() == before)
    error("operand " + Twine(i) + " has no value");
  return value;
}

nn::Shape Node::shape(unsigned i) {
  Known &operand = known(i);
  if (auto type = dyn_cast<RankedTensorType>(op->getOperand(i).getType());
      !operand.value && type && type.hasStaticShape())
    return nn::Shape(type.getShape().begin(), type.getShape().end());
  Value x = value(i);
  return x ? nn::shapeOf(x) : nn::Shape();
}

static std::optional<double> splatOf(ElementsAttr attribute) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attribute);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  if (isa<FloatType>(elements.getElementType())) {
    APFloat number = elements.getSplatValue<APFloat>();
    bool loses = false;
    number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &loses);
    return number.convertToDouble();
  }
  if (!elements.getElementType().isSignlessInteger())
    return std::nullopt;
  APInt number = elements.getSplatValue<APInt>();
  return number.getBitWidth() == 1 ? double(number.getZExtValue()) : double(number.getSExtValue());
}

/// Whether a conversion may make another whole number of one: a fraction is cut off, or a narrow type has it
/// not.
static bool mayBecomeOther(Type from, Type to) {
  return isa<IntegerType>(to) && from != to &&
         (isa<FloatType>(from) || to.getIntOrFloatBitWidth() < from.getIntOrFloatBitWidth());
}

std::optional<double> Node::splat(unsigned i) {
  const Known &operand = known(i);
  if (operand.constant)
    return splatOf(operand.constant);
  Value value = operand.value;
  while (value && isa_and_nonnull<nn::ExpandOp, nn::ReshapeOp, nn::CastOp>(value.getDefiningOp())) {
    Value source = value.getDefiningOp()->getOperand(0);
    if (mayBecomeOther(nn::elementTypeOf(source), nn::elementTypeOf(value)))
      break;
    value = source;
  }
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nullptr;
  return constant ? splatOf(constant.getValue()) : std::nullopt;
}

std::optional<nn::Shape> Node::sizes(unsigned i) {
  if (known(i).sizes)
    return known(i).sizes;
  error("expects sizes that are known while the program is compiled, or products of the sizes of inputs");
  return std::nullopt;
}

std::optional<Numbers> Node::integers(unsigned i) {
  Numbers numbers;
  if (known(i).sizes)
    for (const nn::Dim &size : *known(i).sizes)
      if (size.isStatic())
        numbers.push_back(size.factor);
  if (known(i).sizes && numbers.size() == known(i).sizes->size())
    return numbers;
  error("expects whole numbers that are known while the program is compiled as operand " + Twine(i));
  return std::nullopt;
}

//===-- Settings ---------------------------------------------------------------===//

/// The whole numbers of an attribute, also of lists in lists; false where there is anything else.
static bool collectNumbers(Attribute attribute, Numbers &numbers) {
  if (auto list = dyn_cast<ArrayAttr>(attribute)) {
    for (Attribute each : list)
      if (isa<ArrayAttr>(each) ? !llvm::all_of(cast<ArrayAttr>(each), llvm::IsaPred<IntegerAttr>)
                               : !isa<IntegerAttr, BoolAttr>(each))
        return false;
    return llvm::all_of(list, [&](Attribute each) { return collectNumbers(each, numbers); });
  }
  if (auto number = dyn_cast<IntegerAttr>(attribute)) {
    numbers.push_back(number.getValue().getBitWidth() <= 64
                          ? (number.getType().isInteger(1) ? int64_t(number.getValue().getZExtValue())
                                                           : number.getValue().getSExtValue())
                          : INT64_MAX);
    return true;
  }
  if (auto list = dyn_cast<DenseI64ArrayAttr>(attribute))
    return llvm::append_range(numbers, list.asArrayRef()), true;
  if (auto list = dyn_cast<DenseBoolArrayAttr>(attribute)) {
    for (bool each : list.asArrayRef())
      numbers.push_back(each);
    return true;
  }
  auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getNumElements() > 2 * nn::maxRank ||
      elements.getElementType().getIntOrFloatBitWidth() > 64)
    return false;
  for (APInt number : elements.getValues<APInt>())
    numbers.push_back(number.getSExtValue());
  return true;
}

/// The field of "gather<offset_dims = [1], index_vector_dim = 2>".
static std::optional<Numbers> fieldOf(StringRef text, StringRef field) {
  size_t at = 0;
  do {
    at = text.find(field, at);
    if (at == StringRef::npos)
      return std::nullopt;
    StringRef before = text.take_front(at).rtrim(), after = text.drop_front(at + field.size()).ltrim();
    at += field.size();
    if ((!before.ends_with("<") && !before.ends_with(",")) || !after.consume_front("="))
      continue;
    after = after.ltrim();
    bool isList = after.consume_front("[");
    StringRef list = after.take_until([&](char c) { return isList ? c == ']' : c == ',' || c == '>'; });
    Numbers numbers;
    SmallVector<StringRef> parts;
    list.split(parts, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    for (StringRef part : parts)
      if (part = part.trim(); part.getAsInteger(10, numbers.emplace_back()))
        return std::nullopt;
    return numbers;
  } while (true);
}

std::optional<Numbers> Node::numbers(StringRef name, StringRef within) {
  Numbers numbers;
  if (Attribute attribute = op->getAttr(name)) {
    if (collectNumbers(attribute, numbers))
      return numbers;
    error("expects whole numbers as " + name);
    return std::nullopt;
  }
  return within.empty() ? std::nullopt : fieldOf(text(within), name);
}

int64_t Node::number(StringRef name, int64_t fallback, StringRef within) {
  std::optional<Numbers> found = numbers(name, within);
  if (found && found->size() != 1)
    error("expects one number as " + name);
  return found && found->size() == 1 ? found->front() : fallback;
}

std::optional<Numbers> Node::perDim(StringRef name, size_t count, int64_t fallback) {
  if (!op->getAttr(name))
    return Numbers(count, fallback);
  std::optional<Numbers> found = numbers(name);
  if (!found || found->size() == count)
    return found;
  error("expects " + Twine(count) + " numbers as " + name + ", got " + Twine(found->size()));
  return std::nullopt;
}

std::optional<Numbers> Node::dims(StringRef name, int64_t rank, StringRef within) {
  Numbers found = numbers(name, within).value_or(Numbers());
  for (auto [i, dim] : llvm::enumerate(found))
    if (dim < 0 || dim >= rank || llvm::is_contained(ArrayRef(found).take_front(i), dim)) {
      error("expects distinct dims from 0 to " + Twine(rank - 1) + " as " + name + ", got " + Twine(dim));
      return std::nullopt;
    }
  return found;
}

StringRef Node::text(StringRef name) {
  auto attribute = op->getAttrOfType<StringAttr>(name);
  return attribute ? attribute.getValue() : "";
}

StringRef Node::word(StringRef name) {
  StringRef whole = text(name);
  return whole.contains(' ') ? whole.rsplit(' ').second : whole;
}

//===-- Results ----------------------------------------------------------------===//

Type Node::resultType() {
  return importer.elementTypeOf(mlir::cast<RankedTensorType>(op->getResult(0).getType()).getElementType());
}

std::optional<nn::Shape> Node::resultShape() {
  auto type = mlir::cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape())
    return std::nullopt;
  return nn::Shape(type.getShape().begin(), type.getShape().end());
}

void Node::give(Known known) {
  if (op->getNumResults() == 0)
    return error("has no result");
  (*importer.scope)[op->getResult(0)] = std::move(known);
}
void Node::give(Value value) {
  if (!value)
    return; // told
  Known known;
  known.value = value;
  give(std::move(known));
}
void Node::giveSizes(nn::Shape sizes) {
  Known known;
  known.sizes = std::move(sizes);
  give(std::move(known));
}

void Node::limitIndices(Value indices, int64_t low, const nn::Dim &limit) {
  frontend::limitIndices(importer.program.op, indices, low, limit);
}

Value Node::transpose(Value x, ArrayRef<int64_t> permutation) {
  if (llvm::is_sorted(permutation))
    return x;
  return make<nn::TransposeOp>({x}, attr("permutation", permutation));
}

std::string combiningOperation(Operation *op) {
  if (auto applied = op->getAttrOfType<StringAttr>("applies"))
    return applied.str();
  if (op->getNumRegions() != 1 || !op->getRegion(0).hasOneBlock())
    return "";
  Block &block = op->getRegion(0).front();
  if (block.getNumArguments() != 2 || block.getOperations().size() != 2)
    return "";
  Operation &first = block.front(), &last = block.back();
  bool isOfBoth =
      first.getNumOperands() == 2 && first.getNumResults() == 1 &&
      ((first.getOperand(0) == block.getArgument(0) && first.getOperand(1) == block.getArgument(1)) ||
       (first.getOperand(1) == block.getArgument(0) && first.getOperand(0) == block.getArgument(1)));
  bool isGiven = last.getName().getStringRef() == "stablehlo.return" && last.getNumOperands() == 1 &&
                 last.getOperand(0) == first.getResult(0);
  return isOfBoth && isGiven ? first.getName().getStringRef().str() : "";
}

} // namespace dlc::stablehlo

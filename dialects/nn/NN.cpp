//===- NN.cpp - the nn dialect
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registration, and the attribute that names dynamic dims.
//===----------------------------------------------------------------------===//
#include "dialects/nn/NN.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/FoldConstants.h"
#include "dialects/nn/Keyword.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nn;

//===-- #nn.dims -------------------------------------------------------------===//

/// Names are bare words; products are strings.
static ParseResult parseDimNames(AsmParser &parser, SmallVector<StringAttr> &names) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    names.push_back(StringAttr::get(parser.getContext(), name));
    return success();
  });
}

static void printDimNames(AsmPrinter &printer, ArrayRef<StringAttr> names) {
  llvm::interleaveComma(names, printer.getStream(),
                        [&](StringAttr name) { printer.printKeywordOrString(name.getValue()); });
}

LogicalResult DimsAttr::verify(function_ref<InFlightDiagnostic()> emitError, ArrayRef<StringAttr> names) {
  for (StringAttr name : names) {
    if (name.getValue() == "_")
      continue;
    std::optional<Dim> dim = Dim::parse(name.getValue());
    if (!dim || dim->isStatic())
      return emitError() << "#nn.dims expects _, a name, or a product such as \"32*batch\" (factor first, "
                            "names in order), got "
                         << name;
  }
  return success();
}

LogicalResult DimsAttr::verifyEncoding(ArrayRef<int64_t> shape, Type elementType,
                                       function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != getNames().size())
    return emitError() << "#nn.dims expects one entry per dim, " << shape.size() << " in all, got "
                       << getNames().size();
  for (auto [i, size, name] : llvm::enumerate(shape, getNames()))
    if (ShapedType::isDynamic(size) == (name.getValue() == "_"))
      return emitError() << "#nn.dims names exactly the dynamic dims: expects "
                         << (ShapedType::isDynamic(size) ? "a name" : "_") << " for dim " << i << ", got "
                         << name;
  return success();
}

//===-- The dialect ----------------------------------------------------------===//

#include "dialects/nn/GradientInterface.cpp.inc"
#include "dialects/nn/NNDialect.cpp.inc"
#include "dialects/nn/NNEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/nn/NNAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/nn/NNOps.cpp.inc"

void NNDialect::initialize() {
  addInterfaces<ConstantFolder>();
  addOperations<
#define GET_OP_LIST
#include "dialects/nn/NNOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/nn/NNAttrs.cpp.inc"
      >();
}

Operation *NNDialect::materializeConstant(OpBuilder &builder, Attribute value, Type type, Location location) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(builder, location, elements);
}

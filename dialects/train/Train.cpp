//===- Train.cpp - the train dialect
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "dialects/nn/Keyword.h"
#include "dialects/train/Custom.h"
#include "dialects/train/MoreOptimizers.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace train;
using nn::parseKeyword;
using nn::printKeyword;

/// `tensor<4xf32> = dense<0.0>`: the values have the type before them.
static ParseResult parseTypeAndInitial(OpAsmParser &parser, TypeAttr &type, ElementsAttr &initial) {
  Type parsed;
  if (parser.parseType(parsed))
    return failure();
  type = TypeAttr::get(parsed);
  return succeeded(parser.parseOptionalEqual()) ? parser.parseAttribute(initial, parsed) : success();
}

static void printTypeAndInitial(OpAsmPrinter &printer, Operation *, TypeAttr type, ElementsAttr initial) {
  printer << type.getValue();
  if (!initial)
    return;
  printer << " = ";
  printer.printAttributeWithoutType(initial);
}

/// `0.99`, with as few digits as give the number again.
static ParseResult parseDecimal(OpAsmParser &parser, FloatAttr &attribute) {
  FailureOr<Number> number = FieldParser<Number>::parse(parser);
  if (failed(number))
    return failure();
  attribute = parser.getBuilder().getF64FloatAttr(number->value);
  return success();
}

static void printDecimal(OpAsmPrinter &printer, Operation *, FloatAttr attribute) {
  static_cast<AsmPrinter &>(printer) << Number(attribute.getValueAsDouble());
}

#include "dialects/train/ScheduleInterface.cpp.inc"
#include "dialects/train/TrainDialect.cpp.inc"
#include "dialects/train/TrainEnums.cpp.inc"
#include "dialects/train/UpdateInterface.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttrs.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/train/TrainOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/train/CustomOps.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/train/MoreOptimizerOps.cpp.inc"

namespace {
/// Folded constants stay inside the function that uses them.
struct ConstantPlacement : public DialectFoldInterface {
  using DialectFoldInterface::DialectFoldInterface;
  bool shouldMaterializeInto(Region *region) const final { return isa<FunctionOp>(region->getParentOp()); }
};
} // namespace

void TrainDialect::initialize() {
  addInterfaces<ConstantPlacement>();
  addOperations<
#define GET_OP_LIST
#include "dialects/train/TrainOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/train/CustomOps.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/train/MoreOptimizerOps.cpp.inc"
      >();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/train/TrainAttrs.cpp.inc"
      >();
}

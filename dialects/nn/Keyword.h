//===- Keyword.h - enum attributes as words of the syntax
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `custom<Keyword>($mode)`: as `$mode` alone, but without the second space that MLIR prints before it.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_KEYWORD_H
#define DLC_DIALECTS_NN_KEYWORD_H

#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"

namespace nn {

template <typename EnumAttr> mlir::ParseResult parseKeyword(mlir::OpAsmParser &parser, EnumAttr &attribute) {
  using Enum = decltype(attribute.getValue());
  mlir::FailureOr<Enum> value = mlir::FieldParser<Enum>::parse(parser);
  if (mlir::failed(value))
    return mlir::failure();
  attribute = EnumAttr::get(parser.getContext(), *value);
  return mlir::success();
}

template <typename EnumAttr>
void printKeyword(mlir::OpAsmPrinter &printer, mlir::Operation *, EnumAttr attribute) {
  printer << stringifyEnum(attribute.getValue());
}

} // namespace nn

#endif // DLC_DIALECTS_NN_KEYWORD_H

//===- Grammar.h - the text of StableHLO -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR reads every operation in its generic form, "stablehlo.add"(%a, %b) : (...) -> ...; here it learns the
// short forms, in which JAX writes most of them. What the settings of an operation mean is for the importer:
// an operation that dlc does not have is read, too, so that it can be refused with its place in the user's
// program. Settings have the names of the generic form.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_GRAMMAR_H
#define DLC_FRONTENDS_STABLEHLO_GRAMMAR_H

#include "mlir/IR/MLIRContext.h"

namespace dlc::stablehlo {

/// Has texts of `context` read with operations of StableHLO and CHLO. Attributes in their own notation, such
/// as `#stablehlo<precision DEFAULT>`, become texts: "precision DEFAULT".
void loadGrammar(mlir::MLIRContext &context);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_GRAMMAR_H

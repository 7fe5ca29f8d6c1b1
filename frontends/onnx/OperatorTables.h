//===- OperatorTables.h - which import belongs to which operator and opset --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each file of operators/ has a table of the operators that it imports, by version.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_OPERATORTABLES_H
#define DLC_FRONTENDS_ONNX_OPERATORTABLES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace dlc::onnx {

class Node;

/// Some inputs of an operator.
struct Inputs {
  int first = 0, count = 0;
};

/// An operator from version `since` on, until the next one of its name.
struct Operator {
  const char *op;
  int64_t since;
  void (*import)(Node &);
  int requiredInputs;
  int maxInputs;
  const char *attributes; ///< names of all attributes it knows
  Inputs weights = {};    ///< where a layer has parameters of its own
  /// The nn operation that this node alone computes, of the same operands: `dlc export` writes it so.
  const char *operation = nullptr;
};
constexpr int anyNumber = 1 << 20;

#define FAMILY(Name) llvm::ArrayRef<Operator> operatorsOf##Name();
#include "frontends/onnx/Operators.inc"

/// All of them.
llvm::ArrayRef<llvm::ArrayRef<Operator>> operatorTables();

/// The version of `op` for `opset`; null if there is none. `known` says whether another version is there.
const Operator *findOperator(llvm::StringRef op, int64_t opset, bool &known);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_OPERATORTABLES_H

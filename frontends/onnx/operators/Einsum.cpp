//===- Einsum.cpp - ONNX operator Einsum
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Einsum.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

static void einsum(Node &node) {
  SmallVector<Value> operands;
  for (int i = 0; i < node.inputCount(); ++i)
    operands.push_back(node.value(i));
  if (llvm::is_contained(operands, Value()))
    return;
  if (Value sum = frontend::einsum(node.b, node.text("equation", ""), operands,
                                   [&](const Twine &message) { node.error(message); }))
    node.give(0, sum);
}

static const Operator einsumOperators[] = {
    {"Einsum", 12, einsum, 1, anyNumber, "equation"},
};

ArrayRef<Operator> operatorsOfEinsum() { return einsumOperators; }

} // namespace dlc::onnx

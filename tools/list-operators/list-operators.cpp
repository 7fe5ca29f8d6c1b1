//===- list-operators.cpp - the ONNX operators that the importer reads -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a table of Markdown: the operators of each file of frontends/onnx/operators.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

static void print(llvm::StringRef file, llvm::ArrayRef<dlc::onnx::Operator> versions) {
  std::set<std::string> operators;
  for (const dlc::onnx::Operator &version : versions)
    operators.insert(version.op);
  llvm::outs() << "| " << file << " | " << llvm::join(operators, " ") << " |\n";
}

int main() {
  llvm::outs() << "| file | operators |\n|---|---|\n";
#define FAMILY(Name) print(#Name, dlc::onnx::operatorsOf##Name());
#include "frontends/onnx/Operators.inc"
}

//===- list-operators.cpp - the operators that the importers read ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prints a table of Markdown: the operators of each file of frontends/onnx/operators, with --aten those of
// frontends/pt2/operators, with --stablehlo those of frontends/stablehlo/operators.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/OperatorTables.h"
#include "frontends/pt2/OperatorTables.h"
#include "frontends/stablehlo/Node.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"
#include <set>

static void print(llvm::StringRef file, const std::set<std::string> &operators) {
  llvm::outs() << "| " << file << " | " << llvm::join(operators, " ") << " |\n";
}

static std::set<std::string> namesOf(llvm::ArrayRef<dlc::onnx::Operator> versions) {
  std::set<std::string> operators;
  for (const dlc::onnx::Operator &version : versions)
    operators.insert(version.op);
  return operators;
}

/// Without the library that all but a few are of.
static std::set<std::string> namesOf(llvm::ArrayRef<dlc::pt2::Operator> table) {
  std::set<std::string> operators;
  for (const dlc::pt2::Operator &op : table) {
    llvm::StringRef name = op.name;
    name.consume_front("aten.");
    operators.insert(name.str());
  }
  return operators;
}

/// Without "stablehlo.", which most begin with.
static std::set<std::string> namesOf(llvm::ArrayRef<dlc::stablehlo::Operator> table) {
  std::set<std::string> operators;
  for (const dlc::stablehlo::Operator &op : table) {
    llvm::StringRef name = op.name;
    name.consume_front("stablehlo.");
    operators.insert(name.str());
  }
  return operators;
}

int main(int count, char **arguments) {
  llvm::outs() << "| file | operators |\n|---|---|\n";
  if (count > 1 && llvm::StringRef(arguments[1]) == "--aten") {
    using namespace dlc::pt2;
#define FAMILY(Name) print(#Name, namesOf(operatorsOf##Name()));
#include "frontends/pt2/Operators.inc"
#undef FAMILY
    return 0;
  }
  if (count > 1 && llvm::StringRef(arguments[1]) == "--stablehlo") {
    using namespace dlc::stablehlo;
#define FAMILY(Name) print(#Name, namesOf(operatorsOf##Name()));
#include "frontends/stablehlo/Operators.inc"
#undef FAMILY
    return 0;
  }
  using namespace dlc::onnx;
#define FAMILY(Name) print(#Name, namesOf(operatorsOf##Name()));
#include "frontends/onnx/Operators.inc"
}

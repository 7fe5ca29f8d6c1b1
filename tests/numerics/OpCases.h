//===- OpCases.h - operations, data and what PyTorch gives ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The table of cases that the interpreter, the gradient rules and compiled code are all tested with:
// op_cases/*.json, written by make_op_cases, which says what a case holds.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_OPCASES_H
#define DLC_TESTS_NUMERICS_OPCASES_H

#include "compiler/interpret/Interpreter.h"
#include "llvm/Support/JSON.h"
#include <ostream>

namespace dlc::numerics {

using interpret::Tensor;
using Tensors = llvm::StringMap<Tensor>;

struct OpCase {
  std::string family, name, op, text;
  std::vector<std::string> types; ///< of the inputs, as in MLIR
  std::vector<Tensor> inputs, outputs;
  std::vector<unsigned> differentiate; ///< inputs that finite differences can check
  interpret::DimSizes dims;
  /// Gradients by PyTorch where finite differences say nothing; no `dx` where there is no gradient.
  struct Kink {
    std::vector<Tensor> dy;
    std::vector<std::optional<Tensor>> dx;
  };
  std::optional<Kink> kink;

  /// The names of the inputs in programs: "x0", "x1" ...
  Tensors namedInputs() const;
  /// `%r = nn.add %0, %1 : ...`, with reads of the inputs before; each line starts with `indent`.
  std::string body(llvm::StringRef indent) const;
  /// Declarations of dims and inputs.
  std::string declarations() const;

  /// How GoogleTest prints a case.
  friend void PrintTo(const OpCase &test, std::ostream *stream) { *stream << test.name; }
};

/// The families of operations: there is a file of cases for each.
const std::vector<std::string> &families();
/// All cases, in the order of the files.
const std::vector<OpCase> &opCases();

/// The text with float64 where it says float32, so that rules do not round their constants.
std::string inDouble(std::string text);

/// A JSON file of this folder; ends the test program with a message where it cannot be read.
llvm::json::Value readJson(const std::string &name);
/// An array of numbers, and of "nan", "inf", "-inf", with the shape given.
Tensor tensorFrom(const llvm::json::Value &data, llvm::ArrayRef<int64_t> shape, interpret::DType dtype);

/// For GoogleTest, which wants letters, digits and underscores: "add (3, 5) ()" is add_3x5_none.
std::string testName(llvm::StringRef name);

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_OPCASES_H

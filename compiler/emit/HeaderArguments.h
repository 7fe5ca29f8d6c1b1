//===- HeaderArguments.h - what a header says of tensors and sizes ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_HEADERARGUMENTS_H
#define DLC_COMPILER_EMIT_HEADERARGUMENTS_H

#include "compiler/emit/Interface.h"
#include "llvm/Support/raw_ostream.h"

namespace dlc::emit {

/// "float[64][784]".
std::string cArray(const TensorInterface &tensor);
/// A model's own names may hold anything: in comments, what ends one is broken up.
std::string inComment(llvm::StringRef text);
/// What is behind an input's type: "; classes: axis 1 (10), values 0 to 9 ...", "; the target".
std::string noteOf(const InputInterface &input);
/// "initially 0.9; at least 0, less than 1".
std::string rangeOf(const StateInterface &hyperparameter);

/// The parameters of functions of a model, and their descriptions.
class HeaderArguments {
protected:
  explicit HeaderArguments(const Interface &interface) : interface(interface), out(text) {}

  /// "const float *image, const int64_t *labels, " with a break after each; with those that `derivative`
  /// alone takes.
  std::string inputParameters(bool withTargets, train::Derivative derivative = train::Derivative::None) const;
  /// How the caller lays out a tensor: "float[64][784]"; where the caller gives sizes, "float[rows][seq]".
  std::string arrayOf(const TensorInterface &tensor, bool atSizes) const;
  void describeInputs(bool withTargets, bool atSizes, train::Derivative derivative = train::Derivative::None);
  bool isTaken(const InputInterface &input, bool withTargets, train::Derivative derivative) const;
  /// What predict or a derivative gives; and ",\n    float *scores" for each.
  void describeOutputs(train::Derivative derivative);
  std::string outputParameters(train::Derivative derivative) const;
  void describeInput(const InputInterface &input, bool atSizes);
  std::string rowsNote() const {
    return interface.batch ? "1 to " + interface.upperName + "_BATCH"
                           : std::string("1: the model has no batch");
  }
  /// ", int64_t seq": a parameter for each size beside the rows.
  std::string sizeParameters() const;
  void describeSizes();

  const Interface &interface;
  std::string text; ///< of the header so far
  llvm::raw_string_ostream out;
};

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_HEADERARGUMENTS_H

//===- HeaderWriter.h - the parts of the header of a compiled model -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_HEADERWRITER_H
#define DLC_COMPILER_EMIT_HEADERWRITER_H

#include "compiler/emit/Header.h"
#include "compiler/emit/HeaderArguments.h"

namespace dlc::emit {

class HeaderWriter : HeaderArguments {
public:
  HeaderWriter(const Interface &interface, const HeaderOptions &options)
      : HeaderArguments(interface), options(options), name(interface.name), upper(interface.upperName) {}

  std::string write();

private:
  // Header.cpp
  void writePreamble();
  void writeConstants();
  void writeLife();
  void writePrediction();
  void describePredicting(train::Derivative derivative);
  void declarePredicting(llvm::StringRef function, train::Derivative derivative);
  void writeDerivative(train::Derivative derivative);
  void writeJacobian();
  void writeFiles();
  void writeExtras();
  void writeMemory();

  // HeaderParameters.cpp
  void writeParameters();
  void writeAllParameters();
  void writeAllGradients();

  // HeaderTraining.cpp
  void writeTraining();
  void writeAnySize();
  void writeRanks();
  void writeSlices();
  void writeNumbersOfSteps();
  void writeHyperparameters();

  const HeaderOptions &options;
  const std::string &name, &upper;
};

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_HEADERWRITER_H

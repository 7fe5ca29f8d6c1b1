//===- FortranWriter.h - a compiled model as a module of Fortran ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_FORTRANWRITER_H
#define DLC_COMPILER_EMIT_BINDINGS_FORTRANWRITER_H

#include "compiler/emit/bindings/Writer.h"

namespace dlc::emit::bindings::fortran {

class Fortran : Writer {
public:
  explicit Fortran(const Description &model);
  std::string write() override;

private:
  void writeConstants();
  void writeType();
  void writeInterface();
  void writeTable();
  void writeMemory();
  void writeFunction(const Function &function);
  std::string typeOfResult(const Function &function) const; ///< as C gives it
  void writeSettings();
  void writeNamed(llvm::StringRef what);
  void writeStep(const Step &step);
  /// (self, argument, stat, errmsg) with one number, which goes in or comes out.
  void writeOne(llvm::StringRef function, llvm::StringRef about, llvm::StringRef argument = "",
                llvm::StringRef declaration = "", llvm::StringRef passed = "");
  std::map<std::string, std::vector<std::string>> specifics() const; ///< dtypes by type of Fortran
};

} // namespace dlc::emit::bindings::fortran

#endif // DLC_COMPILER_EMIT_BINDINGS_FORTRANWRITER_H

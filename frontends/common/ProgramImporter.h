//===- ProgramImporter.h - from a file's graph to a train program ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which the importers of all kinds of files work; a derived class walks its file. An error
// poisons what depends on it and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_PROGRAMIMPORTER_H
#define DLC_FRONTENDS_COMMON_PROGRAMIMPORTER_H

#include "frontends/common/ProgramBuilder.h"

namespace dlc::frontend {

/// What an import finds.
struct Imported {
  mlir::OwningOpRef<mlir::ModuleOp> module; ///< null if there are reasons against
  std::vector<std::string> reasons;
};

/// The module. Where there is none, an error at the file `path` for each reason.
mlir::OwningOpRef<mlir::ModuleOp> moduleOrErrors(Imported imported, llvm::StringRef path,
                                                 mlir::MLIRContext &context);
/// The reasons. Where there are none, the module goes to `*module` if that is not null.
std::vector<std::string> reasonsAgainst(Imported imported, mlir::OwningOpRef<mlir::ModuleOp> *module);

class ProgramImporter {
public:
  virtual ~ProgramImporter();

  Imported run();
  /// Says what there is to know of a model that is imported, at its file.
  void tell() const;

protected:
  /// As those of ProgramBuilder; `path`: of the file.
  ProgramImporter(llvm::StringRef path, const ImportOptions &options, bool checking,
                  mlir::MLIRContext &context, llvm::StringRef batchName = "");

  /// Reads the file into the program that is begun.
  virtual void importGraph() = 0;
  /// The end of an import without reasons against.
  virtual void finish() {}

  const ImportOptions &options;
  mlir::MLIRContext &context;
  Diagnostics diagnostics;
  ProgramBuilder program;

private:
  const std::string path;
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_PROGRAMIMPORTER_H

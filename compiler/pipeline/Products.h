//===- Products.h - what is made of a planned program ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_PRODUCTS_H
#define DLC_COMPILER_PIPELINE_PRODUCTS_H

#include "compiler/codegen/GpuCode.h"
#include "compiler/emit/Library.h"
#include "compiler/emit/OutputFiles.h"
#include "compiler/pipeline/Variant.h"
#include "mlir/Support/Timing.h"

namespace dlc::pipeline {

class Products {
public:
  /// What headers and manifests say of the training.
  struct Training {
    std::string text; ///< loss, optimizer and groups
    uint64_t seed = 0;
    /// What an imported program says, which still has its recipe.
    static Training of(train::ProgramOp program);
  };

  /// The planned programs of all targets.
  Products(llvm::ArrayRef<Variant> variants, const Options &options, Training training,
           mlir::TimingScope &timing);

  /// The program's text, code, or a library with its header, manifest and weights: to a folder, or where the
  /// options name none and it is text, to `out`. Texts of several targets need a folder.
  mlir::LogicalResult writeIr(llvm::raw_ostream &out);
  mlir::LogicalResult writeCode(llvm::raw_ostream &out);
  mlir::LogicalResult writeLibrary();

  /// Without `functions`, code has no other interface than the model's table.
  mlir::FailureOr<std::vector<codegen::CodeModule>> generate(codegen::ObjectOptions::Output output,
                                                             bool functions = true);
  std::vector<emit::Member> members(std::vector<codegen::CodeModule> code);
  /// The name of a file and its digest.
  using Digest = std::pair<std::string, std::string>;
  /// The manifest of a library that consists of `files`.
  std::string manifest(llvm::ArrayRef<std::string> files, llvm::ArrayRef<Digest> digests = {});

private:
  mlir::LogicalResult write(llvm::function_ref<llvm::Error(emit::OutputFiles &)> addFiles);
  /// The user's code, as what the other code is.
  mlir::LogicalResult addCustom(std::vector<codegen::CodeModule> &code,
                                codegen::ObjectOptions::Output output);
  bool weightsAreInFile();
  /// Whether texts are printed to the stream instead of being written to files.
  bool goesToStream() const { return options.outputFolder.empty() && !options.filesInMemory; }
  std::string name() { return program.getSymName().str(); }
  std::vector<codegen::TargetProgram> programs();
  codegen::CodegenOptions codegenOptions(codegen::ObjectOptions::Output output);
  /// What --emit names.
  mlir::FailureOr<std::vector<codegen::CodeModule>> emitted();
  Training training;

  llvm::ArrayRef<Variant> variants;
  /// What users and files see of the program is taken from this one: the CPU's, where there is one, as a
  /// block of memory that a caller brings along is for CPUs.
  train::ProgramOp program;
  const Options &options;
  mlir::TimingScope &timing;
};

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_PRODUCTS_H

//===- ProgramNode.h - a node of a file's graph, and its program -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What operators of all kinds of files ask of the program, and add to it: random numbers and ranges of
// indices are declared by the nodes that need them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_PROGRAMNODE_H
#define DLC_FRONTENDS_COMMON_PROGRAMNODE_H

#include "frontends/common/IndexRange.h"
#include "frontends/common/OpMaker.h"
#include "frontends/common/ProgramBuilder.h"

namespace dlc::frontend {

class ProgramNode : public OpMaker {
public:
  /// Training this node is not what the file says.
  void remark(const llvm::Twine &message) { diagnostics.remark(op, message, name); }
  /// Something else to know about training it.
  void note(const llvm::Twine &message) { diagnostics.note(op, message, name); }

  bool predictOnly() const { return program.options.predictOnly; }
  /// The number of elements of a training step; nullopt where it is too large or open.
  std::optional<int64_t> trainingSize(llvm::ArrayRef<nn::Dim> shape) const {
    if (program.options.batch == 0 && program.dimNames.hasBatch())
      return std::nullopt; // the size is none that was asked for
    return countElements(
        llvm::map_to_vector(shape, [&](const nn::Dim &dim) { return program.dimNames.boundOf(dim); }));
  }
  /// The state of the random numbers.
  mlir::Value rng() { return program.rng(); }
  /// A number for each place that draws random numbers.
  int64_t nextStream() { return program.nextStream(); }
  /// Declares that `indices` lie in [low, limit), or are `ignored`, where they are an input of the program.
  void limitIndices(mlir::Value indices, int64_t low, const nn::Dim &limit,
                    std::optional<int64_t> ignored = std::nullopt) {
    frontend::limitIndices(program.op, indices, low, limit, ignored);
  }

protected:
  /// The maker of an operator `op`, for a node called `name`.
  ProgramNode(ProgramBuilder &program, Diagnostics &diagnostics, llvm::StringRef op, llvm::StringRef name)
      : OpMaker(program.body), program(program), diagnostics(diagnostics), op(op), name(name) {}

  ProgramBuilder &program;
  Diagnostics &diagnostics;

private:
  llvm::StringRef op, name;
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_PROGRAMNODE_H

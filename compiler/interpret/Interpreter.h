//===- Interpreter.h - the reference interpreter --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference interpreter: runs the functions of a program of the stages `import`, `forward` and
// `backward` with plain loops in double precision. It shares nothing with decomposition and code
// generation, so that it can tell whether they are right.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_INTERPRETER_H
#define DLC_COMPILER_INTERPRET_INTERPRETER_H

#include "compiler/interpret/Evaluation.h"
#include "compiler/interpret/Exchange.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/DenseMap.h"

#include <memory>
#include <random>

namespace dlc::interpret {

struct Options {
  /// Round the results of each operation to its dtype, as compiled code would at most do.
  bool roundResults = false;
  /// Stop with an error at the first operation that makes a NaN or an infinity.
  bool stopAtNonFinite = false;
  /// Numbers are moved by this part of themselves, to either side by chance, before they are cast to fewer
  /// bits than float32 has. Compiled code's numbers are off by some last bits there, and one that is next to
  /// the middle of two narrow ones goes to the other.
  double beforeNarrow = 0;
  unsigned seed = 0; ///< of that chance
  /// Every value of the last run can be looked at; else each goes after its last use, and memory is that of
  /// what lives at the same time.
  bool keepsValues = true;
  /// Round what products and sums have come to after each term, as code that adds them one after another
  /// does: of all but float64.
  bool roundSums = false;
  /// Keep the values that decide something (Exchange.h), in the order of the function.
  bool keepsDeciding = false;
};

/// Where a NaN or an infinity first appears in a result though no operand held one.
struct NonFinite {
  mlir::Operation *op;
  unsigned result;
  int64_t element; ///< row-major
  double value;
  /// "nn.log at fc1/Log: result 0, element 3 is nan".
  std::string str() const;
};

/// The name that a location carries (an ONNX node's, "gradient of ..."), else its text.
std::string nameOf(mlir::Location location);

class Interpreter {
public:
  /// Sets every state to its initial value; fails, with an error, where that cannot be read.
  static mlir::FailureOr<Interpreter> create(train::ProgramOp program, Options options = {});

  /// Replaces the value of a state; the shape and the dtype must be the declared ones.
  mlir::LogicalResult setState(llvm::StringRef name, Tensor value);
  const Tensor *state(llvm::StringRef name) const;

  /// Runs one function. Sizes of named dims follow from the inputs; `dims` gives those that do not, and
  /// a dim that nothing gives has its bound. After an error all state is as it was.
  mlir::LogicalResult run(llvm::StringRef function, const llvm::StringMap<Tensor> &inputs,
                          const DimSizes &dims = {});

  /// What the last run wrote to an output, and the loss if the function has a `train.loss`.
  const Tensor *output(llvm::StringRef name) const;
  const llvm::StringMap<Tensor> &outputs() const { return written; }
  const llvm::StringMap<Tensor> &states() const { return current; }
  const Tensor *loss() const { return lossValue.shape.empty() && hasLoss ? &lossValue : nullptr; }
  /// Any SSA value of the last run, where values are kept. By name: result `name#k` (k = 0 may be left out)
  /// of the last operation whose location has this name.
  const Tensor *value(mlir::Value ssa) const;
  const Tensor *value(llvm::StringRef locationName) const;
  /// The values that decided something in the last run, where they are kept.
  const std::vector<Tensor> &deciding() const { return decidingValues; }
  /// In the next runs, values that decide something are exchanged within these cells, in their order.
  void exchangeWithin(std::vector<Cells> widths, bool isBetween) {
    cells = std::move(widths);
    areBetween = isBetween;
  }
  const std::optional<NonFinite> &firstNonFinite() const { return nonFinite; }

private:
  Interpreter(train::ProgramOp program, Options options)
      : program(program), options(options), chance(options.seed) {}
  mlir::LogicalResult reset();
  mlir::LogicalResult bindDims(const llvm::StringMap<Tensor> &given);
  mlir::LogicalResult execute(mlir::Operation &op, const llvm::StringMap<Tensor> &inputs);
  mlir::LogicalResult read(train::ReadOp op, const llvm::StringMap<Tensor> &inputs);
  mlir::LogicalResult write(mlir::Operation *op, llvm::StringRef symbol, const Tensor &value);
  mlir::LogicalResult evaluate(mlir::Operation &op);
  mlir::LogicalResult normalizeBatch(train::BatchNormOp op);
  mlir::LogicalResult checkFinite(mlir::Operation &op);
  void visitDeciding(mlir::Operation &op);
  void findLastUses(train::FunctionOp function);

  train::ProgramOp program;
  Options options;
  std::mt19937 chance;
  DimSizes dims;
  llvm::StringMap<Tensor> current, written, pending;
  llvm::DenseMap<mlir::Value, Tensor> values;
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<mlir::Value>> ending; ///< values last used by it
  llvm::DenseMap<mlir::Value, unsigned> numbers; ///< of deciding values, where they are kept or exchanged
  std::vector<Tensor> decidingValues;
  std::vector<Cells> cells;
  bool areBetween = false;
  Tensor lossValue;
  bool hasLoss = false;
  std::optional<NonFinite> nonFinite;
};

/// The elements of a constant; failure, with an error from `report`, where they are not in memory.
mlir::FailureOr<Tensor> tensorOf(mlir::ElementsAttr elements,
                                 llvm::function_ref<mlir::InFlightDiagnostic()> report);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_INTERPRETER_H

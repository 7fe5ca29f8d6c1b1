//===- States.h - values, parameters and buffers of an imported model ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what constants of the model became in the program: parameters and buffers, which are states, each
// under one symbol. A constant becomes a value of the program when something reads it.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_STATES_H
#define DLC_FRONTENDS_ONNX_STATES_H

#include "frontends/common/ProgramBuilder.h"
#include "frontends/onnx/ExportRecord.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/Trainable.h"

namespace dlc::onnx {

class States {
public:
  States(GraphNames &names, Trainable &trainable, const ExportRecord &record,
         frontend::ProgramBuilder &program, frontend::Diagnostics &diagnostics)
      : names(names), trainable(trainable), record(record), program(program), diagnostics(diagnostics) {}

  /// The value that a known name stands for; null after an error.
  mlir::Value valueOf(llvm::StringRef name);
  /// The same of an output of the graph, whose name a constant gets that nothing else reads.
  mlir::Value valueOfOutput(llvm::StringRef name) { return materialize(name, *names.find(name)); }
  /// Whether the constant that a name stands for is changed by training.
  bool isTrained(llvm::StringRef name);
  /// The parameter that starts as `numbers`, where the initializer `key[0]` of integers stands for them with
  /// the scale and the zero point `key[1]` and `key[2]`. Null where `key[0]` is no initializer, or is not
  /// trained.
  mlir::Value parameterFromIntegers(llvm::ArrayRef<llvm::StringRef> key, const HostTensor &numbers,
                                    bool &isNew);
  /// The buffer (running statistics) that starts as the constant `initial`: its symbol, nullopt after an
  /// error.
  std::optional<std::string> buffer(llvm::StringRef name, const HostTensor &initial);
  /// Its value, for nodes that do not change it; null after an error.
  mlir::Value bufferValue(llvm::StringRef name, const HostTensor &initial);

  /// The initializer that the parameter of this symbol was, "" of others.
  std::string initializerOf(llvm::StringRef symbol) const { return parameters.lookup(symbol); }
  /// The initializers that became parameters.
  llvm::StringSet<> initializers() const;
  bool isBuffer(llvm::StringRef name) const { return buffers.contains(name); }
  /// Once the nodes are imported: what is not trained, or not updated.
  void tell() const;

private:
  mlir::Value materialize(llvm::StringRef name, GraphValue &value);
  mlir::Value materializeDims(const DimTensor &dims);
  mlir::Value declareParameter(llvm::StringRef name, const HostTensor &tensor);

  GraphNames &names;
  Trainable &trainable;
  const ExportRecord &record;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  llvm::StringMap<std::string> parameters;   ///< initializers by symbols
  llvm::StringMap<std::string> buffers;      ///< symbols by initializers
  llvm::StringMap<mlir::Value> fromIntegers; ///< parameters by initializer, scale and zero point
  std::vector<std::string> frozen;           ///< parameters that the author's module does not train
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_STATES_H

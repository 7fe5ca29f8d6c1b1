//===- GraphNames.h - the names of a graph, and what each stands for --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what is known of every name: initializers are read from the file before the nodes are imported, inputs
// and results of nodes follow. Results of Identity nodes are aliases of other names. Names inside of graphs
// in attributes get free names here, so that one name has one value.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_GRAPHNAMES_H
#define DLC_FRONTENDS_ONNX_GRAPHNAMES_H

#include "frontends/common/Diagnostics.h"
#include "frontends/common/ProgramSymbols.h"
#include "frontends/onnx/HostTensor.h"
#include <memory>

namespace dlc::onnx {

class ModelFile;

class GraphIndex;

/// What a name stands for: at most one of value, constant and dims is needed to have the others.
struct GraphValue {
  mlir::Value value;
  std::shared_ptr<const HostTensor> constant;
  std::optional<DimTensor> dims;
  std::vector<mlir::Value> parts; ///< of a sequence, which has no value itself
  mlir::IntegerType quantized;    ///< what the file has where `value` has float numbers
  bool initializer = false;
  bool failed = false;
  std::string reason; ///< of an initializer that cannot be read: told where it is used
};

class GraphNames {
public:
  /// `file`: where the elements of its tensors are.
  GraphNames(const ModelFile &file, mlir::MLIRContext &context, frontend::ProgramSymbols &symbols,
             frontend::Diagnostics &diagnostics)
      : file(file), context(context), symbols(symbols), diagnostics(diagnostics) {}

  //===-- What a name stands for ---------------------------------------------===//
  /// Null where nothing is known of the name.
  GraphValue *find(llvm::StringRef name) { return const_cast<GraphValue *>(std::as_const(*this).find(name)); }
  const GraphValue *find(llvm::StringRef name) const;
  /// What is known of the name itself and no alias of it: nothing yet, where it is new.
  GraphValue &operator[](llvm::StringRef name) { return values[name]; }
  /// `name` is another name of `of`.
  void addAlias(llvm::StringRef name, llvm::StringRef of) { aliases[name] = resolve(of).str(); }
  bool isAlias(llvm::StringRef name) const { return aliases.contains(name); }
  /// The name that an alias stands for, else the name itself.
  llvm::StringRef resolve(llvm::StringRef name) const;

  //===-- Constants of the file ----------------------------------------------===//
  /// Reads the initializers of the graph, or of one in an attribute, whose names are free.
  void readInitializers(const ::onnx::GraphProto &graph);
  /// `name` is called `newName` and holds `tensor` from now on.
  void replace(llvm::StringRef name, llvm::StringRef newName, HostTensor tensor);
  /// The constant, where it is of floats; else null.
  const HostTensor *floatsOf(llvm::StringRef name) const;
  /// A single number that is known from the file, perhaps behind casts, before nodes are imported.
  std::optional<double> numberOf(llvm::StringRef name, const GraphIndex &index) const;

  //===-- Names that are free ------------------------------------------------===//
  /// Makes the program call what it adds otherwise than the values of the graph.
  void reserveAll(const ::onnx::GraphProto &graph);
  /// `name`, or like it, where something has that name already.
  std::string freeName(llvm::StringRef name);

private:
  const ModelFile &file;
  mlir::MLIRContext &context;
  frontend::ProgramSymbols &symbols;
  frontend::Diagnostics &diagnostics;
  llvm::StringMap<GraphValue> values;
  llvm::StringMap<std::string> aliases;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_GRAPHNAMES_H

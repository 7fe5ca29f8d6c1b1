//===- ExportRecord.h - what an exporter wrote down about a model ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's exporter notes in a file's metadata which parameters and buffers the module has, and for each
// node the call that it was made of. Optimizations that merge, fold or drop parameters leave these notes as
// they were: they say what the author's model is where the graph no longer does. Files of other exporters
// have none, and then nothing is known.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_EXPORTRECORD_H
#define DLC_FRONTENDS_ONNX_EXPORTRECORD_H

#include "frontends/onnx/Proto.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <vector>

namespace dlc::onnx {

class ExportRecord {
public:
  explicit ExportRecord(const ::onnx::ModelProto &model);

  /// Whether the file lists the module's parameters.
  bool isKnown() const { return known; }
  /// Whether it notes calls as well, and not the list alone.
  bool hasCalls() const { return calls; }
  bool isParameter(llvm::StringRef name) const { return parameterSet.contains(name); }
  /// Whether this is a buffer, or a tensor that is an attribute of the module or a literal in its code.
  bool isBuffer(llvm::StringRef name) const { return bufferSet.contains(name); }
  /// In the order of the list.
  const std::vector<std::string> &parameters() const { return parameterList; }
  /// What the module does not train (requires_grad is false): noted by tools/export/from_pytorch.py.
  bool isFrozen(llvm::StringRef name) const { return frozenSet.contains(name); }
  /// Whether the module was in training mode as a whole, so that layers in evaluation mode are so on purpose.
  bool isOfTraining() const { return ofTraining; }
  /// Buffers that forward gives other values.
  const std::vector<std::string> &changedBuffers() const { return changedList; }

  /// The parameter or buffer that calls mention by the symbol: "fc.weight" of "p_fc_weight"; "" of others.
  llvm::StringRef stateOf(llvm::StringRef symbol) const;
  const llvm::StringMap<std::string> &statesBySymbol() const { return names; }
  /// Results of calls that other calls mention and no node was made of: they are gone, with what they read.
  llvm::StringSet<> lostSymbols(const ::onnx::GraphProto &graph) const;
  /// Nodes whose calls mention results of detach() that no node was made of.
  std::vector<const ::onnx::NodeProto *> readersOfLostDetach(const ::onnx::GraphProto &graph) const;
  /// Parameters that the node's call mentions.
  std::vector<std::string> mentionedBy(const ::onnx::NodeProto &node) const;

private:
  bool known = false, calls = false, ofTraining = false;
  std::vector<std::string> parameterList, changedList;
  llvm::StringSet<> parameterSet, bufferSet, frozenSet;
  llvm::StringSet<> symbols;          ///< of inputs, parameters and buffers: "p_fc_weight"
  llvm::StringMap<std::string> names; ///< "p_fc_weight": "fc.weight"
};

/// The index whose row is not trained, of a node that was made of an embedding. PyTorch's newer exporter
/// notes the call, tools/export/from_pytorch.py the index itself.
std::optional<int64_t> paddingIndexOf(const ::onnx::NodeProto &node);

/// Whether the node was made of a call of detach(), behind which no gradient flows.
bool isDetach(const ::onnx::NodeProto &node);

/// Whether a node that limits numbers passes the gradient at a limit, as clamp() does; hardtanh() and relu6()
/// do not.
enum class Limits { Unknown, Clamp, Hardtanh };
Limits limitsOf(const ::onnx::NodeProto &node);

/// Whether the node is a batch normalization in training mode: by itself, or by the call that it was made of,
/// which PyTorch's newer exporter writes like one in evaluation mode.
bool isInTraining(const ::onnx::NodeProto &node);

/// Whether the node is the copy that a dropout module is in evaluation mode, by the newer exporter's record.
bool isIdleDropout(const ::onnx::NodeProto &node);

/// Whether the node was made of a mean of updates, which the exporter writes without a reduction.
bool isMeanOfUpdates(const ::onnx::NodeProto &node);

/// The rewriting rule that made the node, "" if none is noted.
std::string rewritingRule(const ::onnx::NodeProto &node);

/// The end of warnings of what an exporter's optimizations did.
extern const char *const exportHint;

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_EXPORTRECORD_H

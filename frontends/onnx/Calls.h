//===- Calls.h - the calls that nodes were made of ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's newer exporter notes with each node the call that it was made of:
//
//   %linear : [num_users=1] = call_function[target=torch.ops.aten.linear.default](args = (%x, %p_w, %p_b),
//       kwargs = {})
//
// Several nodes may be made of one call. Optimizations keep the note.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_CALLS_H
#define DLC_FRONTENDS_ONNX_CALLS_H

#include "frontends/onnx/Proto.h"
#include "llvm/ADT/StringRef.h"
#include <string>
#include <vector>

namespace dlc::onnx {

struct Argument {
  enum Kind {
    Symbol, ///< a value: "p_w" of "%p_w"
    Number, ///< a number that may stand for a tensor: in no list
    None,   ///< an operand that is left out
    Other   ///< dtypes, words, numbers in lists
  } kind;
  std::string text;
};

struct Call {
  std::string result; ///< "linear" of "%linear"; empty where the node has no such note
  std::string callee; ///< "torch.ops.aten.linear.default"
  /// The arguments by position, then those by keyword; lists are flattened.
  std::vector<Argument> arguments;

  bool mentions(llvm::StringRef symbol) const;
  /// Whether the callee is this function of PyTorch, in any of its forms: "linear".
  bool calls(llvm::StringRef function) const;
};

Call parseCall(llvm::StringRef text);

/// The text of the call, "" if none is noted.
std::string textOfCall(const ::onnx::NodeProto &node);
inline Call callOf(const ::onnx::NodeProto &node) { return parseCall(textOfCall(node)); }

/// An entry of `metadata_props`, "" if there is none.
std::string metadataOf(const ::onnx::NodeProto &node, llvm::StringRef key);
std::string metadataOf(const ::onnx::GraphProto &graph, llvm::StringRef key);

/// Whether a result of this name only looks different from the operand: results are called after the function
/// that made them, as "transpose_1".
bool isResultOfView(llvm::StringRef symbol);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_CALLS_H

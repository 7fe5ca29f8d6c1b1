//===- DimNames.h - symbolic dims of a model's inputs ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of them is the batch, what each is called in the program and what sizes the options give.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_DIMNAMES_H
#define DLC_FRONTENDS_ONNX_DIMNAMES_H

#include "dialects/nn/Dims.h"
#include "frontends/onnx/Import.h"
#include "frontends/onnx/Proto.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace dlc::onnx {

class DimNames {
public:
  struct Declared {
    std::string name;
    int64_t bound;
    std::string key;   ///< the model's own name; empty where it has none
    bool open = false; ///< whether training takes any size, too
  };

  /// `checking`: sizes that are not given are told by checkOptions, except for the batch's.
  DimNames(const ImportOptions &options, bool checking) : options(options), checking(checking) {}

  /// Finds the batch: the first symbolic leading dim.
  void findBatch(llvm::ArrayRef<const ::onnx::ValueInfoProto *> inputs);
  /// The dims of an input; names in `taken` are not used for dims. Joined errors, one for each bad dim.
  llvm::Expected<nn::Shape> shapeOf(const ::onnx::ValueInfoProto &input, const llvm::StringSet<> &taken);
  /// What options name that the model does not have, and so on; after all inputs.
  std::vector<std::string> checkOptions() const;
  /// In order, the batch first.
  llvm::ArrayRef<Declared> declared() const { return dims; }
  /// The largest size; -1 where it is too large.
  int64_t boundOf(const nn::Dim &dim) const;
  /// The first dim of a program is its batch: where only other sizes are open, a batch of one row.
  void declareBatch(const llvm::StringSet<> &taken);
  bool hasBatch() const { return batchKey.has_value(); }

private:
  llvm::Expected<nn::Dim> symbolic(const std::string &key, llvm::StringRef where,
                                   const llvm::StringSet<> &taken);
  std::string freeName(const std::string &base, const llvm::StringSet<> &taken) const;

  const ImportOptions &options;
  bool checking;
  std::optional<std::string> batchKey; ///< the model's name of the batch; "" if it has none
  std::map<std::string, nn::Dim> known;
  std::vector<Declared> dims;
  std::vector<std::string> missing; ///< sizes that were not given
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_DIMNAMES_H

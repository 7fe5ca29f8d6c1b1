//===- DimNames.h - symbolic dims of a model's inputs ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of them is the batch, what each is called in the program and what sizes the options give.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_DIMNAMES_H
#define DLC_FRONTENDS_COMMON_DIMNAMES_H

#include "dialects/nn/Dims.h"
#include "frontends/common/Options.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Error.h"

namespace dlc::frontend {

/// A dim of an input as its file says it.
struct InputDim {
  int64_t size = 1; ///< of a dim that is not symbolic; what a symbolic size is multiplied with
  bool isSymbolic = false;
  std::string key; ///< the model's own name of a symbolic size; empty where it has none
};
struct InputDims {
  std::string name; ///< of the input
  llvm::SmallVector<InputDim, 4> dims;
};

class DimNames {
public:
  struct Declared {
    std::string name;
    int64_t bound;
    std::string key;   ///< the model's own name; empty where it has none
    bool open = false; ///< whether training takes any size, too
  };

  /// `checking`: sizes that are not given are told by checkOptions, except for the batch's.
  /// `batchName`: what the batch is called in the program; empty: as in the model.
  DimNames(const ImportOptions &options, bool checking, llvm::StringRef batchName = "")
      : options(options), checking(checking), batchName(batchName) {}

  /// Finds the batch: the first symbolic leading dim.
  void findBatch(llvm::ArrayRef<InputDims> inputs);
  /// The dims of an input; names in `taken` are not used for dims. Joined errors, one for each bad dim.
  llvm::Expected<nn::Shape> shapeOf(const InputDims &input, const llvm::StringSet<> &taken);
  /// What options name that the model does not have, and so on; after all inputs.
  std::vector<std::string> checkOptions() const;
  /// In order, the batch first.
  llvm::ArrayRef<Declared> declared() const { return dims; }
  /// The largest size; -1 where it is too large.
  int64_t boundOf(const nn::Dim &dim) const;
  /// The first dim of a program is its batch: where only other sizes are open, a batch of one row.
  void declareBatch(const llvm::StringSet<> &taken);
  bool hasBatch() const { return batchKey.has_value(); }
  bool isBatch(llvm::StringRef key) const { return batchKey && key == *batchKey; }
  /// What a symbolic size of the inputs became; null where no input has it.
  const nn::Dim *find(llvm::StringRef key) const;

private:
  llvm::Expected<nn::Dim> symbolic(const std::string &key, llvm::StringRef where,
                                   const llvm::StringSet<> &taken);
  std::string freeName(const std::string &base, const llvm::StringSet<> &taken) const;

  const ImportOptions &options;
  bool checking;
  std::string batchName;
  std::optional<std::string> batchKey; ///< the model's name of the batch; "" if it has none
  std::map<std::string, nn::Dim> known;
  std::vector<Declared> dims;
  std::vector<std::string> missing; ///< sizes that were not given
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_DIMNAMES_H

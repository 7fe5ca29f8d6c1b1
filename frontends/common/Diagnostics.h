//===- Diagnostics.h - what an import says of its model ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the reasons against an import, which are its errors, and what there is to know of a model that is
// imported: warnings, remarks, notes. What several nodes have in common is said once, with all of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_DIAGNOSTICS_H
#define DLC_FRONTENDS_COMMON_DIAGNOSTICS_H

#include "mlir/IR/Location.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/Twine.h"
#include <map>
#include <string>
#include <vector>

namespace dlc::frontend {

class Diagnostics {
public:
  /// The node or input that is imported now, in the words of messages; empty: the whole is.
  std::string currentNode;

  //===-- Reasons against ----------------------------------------------------===//
  void addReason(const llvm::Twine &message);
  /// A reason of the current node, if there is one, else of the whole.
  void addNodeReason(const llvm::Twine &message);
  /// An operator that dlc does not have, in a sentence, and a node that has it.
  void addUnsupported(const std::string &sentence, std::string node);
  /// Why a tensor cannot be read. Several nodes may read it: it is named once.
  void addUnreadable(const std::string &reason, const std::string &tensor);
  /// How many reasons there are so far.
  unsigned errors() const { return reasons.size(); }
  /// All of them, the import being over.
  std::vector<std::string> takeReasons();
  /// Makes a reason of each kind of operator and tensor that was refused.
  void addGroups();

  //===-- What there is to know ----------------------------------------------===//
  /// What was asked for and has no effect, or cannot be meant.
  void warn(const llvm::Twine &message) { warnings.push_back(message.str()); }
  /// Where training is not what the file says.
  void remark(const llvm::Twine &sentence) { remarks[{"", sentence.str()}]; }
  /// The same of a node that has this operator.
  void remark(llvm::StringRef op, const llvm::Twine &sentence, llvm::StringRef node) {
    remarks[{op.str(), sentence.str()}].push_back(node.str());
  }
  /// What else concerns training: said where the user wants to know more.
  void note(const llvm::Twine &sentence) { notes[{"", sentence.str()}]; }
  void note(llvm::StringRef op, const llvm::Twine &sentence, llvm::StringRef node) {
    notes[{op.str(), sentence.str()}].push_back(node.str());
  }
  /// Says it at the model's file.
  void tell(mlir::Location file, bool verbose) const;

private:
  /// (operator, sentence) and the nodes of which that holds, in order of appearance.
  using Remarks = llvm::MapVector<std::pair<std::string, std::string>, std::vector<std::string>,
                                  std::map<std::pair<std::string, std::string>, unsigned>>;
  /// Several things of one kind by the sentence that is said of them, in order of appearance.
  using Grouped = llvm::MapVector<std::string, std::vector<std::string>, std::map<std::string, unsigned>>;

  std::vector<std::string> reasons, warnings;
  Remarks remarks, notes;
  Grouped unsupported, unreadable;
  llvm::StringSet<> unreadableNames;
};

/// "'a', 'b', 'c' and 5 more": at most `most` of the names.
std::string quotedList(llvm::ArrayRef<std::string> names, size_t most = 4);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_DIAGNOSTICS_H

//===- Diagnostics.cpp - what an import says of its model -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::frontend {

//===-- Lists ------------------------------------------------------------------===//

std::string quotedList(ArrayRef<std::string> names, size_t most) {
  std::string text;
  for (auto [i, name] : llvm::enumerate(names.take_front(most)))
    text += (i == 0 ? "'" : i + 1 == names.size() ? " and '" : ", '") + name + "'";
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

/// "a, b, c and 97 more": a large model has the same to say of many.
static std::string listOf(ArrayRef<std::string> names) {
  constexpr size_t most = 8;
  std::string text = llvm::join(names.take_front(most), ", ");
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

/// "nodes 'bn1', 'bn2', 'bn3' and 50 more (BatchNormalization): ..."
static std::string sentenceAbout(StringRef op, StringRef sentence, ArrayRef<std::string> nodes) {
  if (nodes.empty())
    return sentence.str();
  std::string text = nodes.size() == 1 ? "node " : "nodes ";
  return (text + quotedList(nodes, 3) + " (" + op + "): " + sentence).str();
}

//===-- Reasons against --------------------------------------------------------===//

void Diagnostics::addReason(const Twine &message) { reasons.push_back(message.str()); }

void Diagnostics::addNodeReason(const Twine &message) {
  addReason((currentNode.empty() ? "" : currentNode + ": ") + message);
}

void Diagnostics::addUnsupported(const std::string &sentence, std::string node) {
  unsupported[sentence].push_back(std::move(node));
}

void Diagnostics::addUnreadable(const std::string &reason, const std::string &tensor) {
  if (unreadableNames.insert(tensor).second)
    unreadable[reason].push_back(tensor);
}

void Diagnostics::addGroups() {
  for (const auto &[reason, tensors] : unreadable)
    addReason(reason + ": " + (tensors.size() == 1 ? "" : std::to_string(tensors.size()) + " of them: ") +
              listOf(tensors));
  for (const auto &[sentence, nodes] : unsupported)
    addReason(sentence + ": " + (nodes.size() == 1 ? "node " : std::to_string(nodes.size()) + " nodes: ") +
              listOf(nodes));
}

std::vector<std::string> Diagnostics::takeReasons() { return std::move(reasons); }

//===-- What there is to know --------------------------------------------------===//

void Diagnostics::tell(Location file, bool verbose) const {
  for (const std::string &warning : warnings)
    emitWarning(file) << warning;
  for (const auto &[about, nodes] : remarks)
    emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
  if (verbose)
    for (const auto &[about, nodes] : notes)
      emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
}

} // namespace dlc::frontend

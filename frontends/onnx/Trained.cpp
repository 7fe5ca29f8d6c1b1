//===- Trained.cpp - is what is trained what the author's module trains?
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last word on an imported model: the parameters of the exporter's record, and those of the program, are
// the same, each once. What differs without the user's word is an error, so that no other network is trained.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/onnx/Messages.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;

namespace dlc::onnx {

static bool matchesAny(ArrayRef<std::string> globs, StringRef name) {
  return llvm::any_of(globs, [&](const std::string &glob) {
    auto pattern = llvm::GlobPattern::create(glob);
    bool matches = pattern && pattern->match(name);
    llvm::consumeError(pattern.takeError());
    return matches || name == glob;
  });
}

/// Whether the user asked that it is not trained.
static bool isLeftOut(const frontend::ImportOptions &options, StringRef name) {
  return matchesAny(options.freeze, name) || (!options.train.empty() && !matchesAny(options.train, name));
}

/// A node that reads the elements of each name, and not its shape alone.
static llvm::StringMap<std::string> readersOf(ArrayRef<const ::onnx::NodeProto *> nodes,
                                              llvm::function_ref<StringRef(StringRef)> resolve) {
  llvm::StringMap<std::string> readers;
  for (const ::onnx::NodeProto *node : nodes) {
    StringRef op = node->op_type();
    bool isAlias = node->output_size() > 0 && resolve(node->output(0)) != node->output(0);
    for (int i = 0; i < node->input_size(); ++i)
      if (!isAlias && op != "Shape" && op != "Size" && (op != "CastLike" || i != 1))
        readers.try_emplace(resolve(node->input(i)), describe(*node));
  }
  return readers;
}

/// Parameters whose elements a node takes for fixed numbers, such as the scales of a Resize.
void Importer::checkParameters() {
  llvm::StringSet<> states;
  for (const auto &[symbol, name] : declared)
    states.insert(name);
  llvm::StringMap<std::string> readers = readersOf(imported, [&](StringRef name) { return resolve(name); });
  for (const std::string &name : record.parameters()) {
    auto found = values.find(name);
    bool isParameter = found != values.end() && found->second.initializer && found->second.constant &&
                       found->second.constant->isFloat() && !found->second.isConstant;
    if (!isParameter || !readers.contains(name) || states.contains(name) || buffers.contains(name) ||
        record.isFrozen(name) || isLeftOut(options, name))
      continue;
    addReason("the parameter '" + name +
              "' of the exported module would not be trained: " + readers.lookup(name) +
              " reads it as fixed numbers (--freeze='" + name + "' leaves it as it is)");
  }
}

/// What is trained besides the module's parameters.
void Importer::checkOthers() {
  std::vector<std::string> others;
  for (auto state : program.getOps<train::StateOp>()) {
    const std::string name = declared.lookup(state.getSymName());
    if (name.empty() || state.getFrozen() || record.isParameter(name) || matchesAny(options.train, name) ||
        matchesAny(options.freeze, name))
      continue;
    if (record.isBuffer(name))
      addReason("the buffer '" + name + "' of the exported module would be trained (--freeze='" + name +
                "' leaves it as it is, --train='" + name + "' trains it)");
    else if (record.hasCalls())
      others.push_back(name);
  }
  if (!others.empty())
    warnings.push_back("the exporter wrote " + listed(others) +
                       ", which the module's list of parameters does not have, and which " +
                       (others.size() > 1 ? "are" : "is") + " trained. What is trained is another network" +
                       exportHint);
}

void Importer::checkTrained() {
  if (options.predictOnly || !record.isKnown())
    return;
  checkParameters();
  checkOthers();
}

} // namespace dlc::onnx

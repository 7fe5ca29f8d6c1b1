//===- TrainedCheck.cpp - is what is trained what the author's module trains?
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/TrainedCheck.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/NodeProtos.h"
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
void TrainedCheck::checkParameters(ArrayRef<const ::onnx::NodeProto *> nodes) {
  llvm::StringSet<> declared = states.initializers();
  llvm::StringMap<std::string> readers =
      readersOf(nodes, [&](StringRef name) { return names.resolve(name); });
  for (const std::string &name : record.parameters()) {
    const GraphValue *found = names.find(name);
    bool isParameter =
        found && found->initializer && names.floatsOf(name) && !trainable.isConstantOfModule(name);
    if (!isParameter || !readers.contains(name) || declared.contains(name) || states.isBuffer(name) ||
        record.isFrozen(name) || isLeftOut(program.options, name))
      continue;
    diagnostics.addReason("the parameter '" + name +
                          "' of the exported module would not be trained: " + readers.lookup(name) +
                          " reads it as fixed numbers (--freeze='" + name + "' leaves it as it is)");
  }
}

/// What is trained besides the module's parameters.
void TrainedCheck::checkOthers() {
  const frontend::ImportOptions &options = program.options;
  std::vector<std::string> others;
  for (auto state : program.op.getOps<train::StateOp>()) {
    const std::string name = states.initializerOf(state.getSymName());
    if (name.empty() || state.getFrozen() || record.isParameter(name) || matchesAny(options.train, name) ||
        matchesAny(options.freeze, name))
      continue;
    if (record.isBuffer(name))
      diagnostics.addReason("the buffer '" + name + "' of the exported module would be trained (--freeze='" +
                            name + "' leaves it as it is, --train='" + name + "' trains it)");
    else if (record.hasCalls())
      others.push_back(name);
  }
  if (!others.empty())
    diagnostics.warn("the exporter wrote " + frontend::quotedList(others) +
                     ", which the module's list of parameters does not have, and which " +
                     (others.size() > 1 ? "are" : "is") + " trained. What is trained is another network" +
                     exportHint);
}

void TrainedCheck::run(ArrayRef<const ::onnx::NodeProto *> nodes) {
  if (program.options.predictOnly || !record.isKnown())
    return;
  checkParameters(nodes);
  checkOthers();
}

} // namespace dlc::onnx

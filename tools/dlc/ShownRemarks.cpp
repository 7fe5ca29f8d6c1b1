//===- ShownRemarks.cpp - why the compiler did what it did, for the user ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ShownRemarks.h"
#include "compiler/emit/OutputFiles.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/Printable.h"
#include "llvm/Support/JSON.h"
#include <set>

namespace dlc::tool {

using remarks::Said;

namespace {

/// The number of nodes that a remark names; it only counts what others there are.
constexpr size_t shownNodes = 4;

void print(const Said &said, llvm::raw_ostream &out) {
  out << said.stage << ": " << printable(said.subject);
  std::string nodes;
  size_t others = 0;
  for (const std::string &node : said.nodes) {
    if (node == said.subject)
      continue;
    if (++others <= shownNodes)
      nodes += (nodes.empty() ? "" : ", ") + printable(node);
  }
  if (others > shownNodes)
    nodes += " and " + std::to_string(others - shownNodes) + " more";
  if (!nodes.empty())
    out << " (" << nodes << ")";
  out << ": " << printable(said.text) << '\n';
}

llvm::json::Value numberOf(const std::string &text) {
  int64_t whole = 0;
  double real = 0;
  if (!llvm::StringRef(text).getAsInteger(10, whole))
    return whole;
  if (!llvm::StringRef(text).getAsDouble(real))
    return real;
  return text;
}

std::string lineOf(const Said &said) {
  llvm::json::Object numbers;
  for (const auto &[name, value] : said.numbers)
    numbers[name] = numberOf(value);
  llvm::json::Object object{{"stage", said.stage},
                            {"name", said.name},
                            {"done", !said.isMissed},
                            {"subject", llvm::json::fixUTF8(said.subject)},
                            {"text", llvm::json::fixUTF8(said.text)},
                            {"numbers", std::move(numbers)}};
  llvm::json::Array nodes;
  for (const std::string &node : said.nodes)
    nodes.push_back(llvm::json::fixUTF8(node));
  object["nodes"] = std::move(nodes);
  std::string line;
  llvm::raw_string_ostream stream(line);
  stream << llvm::json::Value(std::move(object)) << '\n';
  return line;
}

/// In the order of the stages, whatever else ran between them.
std::vector<const Said *> ordered(const remarks::Listener &listener) {
  std::vector<const Said *> result;
  for (llvm::StringRef stage : remarks::stages)
    for (const Said &said : listener.said())
      if (said.stage == stage)
        result.push_back(&said);
  return result;
}

} // namespace

std::unique_ptr<remarks::Listener> listenTo(mlir::MLIRContext &context, const Invocation &invocation) {
  std::vector<std::string> stages = invocation.remarks;
  if (stages.empty() && !invocation.remarksFile.empty())
    stages.assign(std::begin(remarks::stages), std::end(remarks::stages));
  if (!invocation.why.empty())
    stages.assign(std::begin(remarks::stages), std::end(remarks::stages));
  return stages.empty() ? nullptr : std::make_unique<remarks::Listener>(context, stages);
}

int showRemarks(const remarks::Listener *listener, const Invocation &invocation, llvm::raw_ostream &out) {
  if (!listener)
    return 0;
  std::string lines;
  for (const Said *said : ordered(*listener)) {
    if (!invocation.remarks.empty())
      print(*said, out);
    lines += lineOf(*said);
  }
  if (invocation.remarksFile.empty())
    return 0;
  llvm::Error error = emit::writeFile(invocation.remarksFile, lines);
  if (!error)
    return 0;
  llvm::errs() << "dlc: error: " << llvm::toString(std::move(error)) << '\n';
  return 1;
}

int showReasons(const remarks::Listener &listener, const Invocation &invocation, llvm::raw_ostream &out) {
  const std::string &name = invocation.why;
  bool isKnown = false;
  std::set<std::string> names;
  for (const Said *said : ordered(listener)) {
    names.insert(said->subject);
    names.insert(said->nodes.begin(), said->nodes.end());
    if (said->subject != name && !llvm::is_contained(said->nodes, name))
      continue;
    print(*said, out);
    isKnown = true;
  }
  if (isKnown)
    return 0;
  const std::string near = nearest(name, std::vector<std::string>(names.begin(), names.end()));
  llvm::errs()
      << "dlc: error: --why: nothing is said of '" << printable(name)
      << "': expected a kernel, as dlc inspect lists them, a parameter, a function or a node of the model"
      << (near.empty() ? "" : "; did you mean '" + printable(near) + "'?") << '\n';
  return 1;
}

} // namespace dlc::tool

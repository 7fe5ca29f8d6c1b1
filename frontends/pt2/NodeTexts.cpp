//===- NodeTexts.cpp - what messages call nodes ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/NodeTexts.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::pt2 {

StringRef shortTarget(StringRef target) {
  target.consume_front("torch.ops.");
  return target;
}

std::string describe(const NodeInfo &node) {
  return ("node '" + Twine(node.name) + "' (" + shortTarget(node.target) + ")").str();
}

/// A line of a trace, such as `File "net.py", line 12, in forward`.
static bool readFrame(StringRef line, StringRef &file, StringRef &number, StringRef &function) {
  line = line.ltrim();
  if (!line.consume_front("File \""))
    return false;
  std::tie(file, line) = line.split("\", line ");
  std::tie(number, function) = line.split(", in ");
  return !file.empty() && !number.empty() && llvm::all_of(number, llvm::isDigit);
}

std::string sourceOf(const NodeInfo &node) {
  SmallVector<StringRef> lines;
  StringRef(node.stackTrace).split(lines, '\n');
  std::string found;
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef file, number, function;
    if (!readFrame(lines[i], file, number, function))
      continue;
    // Frames within PyTorch say how a module does it; the last one outside says which line is the author's.
    if (!found.empty() && (file.contains("torch/nn/modules") || file.contains("torch/fx")))
      continue;
    StringRef code = i + 1 < lines.size() ? lines[i + 1].trim() : "";
    found = ("; " + Twine(file) + ":" + number + ", in " + function).str();
    if (!code.empty() && !code.starts_with("File \""))
      found += (": " + code.take_front(200)).str();
  }
  return found;
}

} // namespace dlc::pt2

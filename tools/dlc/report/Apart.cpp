//===- Apart.cpp - what was not made one kernel, and why -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Sections.h"
#include <algorithm>
#include <limits>

namespace dlc::tool::report {
namespace {

/// What a page shows of one reason by name; the rest is counted.
constexpr size_t mostShown = 3;

/// a + b of a manifest's numbers, which may be anyone's: the sum stops at the largest number.
int64_t sum(int64_t a, int64_t b) {
  int64_t result;
  return __builtin_add_overflow(a, b, &result) ? std::numeric_limits<int64_t>::max() : result;
}

/// The tensors that stay in memory for one reason.
struct Because {
  size_t reason = 0;
  int64_t bytes = 0;
  std::vector<const Apart *> tensors;
};

/// By their bytes, the most first; where these are equal, in the order of the program.
std::vector<Because> reasonsIn(const CompiledProgram &program, const Function &function) {
  std::vector<Because> all(program.reasons.size());
  for (size_t i = 0; i < all.size(); ++i)
    all[i].reason = i;
  for (const Launch &launch : function.launches)
    for (const Apart &apart : launch.apart) {
      all[apart.why].bytes = sum(all[apart.why].bytes, apart.bytes);
      all[apart.why].tensors.push_back(&apart);
    }
  all.erase(std::remove_if(all.begin(), all.end(), [](const Because &one) { return one.tensors.empty(); }),
            all.end());
  std::stable_sort(all.begin(), all.end(),
                   [](const Because &a, const Because &b) { return a.bytes > b.bytes; });
  for (Because &one : all)
    std::stable_sort(one.tensors.begin(), one.tensors.end(),
                     [](const Apart *a, const Apart *b) { return a->bytes > b->bytes; });
  return all;
}

/// What is made for several nodes at once has no name.
std::string shown(const std::string &node) { return node.empty() ? "(without a name)" : escaped(node); }

std::string largest(const Because &because) {
  std::string html;
  for (size_t i = 0; i < std::min(because.tensors.size(), mostShown); ++i) {
    const Apart &apart = *because.tensors[i];
    html += (i ? "<br>" : "") + shown(apart.from) + " &#8594; " + shown(apart.to) + " (" +
            bytesText(apart.bytes) + ")";
  }
  if (because.tensors.size() > mostShown)
    html += "<br>and " + grouped(int64_t(because.tensors.size() - mostShown)) + " more";
  return html;
}

std::string table(const CompiledProgram &program, const std::vector<Because> &reasons) {
  std::string html = "<div class=\"table\"><table><thead><tr><th>why</th><th class=\"n\">tensors</th>"
                     "<th class=\"n\">bytes</th><th>the largest, from &#8594; to</th></tr></thead><tbody>\n";
  for (const Because &because : reasons)
    html += "<tr><td>" + escaped(program.reasons[because.reason]) + "</td><td class=\"n\">" +
            grouped(int64_t(because.tensors.size())) + "</td><td class=\"n\">" + bytesText(because.bytes) +
            "</td><td>" + largest(because) + "</td></tr>\n";
  return html + "</tbody></table></div>\n";
}

} // namespace

void addApart(Document &document, const CompiledProgram &program) {
  if (program.reasons.empty())
    return;
  document.section("apart", "What was not fused, and why");
  document.add("<p>Tensors that one launch hands to another through memory although the compiler looked "
               "whether both could be one "
               "kernel, and what it found. Each is counted for each launch that reads it, every open size at "
               "its largest. States, "
               "hyperparameters and views of tensors are in memory anyway, and not in the list.</p>\n");
  bool isFirst = true;
  for (const Function &function : program.functions) {
    const std::vector<Because> reasons = reasonsIn(program, function);
    if (reasons.empty())
      continue;
    int64_t tensors = 0, bytes = 0;
    for (const Because &because : reasons) {
      tensors += int64_t(because.tensors.size());
      bytes = sum(bytes, because.bytes);
    }
    document.add(folded(function.name + ": " + grouped(tensors) +
                            (tensors == 1 ? " tensor, " : " tensors, ") + bytesText(bytes),
                        table(program, reasons), isFirst, "apart"));
    isFirst = false;
  }
}

} // namespace dlc::tool::report

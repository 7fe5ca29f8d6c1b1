//===- Kernels.cpp - what each kernel computes and moves -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Sections.h"
#include <algorithm>
#include <numeric>

namespace dlc::tool::report {

/// How often the function launches each kernel.
static std::vector<int64_t> launchesIn(const CompiledProgram &program, const Function &function) {
  std::vector<int64_t> counts(program.kernels.size());
  for (const Launch &launch : function.launches)
    ++counts[launch.kernel];
  return counts;
}

void addKernels(Document &document, const CompiledProgram &program) {
  document.section("kernels", "Kernels");
  std::string html =
      "<div class=\"table\"><table><thead><tr><th>kernel</th><th>kind</th><th class=\"n\">operations</th>"
      "<th class=\"n\">moved</th><th class=\"n\">operations per byte</th><th class=\"n\">chunks</th>";
  std::vector<std::vector<int64_t>> counts;
  for (const Function &function : program.functions) {
    html += "<th class=\"n\">" + escaped(function.name) + "</th>";
    counts.push_back(launchesIn(program, function));
  }
  html += "</tr></thead><tbody>\n";
  std::vector<size_t> order(program.kernels.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return std::pair(-program.kernels[a].operations, a) < std::pair(-program.kernels[b].operations, b);
  });
  auto cell = [](const std::string &text) { return "<td class=\"n\">" + text + "</td>"; };
  for (size_t index : order) {
    const Kernel &kernel = program.kernels[index];
    html += "<tr><td class=\"name\"><span class=\"" + colour(kernel.kindNumber) + "\">&#9632;</span> " +
            escaped(kernel.name) + "</td><td>" + escaped(kernel.kind) + "</td>" +
            cell(grouped(kernel.operations)) + cell(bytesText(kernel.bytes)) +
            cell(kernel.bytes ? numberText(double(kernel.operations) / double(kernel.bytes)) : "") +
            cell(grouped(kernel.chunks));
    for (const std::vector<int64_t> &ofFunction : counts)
      html += cell(ofFunction[index] ? std::to_string(ofFunction[index]) : "");
    html += "</tr>\n";
  }
  document.add(
      "<p>Of one launch each, every open size at its largest; on the right how often a function launches "
      "it.</p>\n" +
      html + "</tbody></table></div>\n");
}

} // namespace dlc::tool::report

//===- Fusion.cpp - which nodes of the model became which launches ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Sections.h"
#include <algorithm>
#include <map>

namespace dlc::tool::report {
namespace {

constexpr double width = 960, rowHeight = 18, // a mark has 6 by 14 of it
    gap = 240, columnWidth = (width - gap) / 2;
/// What a page has room for: a name of a node that is longer is cut, and stands whole in its title.
constexpr size_t mostCharacters = 44;

std::string shortened(const std::string &text) {
  if (text.size() <= mostCharacters)
    return text;
  size_t begin = text.size() - (mostCharacters - 3); // the end tells names of nodes apart
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xc0) == 0x80)
    ++begin; // not within a character
  return "..." + text.substr(begin);
}

/// `title`: what is not seen; "" for nothing.
std::string row(double x, double y, const std::string &type, const std::string &text,
                const std::string &title) {
  return "<g class=\"" + type + "\">" + (title.empty() ? "" : "<title>" + escaped(title) + "</title>") +
         "<path class=\"box\" d=\"M" + place(x) + ' ' + place(y + 2) + "h6v14h-6z\"/><text x=\"" +
         place(x + 12) + "\" y=\"" + place(y + 13) + "\">" + escaped(shortened(text)) + "</text></g>\n";
}

/// The parts of all launches, in the order in which the program computes them.
struct Parts {
  explicit Parts(const Function &function) {
    for (const Launch &launch : function.launches)
      for (const std::string &part : launch.parts)
        if (numbers.try_emplace(part, names.size()).second)
          names.push_back(part);
  }
  std::vector<std::string> names;
  std::map<std::string, size_t> numbers;
};

std::string titleOf(const Kernel &kernel, const Launch &launch, size_t number) {
  std::string title = "launch " + std::to_string(number) + ": " + kernel.name + ", " + kernel.kind;
  for (const std::string &part : launch.parts)
    title += "\n" + part;
  return title;
}

std::string draw(const CompiledProgram &program, const Function &function) {
  const Parts parts(function);
  const double rows = double(std::max(parts.names.size(), function.launches.size())),
               height = rows * rowHeight + 8;
  // The shorter column is spread over the height of the longer one.
  auto top = [&](size_t index, size_t count) {
    return 4 + (double(index) + 0.5) * rows * rowHeight / double(count) - rowHeight / 2;
  };
  std::string svg;
  std::vector<std::string> colours(parts.names.size(), colour(7));
  for (size_t i = 0; i < function.launches.size(); ++i) {
    const Launch &launch = function.launches[i];
    const Kernel &kernel = program.kernelOf(launch);
    const std::string type = colour(kernel.kindNumber);
    const double to = top(i, function.launches.size()) + rowHeight / 2;
    std::string ties;
    for (const std::string &part : launch.parts) {
      const size_t number = parts.numbers.at(part);
      const double from = top(number, parts.names.size()) + rowHeight / 2;
      colours[number] = type;
      ties += 'M' + place(columnWidth) + ' ' + place(from) + 'C' + place(columnWidth + gap / 2) + ' ' +
              place(from) + ' ' + place(columnWidth + gap / 2) + ' ' + place(to) + ' ' +
              place(columnWidth + gap) + ' ' + place(to);
    }
    if (!ties.empty())
      svg += "<path class=\"tie " + type + "\" d=\"" + ties + "\"/>";
    svg += row(columnWidth + gap, to - rowHeight / 2, type, kernel.name, titleOf(kernel, launch, i));
  }
  for (size_t i = 0; i < parts.names.size(); ++i)
    svg += row(0, top(i, parts.names.size()), colours[i], parts.names[i],
               parts.names[i].size() > mostCharacters ? parts.names[i] : "");
  return picture(width, height,
                 function.name + ": " + std::to_string(parts.names.size()) +
                     " parts of the model on the left, " + std::to_string(function.launches.size()) +
                     " launches on the right",
                 svg);
}

} // namespace

void addFusion(Document &document, const CompiledProgram &program) {
  document.section("fusion", "From nodes to launches");
  document.add(
      "<p>On the left what the model asks for: its nodes, their gradients, the updates of its parameters. On "
      "the right the launches of kernels that compute it, in their order. What several lines lead to is "
      "computed in one pass over memory.</p>\n");
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const std::string &kind : program.kinds)
    kinds.emplace_back(kind.empty() ? "other" : kind, colour(kinds.size()));
  document.add(legend(kinds));
  bool isFirst = true;
  for (const Function &function : program.functions) {
    if (function.launches.empty())
      continue;
    document.add(folded(function.name + ": " + std::to_string(function.launches.size()) + " launches",
                        draw(program, function), isFirst, "nodes"));
    isFirst = false;
  }
}

} // namespace dlc::tool::report

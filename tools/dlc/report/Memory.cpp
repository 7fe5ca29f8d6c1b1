//===- Memory.cpp - the working memory over the launches of a function -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Chart.h"
#include "tools/dlc/report/Sections.h"
#include <algorithm>

namespace dlc::tool::report {
namespace {

constexpr double width = 960, height = 380, left = 76, right = 12, top = 14, bottom = 36;

std::string moment(const CompiledProgram &program, const Function &function, int64_t launch) {
  if (launch < 0)
    return "the beginning";
  if (launch >= int64_t(function.launches.size()))
    return "the end";
  const Launch &one = function.launches[size_t(launch)];
  return "launch " + std::to_string(launch) + " (" +
         (one.parts.empty() ? program.kernelOf(one).name : one.parts.front()) + ")";
}

class Plan {
public:
  Plan(const CompiledProgram &program, const Function &function) : program(program), function(function) {
    for (const Value &value : function.values)
      if (int64_t end; !__builtin_add_overflow(value.offset, value.bytes, &end))
        most = std::max(most, end);
    most = std::max({most, function.workingBytes, function.lowerBound, int64_t{1}});
  }

  std::string draw() const {
    std::string svg = axes();
    for (const Value &value : function.values)
      svg += rectangle(value);
    svg += line(function.lowerBound, "at least " + bytesText(function.lowerBound) + " are in use at once");
    return picture(width, height,
                   function.name + ": " + std::to_string(function.values.size()) + " values in " +
                       bytesText(function.workingBytes) + " of working memory",
                   svg);
  }

private:
  double across(double launch) const {
    return left + (width - left - right) * launch / double(std::max<size_t>(function.launches.size(), 1));
  }
  double up(double bytes) const { return height - bottom - (height - top - bottom) * bytes / double(most); }

  std::string axes() const {
    std::string svg = "<path class=\"axis\" d=\"M" + place(left) + ' ' + place(top) + 'V' +
                      place(height - bottom) + 'H' + place(width - right) + "\"/>";
    for (double tick : ticks(0, double(most)))
      svg += "<text class=\"soft\" text-anchor=\"end\" x=\"" + place(left - 6) + "\" y=\"" +
             place(up(tick) + 4) + "\">" + bytesText(int64_t(tick)) + "</text>";
    for (double tick : ticks(0, double(function.launches.size())))
      svg += "<text class=\"soft\" text-anchor=\"middle\" x=\"" + place(across(tick)) + "\" y=\"" +
             place(height - bottom + 16) + "\">" + numberText(tick) + "</text>";
    return svg + "<text class=\"soft\" text-anchor=\"end\" x=\"" + place(width - right) + "\" y=\"" +
           place(height - 4) + "\">launch</text>";
  }

  std::string rectangle(const Value &value) const {
    const double x = across(double(std::max<int64_t>(value.first, 0))),
                 end = across(double(std::min<int64_t>(value.last + 1, int64_t(function.launches.size()))));
    const double y = up(double(value.offset) + double(value.bytes)), floor = up(double(value.offset));
    const bool isMadeHere = value.first >= 0 && value.first < int64_t(function.launches.size());
    const std::string type =
        isMadeHere ? colour(program.kernelOf(function.launches[size_t(value.first)]).kindNumber) : colour(7);
    const std::string what = !value.type.empty()         ? value.type
                             : value.first == value.last ? "scratch"
                                                         : "a value that is used in parts";
    return "<g class=\"" + type + "\"><title>" +
           escaped(what + ", " + bytesText(value.bytes) + " at " + grouped(value.offset) + ", from " +
                   moment(program, function, value.first) + " to " + moment(program, function, value.last)) +
           "</title><rect class=\"box value\" x=\"" + place(x) + "\" y=\"" + place(y) + "\" width=\"" +
           place(std::max(end - x, 0.5)) + "\" height=\"" + place(std::max(floor - y, 0.5)) + "\"/></g>";
  }

  std::string line(int64_t bytes, const std::string &text) const {
    return "<path class=\"limit\" d=\"M" + place(left) + ' ' + place(up(double(bytes))) + 'H' +
           place(width - right) + "\"/><text text-anchor=\"end\" x=\"" + place(width - right) + "\" y=\"" +
           place(std::max(up(double(bytes)) - 4, 11.0)) + "\">" + escaped(text) + "</text>";
  }

  const CompiledProgram &program;
  const Function &function;
  int64_t most = 0;
};

} // namespace

void addMemory(Document &document, const CompiledProgram &program) {
  document.section("memory", "Memory");
  document.add(
      "<p>Each rectangle is a value in the working memory: its height are its bytes, at its place, and it "
      "lasts from the launch that makes it to the last that uses it. Colours are those of the kernel that "
      "makes "
      "it. Parameters, moments and other state lie beside it and stay. The broken line is the least that any "
      "plan needs.</p>\n");
  bool isFirst = true;
  for (const Function &function : program.functions) {
    if (function.values.empty())
      continue;
    document.add(folded(function.name + ": " + bytesText(function.workingBytes) + ", fullest at " +
                            moment(program, function, function.fullest),
                        Plan(program, function).draw(), isFirst, "wide"));
    isFirst = false;
  }
}

} // namespace dlc::tool::report

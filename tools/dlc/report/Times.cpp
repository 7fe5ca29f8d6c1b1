//===- Times.cpp - where the time of a function went -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Sections.h"
#include <algorithm>
#include <cmath>
#include <map>

namespace dlc::tool::report {
namespace {

constexpr double width = 960, left = 64, right = 12;

/// All launches of one kernel.
struct Line {
  std::string name, type;
  int64_t launches = 0;
  double nanoseconds = 0, operations = 0, bytes = 0;
};

/// The colour of each kernel; copies, which are none, have the last.
std::map<std::string, std::string> coloursOf(const CompiledProgram &program) {
  std::map<std::string, std::string> colours;
  for (const Kernel &kernel : program.kernels)
    colours[kernel.name] = colour(kernel.kindNumber);
  return colours;
}
std::string colourOf(const std::map<std::string, std::string> &colours, const std::string &kernel) {
  const auto known = colours.find(kernel);
  return known == colours.end() ? colour(7) : known->second;
}

std::vector<Line> linesOf(const CompiledProgram &program, const Measurement &measured) {
  const std::map<std::string, std::string> colours = coloursOf(program);
  std::map<std::string, Line> byName;
  for (const TimedLaunch &timed : measured.launches) {
    Line &line = byName[timed.launch.kernel];
    line.name = timed.launch.kernel;
    line.type = colourOf(colours, timed.launch.kernel);
    ++line.launches;
    line.nanoseconds += timed.nanoseconds;
    line.operations += double(timed.launch.operations);
    line.bytes += double(timed.launch.bytes);
  }
  std::vector<Line> lines;
  for (auto &[name, line] : byName)
    lines.push_back(std::move(line));
  std::sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) {
    return a.nanoseconds != b.nanoseconds ? a.nanoseconds > b.nanoseconds : a.name < b.name;
  });
  return lines;
}

std::string inWords(const Line &line, double all) {
  std::string text = line.name + ": " + numberText(line.nanoseconds * 1e-3) + " us in " +
                     std::to_string(line.launches) + (line.launches == 1 ? " launch" : " launches");
  if (all > 0)
    text += ", " + numberText(100 * line.nanoseconds / all) + " % of the time";
  if (line.nanoseconds > 0)
    text += ", " + numberText(line.operations / line.nanoseconds) + " GFLOP/s, " +
            numberText(line.bytes / line.nanoseconds) + " GB/s";
  return text;
}

double sumOf(const std::vector<Line> &lines) {
  double all = 0;
  for (const Line &line : lines)
    all += line.nanoseconds;
  return all;
}

/// A bar for each kernel; its dark part is what the machine's limits explain.
std::string bars(const std::vector<Line> &lines, const Rates &rates) {
  constexpr double rowHeight = 22, names = 330;
  const double all = sumOf(lines), longest = lines.empty() ? 0 : lines.front().nanoseconds;
  std::string svg;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Line &line = lines[i];
    const double y = double(i) * rowHeight, room = width - names - 90,
                 length = longest > 0 ? room * line.nanoseconds / longest : 0,
                 limit = std::max(line.operations / rates.operations, line.bytes / rates.bytes),
                 explained = line.nanoseconds > 0 ? length * std::min(1.0, limit / line.nanoseconds) : 0;
    const std::string name = line.name.size() > 44 ? line.name.substr(0, 41) + "..." : line.name;
    svg += "<g class=\"" + line.type + "\"><title>" + escaped(inWords(line, all)) +
           "</title><text text-anchor=\"end\" x=\"" + place(names - 8) + "\" y=\"" + place(y + 15) + "\">" +
           escaped(name) + "</text><rect class=\"box\" style=\"fill-opacity:.3\" x=\"" + place(names) +
           "\" y=\"" + place(y + 3) + "\" width=\"" + place(length) +
           "\" height=\"16\"/><rect class=\"box\" x=\"" + place(names) + "\" y=\"" + place(y + 3) +
           "\" width=\"" + place(explained) + "\" height=\"16\"/><text class=\"soft\" x=\"" +
           place(names + length + 6) + "\" y=\"" + place(y + 15) + "\">" +
           numberText(line.nanoseconds * 1e-3) + " us</text></g>\n";
  }
  return picture(width, double(lines.size()) * rowHeight + 4, "time of each kernel", svg);
}

/// The machine's limits over operations per byte, and each kernel below them; both axes are logarithmic.
std::string roofline(const std::vector<Line> &lines, const Rates &rates) {
  constexpr double height = 360, top = 14, bottom = 40;
  double least = rates.operations / rates.bytes / 16, most = rates.operations / rates.bytes * 16,
         slowest = rates.operations;
  std::vector<const Line *> shown;
  for (const Line &line : lines)
    if (line.nanoseconds > 0 && line.operations > 0 && line.bytes > 0) {
      shown.push_back(&line);
      least = std::min(least, line.operations / line.bytes);
      most = std::max(most, line.operations / line.bytes);
      slowest = std::min(slowest, line.operations / line.nanoseconds);
    }
  slowest = std::min(slowest, rates.operations / 100) / 1.5;
  auto across = [&](double intensity) {
    return left + (width - left - right) * std::log(intensity / least) / std::log(most / least);
  };
  auto down = [&](double rate) {
    return height - bottom -
           (height - top - bottom) * std::log(std::max(rate, slowest) / slowest) /
               std::log(1.5 * rates.operations / slowest);
  };
  auto roof = [&](double intensity) { return std::min(rates.operations, intensity * rates.bytes); };
  std::string svg = "<path class=\"axis\" d=\"M" + place(left) + ' ' + place(top) + 'V' +
                    place(height - bottom) + 'H' + place(width - right) + "\"/>";
  for (double power = std::pow(10, std::ceil(std::log10(slowest))); power <= 1.5 * rates.operations;
       power *= 10)
    svg += "<path class=\"axis\" d=\"M" + place(left) + ' ' + place(down(power)) + 'H' +
           place(width - right) + "\"/><text class=\"soft\" text-anchor=\"end\" x=\"" + place(left - 6) +
           "\" y=\"" + place(down(power) + 4) + "\">" + numberText(power) + "</text>";
  for (double power = std::pow(10, std::ceil(std::log10(least))); power <= most; power *= 10)
    svg += "<text class=\"soft\" text-anchor=\"middle\" x=\"" + place(across(power)) + "\" y=\"" +
           place(height - bottom + 16) + "\">" + numberText(power) + "</text>";
  const double ridge = std::clamp(rates.operations / rates.bytes, least, most);
  svg += "<path class=\"limit\" d=\"M" + place(across(least)) + ' ' + place(down(roof(least))) + 'L' +
         place(across(ridge)) + ' ' + place(down(roof(ridge))) + 'L' + place(across(most)) + ' ' +
         place(down(roof(most))) + "\"/>";
  const double all = sumOf(lines);
  for (const Line *line : shown)
    svg += "<g class=\"" + line->type + "\"><title>" + escaped(inWords(*line, all)) +
           "</title><circle class=\"box\" cx=\"" + place(across(line->operations / line->bytes)) +
           "\" cy=\"" + place(down(line->operations / line->nanoseconds)) + "\" r=\"" +
           place(3 + 12 * std::sqrt(all > 0 ? line->nanoseconds / all : 0)) + "\"/></g>\n";
  svg += "<text class=\"soft\" x=\"" + place(left + 6) + "\" y=\"" + place(top + 10) +
         "\">GFLOP/s</text><text class=\"soft\" text-anchor=\"end\" x=\"" + place(width - right) + "\" y=\"" +
         place(height - 6) + "\">operations per byte</text>";
  return picture(width, height, "roofline: the rate of each kernel below the limits of the machine", svg);
}

/// The last call, launch by launch.
std::string timeline(const CompiledProgram &program, const Measurement &measured) {
  if (measured.traced.empty() || measured.traced.back().size() < 2)
    return "";
  const Step &step = measured.traced.back();
  const double all = double(std::max<int64_t>(step.back() - step.front(), 1));
  const std::map<std::string, std::string> colours = coloursOf(program);
  std::string svg;
  for (size_t i = 0; i + 1 < step.size() && i < measured.launches.size(); ++i) {
    const LaunchInfo &launch = measured.launches[i].launch;
    const double x = width * double(step[i] - step.front()) / all,
                 length = width * double(step[i + 1] - step[i]) / all;
    svg += "<g class=\"" + colourOf(colours, launch.kernel) + "\"><title>" +
           escaped(launch.kernel + ", " + numberText(double(step[i + 1] - step[i]) * 1e-3) + " us, for " +
                   launch.node) +
           "</title><rect class=\"box\" stroke=\"var(--back)\" stroke-width=\"0.5\" x=\"" + place(x) +
           "\" y=\"0\" width=\"" + place(std::max(length, 0.3)) + "\" height=\"34\"/></g>\n";
  }
  svg += "<text class=\"soft\" x=\"0\" y=\"50\">0</text><text class=\"soft\" text-anchor=\"end\" x=\"" +
         place(width) + "\" y=\"50\">" + numberText(all * 1e-3) + " us</text>";
  return "<h3>One call</h3>\n" + picture(width, 56, "the launches of one call over its time", svg);
}

} // namespace

void addTimes(Document &document, const CompiledProgram &program, const Measurement &measured) {
  const std::vector<Line> lines = linesOf(program, measured);
  document.section("times", "Where the time goes");
  document.add(
      "<p>" + escaped(functionNames[measured.function]) + " takes " + numberText(measured.call * 1e-3) +
      " us on " + std::to_string(measured.threads) + (measured.threads == 1 ? " thread" : " threads") +
      ", the median of " + grouped(int64_t(measured.calls)) +
      " calls. This machine: " + numberText(measured.rates.operations) + " GFLOP/s in multiply-adds, " +
      numberText(measured.rates.bytes) +
      " GB/s reading and writing a block as large as the model's memory. The dark part of a bar is what "
      "these two limits explain.</p>\n<div class=\"wide\">" +
      bars(lines, measured.rates) + "<h3>Roofline</h3>\n" + roofline(lines, measured.rates) +
      timeline(program, measured) + "</div>\n");
}

} // namespace dlc::tool::report

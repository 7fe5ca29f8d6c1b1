//===- Document.cpp - a page of HTML that needs nothing else ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Document.h"
#include <cmath>
#include <cstdio>

namespace dlc::tool::report {

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '"':
      result += "&quot;";
      break;
    case '\'':
      result += "&#39;";
      break;
    case '\n':
      result += '\n';
      break;
    default:
      result += (c >= 0 && c < ' ') || c == 0x7f ? ' ' : c;
    }
  return result;
}

std::string grouped(int64_t number) {
  std::string digits = std::to_string(number);
  const int64_t sign = number < 0;
  for (int64_t i = int64_t(digits.size()) - 3; i > sign; i -= 3)
    digits.insert(size_t(i), ",");
  return digits;
}

static std::string printed(const char *format, double number) {
  char text[64];
  std::snprintf(text, sizeof text, format, number);
  return text;
}

std::string bytesText(int64_t bytes) {
  if (bytes < 10'000)
    return grouped(bytes) + " bytes";
  static const char *const units[] = {"kB", "MB", "GB", "TB", "PB", "EB"};
  double number = double(bytes) / 1000;
  size_t unit = 0;
  for (; number >= 1000 && unit + 1 < std::size(units); ++unit)
    number /= 1000;
  return printed(number < 100 ? "%.3g" : "%.0f", number) + ' ' + units[unit];
}

std::string numberText(double number) { return printed("%.4g", number); }

std::string place(double coordinate) {
  std::string text = printed("%.2f", std::isfinite(coordinate) ? coordinate : 0);
  while (text.back() == '0')
    text.pop_back();
  if (text.back() == '.')
    text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string colour(size_t index) { return "c" + std::to_string(index % 8); }

std::string lightColour(size_t index) {
  static const char *const colours[] = {"#2f6fb7", "#c2571a", "#2b8a4b", "#8a4fb0",
                                        "#a8323e", "#1b8a93", "#8a6d1b", "#6b7480"};
  return colours[index % 8];
}

std::string picture(double width, double height, const std::string &label, const std::string &content) {
  return "<div class=\"picture\" role=\"region\" tabindex=\"0\" aria-label=\"" + escaped(label) +
         "\"><svg role=\"img\" aria-label=\"" + escaped(label) + "\" viewBox=\"0 0 " + place(width) + ' ' +
         place(height) + "\" width=\"" + place(width) + "\" height=\"" + place(height) + "\">" + content +
         "</svg></div>\n";
}

std::string folded(const std::string &line, const std::string &content, bool isOpen,
                   const std::string &type) {
  return "<details class=\"" + type + "\"" + (isOpen ? " open" : "") + "><summary>" + escaped(line) +
         "</summary>" + content + "</details>\n";
}

std::string legend(const std::vector<std::pair<std::string, std::string>> &entries) {
  std::string html = "<ul class=\"legend\">";
  for (const auto &[name, type] : entries)
    html += "<li><i class=\"" + type + "\"></i>" + escaped(name) + "</li>";
  return html + "</ul>\n";
}

void Document::section(const std::string &id, const std::string &heading) {
  if (!sections.empty())
    body += "</section>\n";
  const int times = ++sections[id];
  const std::string anchor = times == 1 ? id : id + "-" + std::to_string(times);
  navigation += "<a href=\"#" + anchor + "\">" + escaped(heading) + "</a>";
  body += "<section id=\"" + anchor + "\"><h2>" + escaped(heading) + "</h2>\n";
}

/// Light and dark, wide and narrow.
static const char *const style = R"(
:root { color-scheme: light dark; --back: #fff; --front: #1b1f24; --soft: #5b6470; --line: #d5dae0; --field: #f4f6f8;
  --a: #0b66c3; }
@media (prefers-color-scheme: dark) { :root { --back: #14181d; --front: #e4e8ec; --soft: #9aa4af; --line: #363e47; --field: #1d232a;
  --a: #79b8ff; --k0: #6aa9ec; --k1: #f0955a; --k2: #62c584; --k3: #c48fe6; --k4: #ee7c86; --k5: #58c5ce; --k6: #d3b457; --k7: #98a2ae; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 0 1rem 3rem; max-width: 68rem; background: var(--back); color: var(--front);
  font: 16px/1.5 system-ui, sans-serif; }
nav { position: sticky; top: 0; background: var(--back); border-bottom: 1px solid var(--line); padding: .5rem 0; display: flex;
  flex-wrap: wrap; gap: .2rem 1rem; z-index: 1; }
a { color: var(--a); }
h1 { margin: 1rem 0 .2rem; overflow-wrap: anywhere; } h2 { margin: 2rem 0 .5rem; scroll-margin-top: 5rem; }
section { scroll-margin-top: 4rem; }
p, li { overflow-wrap: anywhere; } td { overflow-wrap: break-word; } td.name { white-space: nowrap; }
.soft, figcaption { color: var(--soft); }
.picture { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; margin: .5rem 0; padding: .5rem; }
.picture svg { display: block; }
.table { overflow-x: auto; }
table { border-collapse: collapse; font-size: .9rem; } th, td { text-align: left; padding: .15rem .7rem .15rem 0; vertical-align: top;
  border-bottom: 1px solid var(--line); } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
figure { margin: 0; } .charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; }
.charts svg, .wide svg { width: 100%; height: auto; min-width: 20rem; } .wide svg { min-width: 48rem; }
.legend { list-style: none; padding: 0; margin: .3rem 0; display: flex; flex-wrap: wrap; gap: .2rem 1rem; font-size: .9rem; }
.legend i { display: inline-block; width: .8em; height: .8em; border-radius: 2px; margin-right: .4em; background: currentColor; }
summary { cursor: pointer; padding: .2rem 0; } :focus-visible { outline: 2px solid var(--a); outline-offset: 2px; }
.stages { display: flex; gap: 1rem; overflow-x: auto; align-items: flex-start; }
.stages > div { flex: 0 0 min(40rem, 85vw); min-width: 0; } .stages pre { max-height: 32rem; }
pre { background: var(--field); border-radius: 6px; padding: .6rem; overflow: auto; font: 12px/1.4 ui-monospace, monospace; }
svg text { fill: var(--front); font: 12px system-ui, sans-serif; } svg text.soft { fill: var(--soft); }
svg .axis { stroke: var(--line); fill: none; } svg .limit { stroke: var(--front); stroke-dasharray: 5 4; fill: none; }
svg .curve { fill: none; stroke-width: 1.8; stroke: currentColor; } svg .box { fill: currentColor; fill-opacity: .75; }
svg .field { fill: var(--field); stroke: var(--line); } svg .tie { stroke: currentColor; stroke-opacity: .55; fill: none; }
svg .on { fill: var(--back); } svg .value { stroke: var(--back); stroke-width: .5; }
.c0 { color: var(--k0); } .c1 { color: var(--k1); } .c2 { color: var(--k2); } .c3 { color: var(--k3); }
.c4 { color: var(--k4); } .c5 { color: var(--k5); } .c6 { color: var(--k6); } .c7 { color: var(--k7); }
@media print { nav { display: none; } }
)";

std::string Document::text() const {
  const std::string name = escaped(title);
  std::string lightColours = "\n:root {";
  for (size_t i = 0; i < 8; ++i)
    lightColours += " --k" + std::to_string(i) + ": " + lightColour(i) + ";";
  lightColours += " }";
  return "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'; "
         "img-src data:\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<link rel=\"icon\" href=\"data:,\">\n<title>" +
         name + "</title><style>" + lightColours + style +
         "</style></head>\n<body><nav aria-label=\"Sections\">" + navigation + "</nav>\n<main><h1>" + name +
         "</h1>\n" + body + (sections.empty() ? "" : "</section>\n") + "</main></body></html>\n";
}

} // namespace dlc::tool::report

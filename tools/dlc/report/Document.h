//===- Document.h - a page of HTML that needs nothing else -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing in it is fetched or run: pictures are SVG inside the page, and a policy in its head forbids the
// rest, so that a page of a file that anyone wrote is as harmless as its text.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_REPORT_DOCUMENT_H
#define DLC_TOOLS_DLC_REPORT_DOCUMENT_H

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlc::tool::report {

/// Text as a page may have it, in elements and in attributes: no markup, no control characters.
std::string escaped(std::string_view text);

/// "1,234,567".
std::string grouped(int64_t number);
/// "1.23 MB", of 1,000,000 bytes; below 10,000 bytes "9,999 bytes".
std::string bytesText(int64_t bytes);
/// As short as a reader needs: "%.4g".
std::string numberText(double number);
/// For coordinates: at most two digits behind the point.
std::string place(double coordinate);

/// Colours are classes of the style sheet, so that they suit light and dark pages: "c0" to "c7", again and
/// again.
std::string colour(size_t index);
/// What they are on light pages: "#2f6fb7".
std::string lightColour(size_t index);

/// A picture, with what a screen reader says of it. It scrolls where the window is too narrow, also by keys.
std::string picture(double width, double height, const std::string &label, const std::string &content);
/// What opens at a click or a key, under a line that is always there; `type` is a class of the style sheet.
std::string folded(const std::string &line, const std::string &content, bool isOpen, const std::string &type);
/// What the colours mean: names and their classes.
std::string legend(const std::vector<std::pair<std::string, std::string>> &entries);

/// A page in sections. Its parts are HTML: what comes from files goes through escaped().
class Document {
public:
  explicit Document(std::string title) : title(std::move(title)) {}

  /// Begins a section, which the navigation names. `id` is a word, and a number is added where it was used
  /// before.
  void section(const std::string &id, const std::string &heading);
  void add(const std::string &html) { body += html; }
  std::string text() const;

private:
  std::string title, navigation, body;
  std::map<std::string, int> sections; ///< how often each id was given
};

} // namespace dlc::tool::report

#endif // DLC_TOOLS_DLC_REPORT_DOCUMENT_H

//===- NearMiss.cpp - what a mistyped word was meant to be -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/NearMiss.h"
#include <algorithm>

namespace dlc::tool {
namespace {

/// Letters inserted, removed or replaced, and neighbours exchanged.
size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> rows(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t &best = rows[i][j];
      if (i == 0 || j == 0) {
        best = i + j;
        continue;
      }
      best = std::min({rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        best = std::min(best, rows[i - 2][j - 2] + 1);
    }
  return rows[a.size()][b.size()];
}

} // namespace

std::string nearest(const std::string &word, const std::vector<std::string> &known) {
  if (word.size() > 64)
    return "";
  std::string result;
  size_t best = word.size() / 3 + 1; // more than a third of other letters is another word
  for (const std::string &candidate : known)
    if (size_t changes = distance(word, candidate); changes < best) {
      best = changes;
      result = candidate;
    }
  return result;
}

std::string didYouMean(const std::string &word, const std::vector<std::string> &known) {
  const std::string near = nearest(word, known);
  return near.empty() ? "" : "; did you mean '" + near + "'?";
}

std::function<std::string(const std::string &)> oneOf(const std::vector<std::string> &known) {
  return [known](const std::string &word) {
    if (std::find(known.begin(), known.end(), word) != known.end())
      return std::string();
    std::string text = "expected ";
    for (size_t i = 0; i < known.size(); ++i)
      text += (i == 0 ? "" : i + 1 < known.size() ? ", " : " or ") + known[i];
    return text + "; got '" + word + "'" + didYouMean(word, known);
  };
}

std::string commandHint(const std::string &command) {
  static const std::pair<const char *, const char *> others[] = {
      {"help", "dlc --help"},   {"version", "dlc --version"}, {"fit", "dlc train"},
      {"build", "dlc compile"}, {"make", "dlc compile"},      {"test", "dlc eval"},
      {"evaluate", "dlc eval"}, {"infer", "dlc predict"},     {"lint", "dlc check"},
      {"show", "dlc inspect"},  {"info", "dlc inspect"},      {"gpus", "dlc devices"}};
  for (auto [word, meant] : others)
    if (command == word)
      return std::string("; did you mean '") + meant + "'?";
  std::string near =
      nearest(command, {"compile", "check", "inspect", "verify", "train", "eval", "predict", "profile",
                        "report", "plot", "tune", "export", "devices", "precompile", "help", "version"});
  if (near.empty())
    return "";
  return "; did you mean 'dlc " + std::string(near == "help" || near == "version" ? "--" : "") + near + "'?";
}

} // namespace dlc::tool

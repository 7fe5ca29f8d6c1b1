//===- Stages.cpp - the program after each stage, side by side -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Sections.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dlc::tool::report {

/// What a page has room for, of each stage.
constexpr size_t mostBytes = 48'000;

static std::string beginOf(const std::filesystem::path &path) {
  std::ifstream stream(path, std::ios::binary);
  std::string text(mostBytes + 1, '\0');
  stream.read(text.data(), std::streamsize(text.size()));
  if (stream.bad() || (!stream && !stream.eof()))
    throw std::runtime_error(path.string() + ": error: cannot be read");
  text.resize(size_t(stream.gcount()));
  if (text.size() <= mostBytes)
    return escaped(text);
  text.resize(text.rfind('\n', mostBytes) == std::string::npos ? mostBytes : text.rfind('\n', mostBytes));
  return escaped(text) + "\n... (the file is longer)";
}

void addStages(Document &document, const std::string &folder) {
  std::error_code error;
  std::vector<std::filesystem::path> files;
  for (const auto &entry : std::filesystem::directory_iterator(folder, error))
    if (entry.is_regular_file() && entry.path().extension() == ".mlir")
      files.push_back(entry.path());
  if (error)
    throw std::runtime_error(folder + ": error: cannot be read: " + error.message());
  if (files.empty())
    throw std::runtime_error(folder + ": error: there are no .mlir files: expected a folder that dlc compile "
                                      "--dump-ir=FOLDER wrote");
  std::sort(files.begin(), files.end());
  document.section("stages", "Stages of the program");
  document.add("<div class=\"stages\" role=\"region\" tabindex=\"0\" aria-label=\"Stages of the program\">");
  for (const std::filesystem::path &file : files)
    document.add("<div><h3>" + escaped(file.stem().string()) + "</h3><pre tabindex=\"0\">" + beginOf(file) +
                 "</pre></div>\n");
  document.add("</div>\n");
}

} // namespace dlc::tool::report

//===- TempFolder.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A folder for the files of one test, removed with everything in it at the end.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_TEMPFOLDER_H
#define DLC_TESTS_RUNTIME_TEMPFOLDER_H

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

class TempFolder {
public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "dlc-test-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  TempFolder(const TempFolder &) = delete;
  TempFolder &operator=(const TempFolder &) = delete;

  std::string file(const std::string &name) const { return path + "/" + name; }

  std::string write(const std::string &name, const std::string &content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }

  static std::string readAll(const std::string &name) {
    std::ifstream stream(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(stream), {});
  }

  size_t fileCount() const {
    std::filesystem::directory_iterator files(path);
    return static_cast<size_t>(std::distance(begin(files), end(files)));
  }

  std::string path;
};

#endif

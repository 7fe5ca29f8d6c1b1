//===- LoadedModel.cpp - a model, compiled and in memory -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/LoadedModel.h"
#include "tools/dlc/train/Arrays.h"
#include <cstdlib>
#include <filesystem>

namespace dlc::tool::training {

namespace {

std::string makeTemporaryFolder() {
  std::error_code error;
  std::string path = (std::filesystem::temp_directory_path(error) / "dlc-train-XXXXXX").string();
  if (error || !mkdtemp(path.data()))
    throw Failure(path + ": cannot make a temporary folder");
  return path;
}

} // namespace

LoadedModel::LoadedModel(const TrainOptions &options, const Compiler &compiler) {
  if (!options.keepLibrary)
    temporary = makeTemporaryFolder();
  try {
    files = compiler.compile(options.keepLibrary ? options.output : temporary);
    if (files.manifest.empty())
      throw Failure("");
    compiled = std::make_unique<CompiledModel>(files.manifest, LinkArchive());
  } catch (...) { // the destructor is not called
    removeFiles();
    throw;
  }
}

void LoadedModel::removeFiles() {
  std::error_code ignored;
  if (!temporary.empty())
    std::filesystem::remove_all(temporary, ignored);
  temporary.clear();
}

} // namespace dlc::tool::training

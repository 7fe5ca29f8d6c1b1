//===- CompiledModel.cpp - a library and its manifest ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/CompiledModel.h"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <stdexcept>

namespace dlc::tool {

namespace fs = std::filesystem;

CompiledModel::CompiledModel(const std::string &file, const ProfileServices &services) : services(services) {
  fs::path path(file);
  const bool isLibrary = path.extension() == ".a" || path.extension() == ".so";
  if (isLibrary) { // out/libmlp.a and out/mlp.json
    const std::string stem = path.stem().string();
    path.replace_filename((stem.rfind("lib", 0) == 0 ? stem.substr(3) : stem) + ".json");
  }
  manifest = readManifest(path.string());
  const std::string named = manifest.fileOf({".a", ".so"});
  if (named.empty())
    throw std::runtime_error(path.string() + ": error: the manifest names no library");
  if (isLibrary && fs::path(file).filename() != named)
    throw std::runtime_error(path.string() + ": error: the manifest of '" + manifest.name +
                             "' is not that of its library: 'files' has " + named + " in place of " +
                             fs::path(file).filename().string() + ": compile the model again");
  std::string library = checked(named);
  if (fs::path(library).extension() == ".a") {
    library = services.linkArchive(library, manifest.name);
    if (library.empty())
      throw std::runtime_error("");
  }
  open(library);
  checkAgainst(manifest, description);
}

CompiledModel::~CompiledModel() {
  if (handle)
    dlclose(handle);
}

std::string CompiledModel::checked(const std::string &file) const {
  const std::string path = (fs::path(manifest.path).parent_path() / file).string();
  const auto expected = manifest.digests.find(file);
  if (expected == manifest.digests.end())
    throw std::runtime_error(manifest.path +
                             ": error: not a manifest of this version of dlc: 'sha256' has no "
                             "digest of " +
                             file + ": compile the model again");
  const std::string digest = services.digest(path);
  if (digest.empty())
    throw std::runtime_error("");
  if (digest != expected->second)
    throw std::runtime_error(manifest.path + ": error: the manifest of '" + manifest.name +
                             "' is not that of its library: 'sha256' of " + file + " is " + digest +
                             ", where the manifest has another: compile the model again");
  return path;
}

std::string CompiledModel::weights() const {
  const std::string file = manifest.fileOf({".safetensors"});
  return file.empty() ? "" : checked(file);
}

void CompiledModel::open(const std::string &library) {
  // A name without a slash would be looked for in the system's folders.
  handle = dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(library + ": error: cannot be loaded: " + dlerror());
  const auto *found = static_cast<const dlc_model *>(dlsym(handle, (manifest.name + ".model").c_str()));
  if (!found || found->abi_version != DLC_ABI_VERSION)
    throw std::runtime_error(library +
                             ": error: not a library of this version of dlc: compile the model again");
  description = *found;
  const dlc_target *const end = found->targets + found->target_count;
  description.targets =
      std::find_if(found->targets, end, [](const dlc_target &each) { return each.kind == DLC_TARGET_CPU; });
  description.target_count = 1;
  if (description.targets == end)
    throw std::runtime_error("dlc: error: '" + manifest.name +
                             "' was compiled for GPUs only, and a profile is of a CPU's kernels: compile it "
                             "with --target=cpu or --target=cpu,nvptx");
}

const std::vector<LaunchInfo> &CompiledModel::launches(dlc_function_kind function) const {
  static const std::vector<LaunchInfo> none;
  const auto found = manifest.functions.find(functionNames[function]);
  return found == manifest.functions.end() ? none : found->second;
}

} // namespace dlc::tool

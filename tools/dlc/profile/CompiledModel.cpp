//===- CompiledModel.cpp - a library and its manifest ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/CompiledModel.h"
#include <algorithm>
#include <dlfcn.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

namespace dlc::tool {

const char *const functionNames[DLC_PREDICT + 1] = {"train_step", "grad_step", "accumulate",
                                                    "apply",      "eval_step", "predict"};

CompiledModel::CompiledModel(const std::string &file, const LinkArchive &linkArchive) {
  std::filesystem::path path(file);
  const bool isLibrary = path.extension() == ".a" || path.extension() == ".so";
  std::string library = isLibrary ? file : "";
  if (isLibrary) { // out/libmlp.a and out/mlp.json
    std::string stem = path.stem().string();
    path.replace_filename((stem.rfind("lib", 0) == 0 ? stem.substr(3) : stem) + ".json");
  }
  readManifest(path.string(), library);
  if (std::filesystem::path(library).extension() == ".a") {
    library = linkArchive(library, name);
    if (library.empty())
      throw std::runtime_error("");
  }
  open(library);
}

CompiledModel::~CompiledModel() {
  if (handle)
    dlclose(handle);
}

void CompiledModel::readManifest(const std::string &path, std::string &library) {
  using Json = nlohmann::json;
  std::ifstream stream(path);
  if (!stream)
    throw std::runtime_error(
        path + ": error: cannot read the manifest, which names the kernels and what they compute");
  try {
    Json manifest = Json::parse(stream);
    name = manifest.at("name");
    Json target = manifest;
    for (const Json &each : manifest.value("targets", Json::array()))
      if (each.at("name") == "cpu")
        target = each;
    std::map<std::string, LaunchInfo> kernels;
    for (const Json &kernel : target.at("kernels"))
      kernels[kernel.at("name")] = {kernel.at("name"),
                                    "",
                                    kernel.at("operations"),
                                    kernel.at("bytes"),
                                    kernel.value("chunks", int64_t{1}),
                                    kernel.value("unit", "") == "pairs",
                                    {}};
    for (const Json &function : target.at("functions"))
      for (const Json &launch : function.at("launches")) {
        LaunchInfo info = kernels.at(launch.at("kernel"));
        info.node = launch.at("node");
        for (const Json &result : launch.at("results"))
          info.results.push_back({result.at("place"), result.at("dtype") == "float64", result.at("shape"),
                                  result.at("strides")});
        functions[function.at("name")].push_back(std::move(info));
      }
    const auto folder = std::filesystem::path(path).parent_path();
    for (const std::string file : manifest.at("files")) {
      const std::string extension = std::filesystem::path(file).extension();
      if (extension == ".safetensors")
        weightsPath = (folder / file).string();
      else if (library.empty() && (extension == ".a" || extension == ".so"))
        library = (folder / file).string();
    }
  } catch (const std::exception &) { // of a key, a type, a kernel that is not there
    throw std::runtime_error(path +
                             ": error: not a manifest of this version of dlc: compile the model again");
  }
  if (library.empty())
    throw std::runtime_error(path + ": error: the manifest names no library");
}

void CompiledModel::open(const std::string &library) {
  // A name without a slash would be looked for in the system's folders.
  handle = dlopen(std::filesystem::absolute(library).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw std::runtime_error(library + ": error: cannot be loaded: " + dlerror());
  const auto *found = static_cast<const dlc_model *>(dlsym(handle, (name + ".model").c_str()));
  if (!found || found->abi_version != DLC_ABI_VERSION)
    throw std::runtime_error(library +
                             ": error: not a library of this version of dlc: compile the model again");
  description = *found;
  const dlc_target *const end = found->targets + found->target_count;
  description.targets =
      std::find_if(found->targets, end, [](const dlc_target &each) { return each.kind == DLC_TARGET_CPU; });
  description.target_count = 1;
  if (description.targets == end)
    throw std::runtime_error("dlc: error: '" + name +
                             "' was compiled for GPUs only, and a profile is of a CPU's kernels: compile it "
                             "with --target=cpu or --target=cpu,nvptx");
}

const std::vector<LaunchInfo> &CompiledModel::launches(dlc_function_kind function) const {
  static const std::vector<LaunchInfo> none;
  auto found = functions.find(functionNames[function]);
  const std::vector<LaunchInfo> &launches = found == functions.end() ? none : found->second;
  // Manifest and library were written together, but files can be mixed up.
  const dlc_target &target = *description.targets;
  const dlc_function &table = target.functions[function];
  size_t next = 0;
  bool same = true;
  for (uint32_t i = 0; i < table.launch_count; ++i)
    if (uint32_t kernel = table.launches[i].kernel; kernel != DLC_COPY) {
      same = same && next < launches.size() && launches[next].kernel == target.kernels[kernel].name;
      ++next;
    }
  if (!same || next != launches.size())
    throw std::runtime_error("dlc: error: the manifest of '" + name +
                             "' is not that of its library: compile the model again");
  return launches;
}

} // namespace dlc::tool

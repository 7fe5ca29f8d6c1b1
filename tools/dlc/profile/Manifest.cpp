//===- Manifest.cpp - what the manifest beside a library says ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Manifest.h"
#include "tools/dlc/ManifestField.h"
#include <algorithm>
#include <filesystem>

namespace dlc::tool {

const char *const functionNames[DLC_FUNCTIONS] = {"train_step",   "grad_step", "accumulate",   "apply",
                                                  "eval_step",    "predict",   "train_step_n", "grad_step_n",
                                                  "accumulate_n", "vjp",       "jvp",          "hvp"};

namespace {

/// A file beside the manifest, never one elsewhere.
std::string fileName(const ManifestField &field) {
  const std::string name = field.text();
  const bool isPlain = !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
  if (!isPlain)
    field.fail("the name of a file beside the manifest");
  return name;
}

ResultInfo readResult(const ManifestField &field) {
  ResultInfo result;
  result.place = static_cast<size_t>(field.at("place").count());
  static const std::map<std::string, dlc_dtype> dtypes = {
      {"f64", DLC_F64}, {"f32", DLC_F32}, {"tf32", DLC_F32}, {"bf16", DLC_BF16}, {"f16", DLC_F16}};
  const auto dtype = dtypes.find(field.at("dtype").text());
  if (dtype == dtypes.end())
    field.at("dtype").fail("f64, f32, tf32, bf16 or f16");
  result.dtype = dtype->second;
  result.shape = field.at("shape").counts();
  result.strides = field.at("strides").counts();
  if (result.shape.size() != result.strides.size())
    field.at("strides").fail("as many numbers as 'shape' has");
  return result;
}

LaunchInfo readKernel(const ManifestField &field) {
  LaunchInfo kernel;
  kernel.kernel = field.at("name").text();
  kernel.operations = field.at("operations").count();
  kernel.bytes = field.at("bytes").count();
  kernel.chunks = field.has("chunks") ? field.at("chunks").count(1) : 1;
  kernel.addsPairs = field.has("unit") && field.at("unit").text() == "pairs";
  return kernel;
}

/// What has the kernels of CPUs.
ManifestField cpuTarget(const ManifestField &manifest) {
  if (manifest.has("targets"))
    for (const ManifestField &target : manifest.at("targets").elements())
      if (target.at("name").text() == "cpu")
        return target;
  return manifest;
}

void readFunctions(const ManifestField &target, Manifest &manifest) {
  std::map<std::string, LaunchInfo> kernels;
  for (const ManifestField &field : target.at("kernels").elements()) {
    LaunchInfo kernel = readKernel(field);
    kernels[kernel.kernel] = kernel;
  }
  for (const ManifestField &function : target.at("functions").elements()) {
    std::vector<LaunchInfo> &launches = manifest.functions[function.at("name").text()];
    for (const ManifestField &launch : function.at("launches").elements()) {
      const auto kernel = kernels.find(launch.at("kernel").text());
      if (kernel == kernels.end())
        launch.at("kernel").fail("the name of one of the kernels");
      LaunchInfo info = kernel->second;
      info.node = launch.at("node").text();
      for (const ManifestField &result : launch.at("results").elements())
        info.results.push_back(readResult(result));
      launches.push_back(std::move(info));
    }
  }
}

} // namespace

std::string Manifest::fileOf(const std::vector<std::string> &extensions) const {
  for (const std::string &file : files)
    if (const std::string extension = std::filesystem::path(file).extension();
        std::find(extensions.begin(), extensions.end(), extension) != extensions.end())
      return file;
  return "";
}

Manifest readManifest(const std::string &path) {
  const ManifestJson json(path);
  const ManifestField root = json.root();
  Manifest manifest;
  manifest.path = path;
  manifest.name = root.at("name").text();
  for (const ManifestField &file : root.at("files").elements())
    manifest.files.push_back(fileName(file));
  for (const std::string &file : root.at("sha256").keys())
    manifest.digests[file] = root.at("sha256").at(file).text();
  readFunctions(cpuTarget(root), manifest);
  return manifest;
}

Manifest manifestOf(const std::string &text) {
  const ManifestJson json(text, "the program");
  Manifest manifest;
  manifest.name = json.root().at("name").text();
  readFunctions(cpuTarget(json.root()), manifest);
  return manifest;
}

} // namespace dlc::tool

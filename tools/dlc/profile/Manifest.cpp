//===- Manifest.cpp - what the manifest beside a library says ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Manifest.h"
#include "tools/dlc/BoundedJson.h"
#include "tools/dlc/Printable.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <stdexcept>

namespace dlc::tool {

const char *const functionNames[DLC_FUNCTIONS] = {"train_step",   "grad_step",   "accumulate",
                                                  "apply",        "eval_step",   "predict",
                                                  "train_step_n", "grad_step_n", "accumulate_n"};

namespace {

using Json = nlohmann::json;

constexpr int64_t mostRank = 64;

/// A value of the manifest, which knows where it stands.
class Field {
public:
  Field(const Json &json, std::string file, std::string name)
      : json(json), file(std::move(file)), name(std::move(name)) {}

  [[noreturn]] void fail(const std::string &expected) const {
    std::string got = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (got.size() > 60)
      got = got.substr(0, 60) + "...";
    throw std::runtime_error(file + ": error: not a manifest of this version of dlc: expected " + expected +
                             " as '" + name + "', got " + printable(got) + ": compile the model again");
  }
  bool has(const char *key) const { return json.is_object() && json.contains(key); }
  Field at(const std::string &key) const {
    if (!json.is_object())
      fail("an object");
    static const Json missing;
    const auto found = json.find(key);
    return Field(found == json.end() ? missing : *found, file, name.empty() ? key : name + "." + key);
  }
  std::vector<Field> elements() const {
    if (!json.is_array())
      fail("a list");
    std::vector<Field> result;
    for (size_t i = 0; i < json.size(); ++i)
      result.emplace_back(json[i], file, name + "[" + std::to_string(i) + "]");
    return result;
  }
  std::string text() const {
    if (!json.is_string())
      fail("a text");
    std::string value = json.get<std::string>();
    if (value.find('\0') != std::string::npos)
      fail("a text without zeros");
    return value;
  }
  int64_t count(int64_t least = 0) const {
    const bool fits = json.is_number_unsigned() && json.get<uint64_t>() <= uint64_t{INT64_MAX} &&
                      json.get<int64_t>() >= least;
    if (!fits)
      fail("a whole number from " + std::to_string(least) + " on");
    return json.get<int64_t>();
  }
  std::vector<int64_t> counts() const {
    std::vector<int64_t> result;
    for (const Field &element : elements())
      result.push_back(element.count());
    if (result.size() > mostRank)
      fail("at most " + std::to_string(mostRank) + " numbers");
    return result;
  }
  std::vector<std::string> keys() const {
    if (!json.is_object())
      fail("an object");
    std::vector<std::string> result;
    for (const auto &entry : json.items())
      result.push_back(entry.key());
    return result;
  }

private:
  const Json &json;
  std::string file, name;
};

/// A file beside the manifest, never one elsewhere.
std::string fileName(const Field &field) {
  const std::string name = field.text();
  const bool isPlain = !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos;
  if (!isPlain)
    field.fail("the name of a file beside the manifest");
  return name;
}

ResultInfo readResult(const Field &field) {
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

LaunchInfo readKernel(const Field &field) {
  LaunchInfo kernel;
  kernel.kernel = field.at("name").text();
  kernel.operations = field.at("operations").count();
  kernel.bytes = field.at("bytes").count();
  kernel.chunks = field.has("chunks") ? field.at("chunks").count(1) : 1;
  kernel.addsPairs = field.has("unit") && field.at("unit").text() == "pairs";
  return kernel;
}

/// What has the kernels of CPUs.
Field cpuTarget(const Field &manifest) {
  if (manifest.has("targets"))
    for (const Field &target : manifest.at("targets").elements())
      if (target.at("name").text() == "cpu")
        return target;
  return manifest;
}

void readFunctions(const Field &target, Manifest &manifest) {
  std::map<std::string, LaunchInfo> kernels;
  for (const Field &field : target.at("kernels").elements()) {
    LaunchInfo kernel = readKernel(field);
    kernels[kernel.kernel] = kernel;
  }
  for (const Field &function : target.at("functions").elements()) {
    std::vector<LaunchInfo> &launches = manifest.functions[function.at("name").text()];
    for (const Field &launch : function.at("launches").elements()) {
      const auto kernel = kernels.find(launch.at("kernel").text());
      if (kernel == kernels.end())
        launch.at("kernel").fail("the name of one of the kernels");
      LaunchInfo info = kernel->second;
      info.node = launch.at("node").text();
      for (const Field &result : launch.at("results").elements())
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
  std::error_code error; // a pipe would keep the process waiting
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw std::runtime_error(path + ": error: not a regular file");
  std::ifstream stream(path);
  if (!stream)
    throw std::runtime_error(
        path + ": error: cannot read the manifest, which names the kernels and what they compute");
  Json json;
  try {
    json = parseBounded<Json>(stream);
  } catch (const std::exception &) { // no JSON
    throw std::runtime_error(path +
                             ": error: not a manifest of this version of dlc: compile the model again");
  }
  const Field root(json, path, "");
  Manifest manifest;
  manifest.path = path;
  manifest.name = root.at("name").text();
  for (const Field &file : root.at("files").elements())
    manifest.files.push_back(fileName(file));
  for (const std::string &file : root.at("sha256").keys())
    manifest.digests[file] = root.at("sha256").at(file).text();
  readFunctions(cpuTarget(root), manifest);
  return manifest;
}

} // namespace dlc::tool

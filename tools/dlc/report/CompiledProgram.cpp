//===- CompiledProgram.cpp - what a manifest says of a compiled model ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/CompiledProgram.h"
#include "tools/dlc/report/Document.h"
#include <algorithm>
#include <map>

namespace dlc::tool::report {
namespace {

/// "f32[batch, 784]".
std::string typeOf(const ManifestField &tensor) {
  std::string text = tensor.at("dtype").text() + '[';
  for (const ManifestField &size : tensor.at("shape").elements())
    text += (text.back() == '[' ? "" : ", ") + size.textOrCount();
  return text + ']';
}

Kernel readKernel(const ManifestField &field) {
  Kernel kernel;
  kernel.name = field.at("name").text();
  if (field.has("kind"))
    kernel.kind = field.at("kind").text();
  if (field.has("chunks"))
    kernel.chunks = field.at("chunks").count(1);
  if (field.has("operations")) {
    kernel.operations = field.at("operations").count();
    kernel.bytes = field.at("bytes").count();
  }
  return kernel;
}

/// The number of a launch within the function, its beginning (-1) or its end.
int64_t launchNumber(const ManifestField &field, size_t launches) {
  const int64_t number = field.number();
  if (number < -1 || number > int64_t(launches))
    field.fail("the number of a launch");
  return number;
}

Value readValue(const ManifestField &field, size_t launches, int64_t stateBytes) {
  Value value;
  value.offset = field.at("offset").count(stateBytes) - stateBytes;
  value.bytes = field.at("bytes").count();
  value.first = launchNumber(field.at("first"), launches);
  value.last = launchNumber(field.at("last"), launches);
  if (field.has("dtype"))
    value.type = typeOf(field);
  return value;
}

Apart readApart(const ManifestField &field, size_t reasons) {
  Apart apart;
  apart.from = field.at("from").text();
  apart.to = field.at("to").text();
  apart.bytes = field.at("bytes").count();
  apart.why = size_t(field.at("why").count());
  if (apart.why >= reasons)
    field.at("why").fail("the number of one of the reasons");
  return apart;
}

Function readFunction(const ManifestField &field, const std::map<std::string, size_t> &kernels,
                      size_t reasons, int64_t stateBytes) {
  Function function;
  function.name = field.at("name").text();
  function.workingBytes = field.at("working_bytes").count();
  function.lowerBound = field.at("lower_bound_bytes").count();
  for (const ManifestField &entry : field.at("launches").elements()) {
    const auto kernel = kernels.find(entry.at("kernel").text());
    if (kernel == kernels.end())
      entry.at("kernel").fail("the name of one of the kernels");
    Launch launch;
    launch.kernel = kernel->second;
    for (const ManifestField &part : entry.at("parts").elements())
      launch.parts.push_back(part.text());
    if (entry.has("apart"))
      for (const ManifestField &apart : entry.at("apart").elements())
        launch.apart.push_back(readApart(apart, reasons));
    function.launches.push_back(std::move(launch));
  }
  if (field.has("values"))
    for (const ManifestField &value : field.at("values").elements())
      function.values.push_back(readValue(value, function.launches.size(), stateBytes));
  if (field.has("fullest"))
    function.fullest = launchNumber(field.at("fullest").at("launch"), function.launches.size());
  return function;
}

void readFacts(const ManifestField &root, const ManifestField &target, CompiledProgram &program) {
  auto add = [&](const std::string &name, const std::string &value) {
    program.facts.emplace_back(name, value);
  };
  add("compiled by", "dlc " + root.at("dlc").at("version").text());
  if (root.has("training"))
    add("training", root.at("training").text());
  if (root.has("settings"))
    for (const std::string &key : root.at("settings").keys())
      add(key, root.at("settings").at(key).text());
  if (root.has("batch"))
    add("batch", root.at("batch").textOrCount());
  for (const char *kind : {"inputs", "outputs"})
    for (const ManifestField &tensor : root.at(kind).elements())
      add(std::string(kind).substr(0, std::string(kind).size() - 1),
          tensor.at("name").text() + ": " + typeOf(tensor));
  if (root.has("recognized"))
    for (const std::string &name : root.at("recognized").keys())
      add("recognized", grouped(root.at("recognized").at(name).count()) + " x " + name);
  if (root.has("nearly_recognized"))
    for (const ManifestField &node : root.at("nearly_recognized").elements())
      add("not recognized", node.at("node").text() + ": " + node.at("why").text());
  int64_t parameters = 0;
  for (const ManifestField &state : target.at("state").elements())
    if (state.at("kind").text() == "parameter") {
      int64_t count = 1;
      for (int64_t size : state.at("shape").counts())
        if (__builtin_mul_overflow(count, size, &count))
          state.at("shape").fail("a shape of a tensor that fits into memory");
      if (__builtin_add_overflow(parameters, count, &parameters))
        state.at("shape").fail("a shape of a tensor that fits into memory");
    }
  add("parameters", grouped(parameters));
  const ManifestField memory = target.at("memory");
  add("memory", bytesText(memory.at("arena_bytes").count()) + ", of which " +
                    bytesText(memory.at("state_bytes").count()) +
                    " are parameters, moments and other state; at least " +
                    bytesText(memory.at("lower_bound_bytes").count()) + " are in use at once");
}

CompiledProgram readTarget(const ManifestField &root, const ManifestField &target) {
  CompiledProgram program;
  program.name = root.at("name").text();
  readFacts(root, target, program);
  std::map<std::string, size_t> numbers;
  for (const ManifestField &kernel : target.at("kernels").elements()) {
    numbers[kernel.at("name").text()] = program.kernels.size();
    program.kernels.push_back(readKernel(kernel));
    Kernel &added = program.kernels.back();
    const auto kind = std::find(program.kinds.begin(), program.kinds.end(), added.kind);
    added.kindNumber = size_t(kind - program.kinds.begin());
    if (kind == program.kinds.end())
      program.kinds.push_back(added.kind);
  }
  if (target.has("reasons"))
    for (const ManifestField &reason : target.at("reasons").elements())
      program.reasons.push_back(reason.text());
  const int64_t stateBytes = target.at("memory").at("state_bytes").count();
  for (const ManifestField &function : target.at("functions").elements())
    program.functions.push_back(readFunction(function, numbers, program.reasons.size(), stateBytes));
  return program;
}

} // namespace

std::vector<CompiledProgram> readPrograms(const ManifestJson &manifest) {
  const ManifestField root = manifest.root();
  if (!root.has("targets"))
    return {readTarget(root, root)};
  std::vector<CompiledProgram> programs;
  if (root.at("targets").elements().empty())
    root.at("targets").fail("a list of targets");
  for (const ManifestField &target : root.at("targets").elements()) {
    programs.push_back(readTarget(root, target));
    programs.back().target = target.at("name").text();
  }
  return programs;
}

} // namespace dlc::tool::report

//===- PrintManifest.cpp - a manifest for people ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/BoundedJson.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/Printable.h"
#include <cinttypes>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

namespace dlc::tool {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const Json &value) {
  return printable(value.is_string() ? value.get<std::string>() : value.dump());
}

/// "f32[batch, 784]".
std::string typeOf(const Json &tensor) {
  std::string result = text(tensor.at("dtype")) + "[";
  for (const Json &extent : tensor.at("shape"))
    result += (result.back() == '[' ? "" : ", ") + text(extent);
  return result + "]";
}

/// "1,234,567".
std::string number(int64_t value) {
  std::string digits = std::to_string(value);
  for (int64_t i = int64_t(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(i, ",");
  return digits;
}

/// The largest number in place of what is larger: a manifest may say anything.
int64_t plus(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}
int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

int64_t countOf(const Json &tensor) {
  int64_t count = 1;
  for (const Json &extent : tensor.at("shape"))
    count = times(count, wholeNumber(extent));
  return count;
}

void printTensors(const Json &manifest) {
  std::printf("inputs\n");
  for (const Json &input : manifest.at("inputs")) {
    std::printf("  %-32s %s", text(input.at("name")).c_str(), typeOf(input).c_str());
    if (input.contains("class_axis"))
      std::printf(", classes: axis %s (%s)", input["class_axis"].dump().c_str(),
                  input.at("range").at(1).dump().c_str());
    if (input.contains("range"))
      std::printf(", %" PRId64 " to %" PRId64, wholeNumber(input["range"].at(0)),
                  plus(wholeNumber(input["range"].at(1)), -1));
    std::printf("%s\n", input.at("target").get<bool>() ? ", target" : "");
  }
  std::printf("outputs\n");
  for (const Json &output : manifest.at("outputs"))
    std::printf("  %-32s %s, %s\n", text(output.at("name")).c_str(), typeOf(output).c_str(),
                text(output.at("role")).c_str());
}

/// What has states, kernels, functions and memory: each target, or the manifest itself where there is one.
std::vector<const Json *> targetsOf(const Json &manifest) {
  if (!manifest.contains("targets"))
    return {&manifest};
  std::vector<const Json *> targets;
  for (const Json &target : manifest["targets"])
    targets.push_back(&target);
  return targets;
}

void printState(const std::vector<const Json *> &targets) {
  int64_t parameters = 0, trainable = 0;
  std::printf("parameters and buffers\n");
  const Json &states = targets.at(0)->at("state");
  for (size_t i = 0; i < states.size(); ++i) {
    const Json &state = states.at(i);
    std::string kind = text(state.at("kind"));
    if (kind != "parameter" && kind != "buffer")
      continue;
    std::string note = kind == "buffer"                 ? ", running statistic"
                       : state.value("trainable", true) ? ""
                                                        : ", frozen";
    for (const Json *target : targets) {
      const Json &own = target->at("state").at(i);
      if (own.contains("physical"))
        note += ", stored as " + own["physical"].at("shape").dump() +
                (targets.size() > 1 ? " for " + text(target->at("name")) : "");
    }
    std::printf("  %-32s %s%s\n", text(state.at("name")).c_str(), typeOf(state).c_str(), note.c_str());
    if (kind == "parameter") {
      parameters = plus(parameters, countOf(state));
      trainable = plus(trainable, state.value("trainable", false) ? countOf(state) : 0);
    }
  }
  std::printf("  %s parameters, %s trained\n", number(parameters).c_str(), number(trainable).c_str());
  bool first = true;
  for (const Json &state : states) {
    if (text(state.at("kind")) != "hyperparameter")
      continue;
    std::printf("%s", first ? "hyperparameters\n" : "");
    first = false;
    std::printf("  %-32s %s\n", text(state.at("name")).c_str(),
                state.contains("initial") ? state["initial"].dump().c_str() : "0");
  }
}

void printPlaces(const Json &target) {
  std::printf("state in the arena\n");
  for (const Json &state : target.at("state"))
    std::printf("  %12s  %-32s %s, %s, %s bytes\n", number(wholeNumber(state.at("offset"))).c_str(),
                text(state.at("name")).c_str(), text(state.at("kind")).c_str(), typeOf(state).c_str(),
                number(wholeNumber(state.at("bytes"))).c_str());
}

void printRecomputed(const Json &recomputed, bool verbose) {
  const int64_t permille = wholeNumber(recomputed.at("permille"));
  std::printf("    computes again what %zu nodes make: %" PRId64 ".%" PRId64 " %% of its operations\n",
              recomputed.at("nodes").size(), permille / 10, permille % 10);
  if (verbose)
    for (const Json &node : recomputed["nodes"])
      std::printf("      %s\n", text(node).c_str());
}

/// What lies in the working memory when most does: by value, from which launch until which.
void printFullest(const Json &function) {
  const Json &fullest = function.at("fullest"), &launches = function.at("launches");
  auto nameOf = [&](int64_t launch) -> std::string {
    if (launch < 0)
      return "the beginning";
    if (launch >= int64_t(launches.size()))
      return "the end";
    const std::string node = text(launches.at(launch).at("node"));
    return node.empty() ? text(launches.at(launch).at("kernel"))
                        : node; // texts need not name their operations
  };
  const int64_t now = wholeNumber(fullest.at("launch"));
  std::vector<const Json *> there;
  for (const Json &index : fullest.at("values"))
    there.push_back(&function.at("values").at(size_t(wholeNumber(index))));
  int64_t all = 0, small = 0, count = 0;
  for (const Json *value : there)
    all = plus(all, wholeNumber(value->at("bytes")));
  std::printf("    fullest while %s runs, for %s, with %s bytes:\n",
              text(launches.at(now).at("kernel")).c_str(), nameOf(now).c_str(), number(all).c_str());
  for (const Json *entry : there) {
    const Json &value = *entry;
    const int64_t bytes = wholeNumber(value["bytes"]);
    if (times(bytes, 200) < all) {
      small = plus(small, bytes);
      ++count;
      continue;
    }
    const int64_t first = wholeNumber(value.at("first")), last = wholeNumber(value.at("last"));
    std::printf("      %12s  %-24s from %s to %s\n", number(bytes).c_str(),
                value.contains("dtype") ? typeOf(value).c_str()
                : first == last         ? "scratch"
                                        : "parts",
                nameOf(first).c_str(), nameOf(last).c_str());
  }
  if (count > 0)
    std::printf("      %12s  %" PRId64 " smaller values\n", number(small).c_str(), count);
}

void printCode(const Json &target, bool verbose) {
  std::printf("kernels\n");
  for (const Json &kernel : target.at("kernels")) {
    std::printf("  %-48s", text(kernel.at("name")).c_str());
    if (kernel.contains("kind")) {
      std::printf(" %-11s", text(kernel["kind"]).c_str());
      if (kernel.contains("tile"))
        std::printf(" tile %sx%s,", kernel["tile"].at(0).dump().c_str(), kernel["tile"].at(1).dump().c_str());
      if (kernel.contains("unit"))
        std::printf(" %s,", text(kernel["unit"]).c_str());
      std::printf(" %s chunk%s", kernel.at("chunks").dump().c_str(), kernel["chunks"] == 1 ? "" : "s");
    }
    std::printf("\n");
  }
  std::printf("functions\n");
  for (const Json &function : target.at("functions")) {
    std::printf("  %-12s %3zu launches, %s copies, working memory %s bytes (at least %s live)\n",
                text(function.at("name")).c_str(), function.at("launches").size(),
                function.at("copies").dump().c_str(),
                number(wholeNumber(function.at("working_bytes"))).c_str(),
                number(wholeNumber(function.at("lower_bound_bytes"))).c_str());
    if (function.contains("batch_parts"))
      std::printf("    goes over the batch in %s parts\n", function["batch_parts"].dump().c_str());
    if (function.contains("recomputed"))
      printRecomputed(function["recomputed"], verbose);
    if (verbose && function.contains("fullest"))
      printFullest(function);
    if (verbose)
      for (const Json &launch : function["launches"])
        std::printf("    %-48s %s\n", text(launch.at("kernel")).c_str(), text(launch.at("node")).c_str());
  }
}

void printMemory(const Json &memory) {
  int64_t arena = wholeNumber(memory.at("arena_bytes")), bound = wholeNumber(memory.at("lower_bound_bytes"));
  std::printf("memory\n  arena        %s bytes, of which state %s\n", number(arena).c_str(),
              number(wholeNumber(memory.at("state_bytes"))).c_str());
  std::printf("  lower bound  %s bytes (largest sum of live bytes): the arena is %.1f %% larger\n",
              number(bound).c_str(),
              bound > 0 ? 100.0 * (double(arena) - double(bound)) / double(bound) : 0.0);
  if (memory.contains("budget_bytes"))
    std::printf("  budget       %s bytes; without one the arena has %s bytes\n",
                number(wholeNumber(memory["budget_bytes"])).c_str(),
                number(wholeNumber(memory.at("arena_bytes_without_budget"))).c_str());
}

} // namespace

int printManifest(const std::string &json, const std::string &file, bool verbose) {
  try {
    Json manifest = parseBounded<Json>(json);
    std::printf("%s\n", text(manifest.at("name")).c_str());
    if (manifest.contains("training"))
      std::printf("  %s\n", text(manifest["training"]).c_str());
    if (manifest.contains("batch"))
      std::printf("  batch %s\n", manifest["batch"].dump().c_str());
    for (const Json &size : manifest.value("sizes", Json::array()))
      std::printf("  size %s: 1 to %s, given to each call\n", text(size.at("name")).c_str(),
                  size.at("max").dump().c_str());
    for (auto &[key, value] : manifest.at("settings").items())
      std::printf("  %s %s\n", printable(key).c_str(), text(value).c_str());
    printTensors(manifest);
    const std::vector<const Json *> targets = targetsOf(manifest);
    printState(targets);
    for (const Json *target : targets) {
      if (targets.size() > 1)
        std::printf("\ntarget %s\n", text(target->at("name")).c_str());
      if (verbose)
        printPlaces(*target);
      printCode(*target, verbose);
      printMemory(target->at("memory"));
    }
    return 0;
  } catch (const std::exception &) { // of a key, a type, an element that is not there
    std::fprintf(stderr,
                 "%s: error: not a manifest of dlc: inspect takes a model (.onnx, .pt2, .mlir), a library that "
                 "dlc wrote (.a, .so) or the manifest beside it (.json)\n",
                 file.c_str());
    return 1;
  }
}

} // namespace dlc::tool

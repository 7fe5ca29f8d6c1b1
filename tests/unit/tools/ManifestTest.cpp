//===- ManifestTest.cpp - manifests that were altered ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A manifest may be anyone's: what `dlc profile` reads by it must lie in the memory that the library's tables
// name, and what it says wrong is an error that names the field.
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Manifest.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/profile/Values.h"
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>
#include <unistd.h>

namespace dlc::tool {
namespace {

using Json = nlohmann::ordered_json;

/// One kernel, which reads an input and writes to the arena 64 bytes behind its begin, of 128.
struct Model {
  Model() {
    functions[DLC_PREDICT] = {&launch, places, nullptr, 1, 2, 0, 0};
    target.arena_bytes = 128;
    target.kernels = &kernel;
    target.kernel_count = 1;
    target.functions = functions;
    model.abi_version = DLC_ABI_VERSION;
    model.functions = 1u << DLC_PREDICT;
    model.name = "m";
    model.inputs = &input;
    model.input_count = 1;
    model.targets = &target;
    model.target_count = 1;
  }
  const int64_t shape[2] = {2, 3};
  dlc_kernel_info kernel = {"k", nullptr, 2};
  dlc_launch launch = {0, 0, 2, 0};
  dlc_place places[2] = {DLC_PLACE(DLC_PLACE_INPUT, 0, 0), DLC_PLACE(DLC_PLACE_WORKING, 0, 64)};
  dlc_function functions[DLC_FUNCTIONS] = {};
  dlc_target target = {};
  dlc_input input = {"x", DLC_F32, 2, shape, nullptr, 0, 0, 0, 0, INT64_MIN, 0, 0};
  dlc_model model = {};
};

const char *const text = R"({
  "dlc": {"version": "0.1.0", "abi_version": 10}, "name": "m", "fingerprint": "0x1", "training": "loss mse",
  "settings": {"cpu": "x86-64-v3", "seed": "0"}, "files": ["libm.so", "m.h", "m.safetensors"],
  "sha256": {"libm.so": "0123", "m.safetensors": "4567"}, "batch": 2,
  "sizes": [{"name": "length", "c_name": "length", "max": 7}],
  "inputs": [{"name": "x", "dtype": "f32", "shape": [2, 3], "target": false, "range": [0, 3], "class_axis": 1}],
  "outputs": [{"name": "y", "dtype": "f32", "shape": [2, 3], "role": "prediction"}],
  "state": [
    {"name": "w", "dtype": "f32", "shape": [3, 3], "kind": "parameter", "trainable": true, "offset": 0,
     "bytes": 36, "physical": {"shape": [3, 3]}},
    {"name": "rate", "dtype": "f64", "shape": [], "kind": "hyperparameter", "initial": 0.1, "offset": 64,
     "bytes": 8}],
  "kernels": [{"name": "k", "kind": "tile", "tile": [4, 16], "unit": "pairs", "chunks": 2, "operations": 36,
               "bytes": 84}],
  "functions": [{"name": "predict", "copies": 0, "working_bytes": 64, "lower_bound_bytes": 32,
    "batch_parts": 2, "recomputed": {"nodes": ["a"], "permille": 12},
    "values": [{"offset": 64, "bytes": 24, "first": 0, "last": 1, "dtype": "f32", "shape": [2, 3]}],
    "fullest": {"launch": 0, "values": [0]},
    "launches": [{"kernel": "k", "node": "n", "parts": ["n"],
      "results": [{"place": 1, "dtype": "f32", "shape": [2, 3], "strides": [3, 1]}]}]}],
  "memory": {"arena_bytes": 128, "state_bytes": 64, "lower_bound_bytes": 96, "budget_bytes": 200,
             "arena_bytes_without_budget": 300}
})";

class Manifests : public testing::Test {
protected:
  Manifests() : path(testing::TempDir() + "manifest-" + std::to_string(getpid()) + ".json") {}
  ~Manifests() override { std::filesystem::remove(path); }

  void write(const std::string &content) const { std::ofstream(path, std::ios::binary) << content; }
  /// What is wrong with it; "" where nothing is.
  std::string problemOf(const std::string &content) {
    write(content);
    try {
      manifest = readManifest(path);
      checkAgainst(manifest, model.model);
      return "";
    } catch (const std::runtime_error &error) {
      return error.what();
    }
  }
  std::string problemOf(const char *pointer, const Json &value) {
    Json json = Json::parse(text);
    json.at(Json::json_pointer(pointer)) = value;
    return problemOf(json.dump());
  }
  /// Reads what results of launches name, out of memory of just the size that the model says.
  void readResults() {
    std::vector<char> input(24), working(64);
    char *const places[] = {input.data(), working.data()};
    for (const LaunchInfo &launch : manifest.functions["predict"])
      for (const ResultInfo &result : launch.results)
        Statistics().add(result, places[result.place]);
  }

  std::string path;
  Model model;
  Manifest manifest;
};

TEST_F(Manifests, AreReadAsTheCompilerWritesThem) {
  ASSERT_EQ(problemOf(text), "");
  EXPECT_EQ(manifest.fileOf({".a", ".so"}), "libm.so");
  EXPECT_EQ(manifest.digests.at("m.safetensors"), "4567");
  readResults();
}

struct Alteration {
  const char *pointer;
  Json value;
  const char *expected; ///< in the message
};

TEST_F(Manifests, NameTheFieldThatIsWrong) {
  const Alteration alterations[] = {
      {"/name", "other", "'name' is another than the library's"},
      {"/name", 3, "expected a text as 'name', got 3"},
      {"/files/0", "/elsewhere/evil.so", "the name of a file beside the manifest as 'files[0]'"},
      {"/files/0", "../evil.so", "the name of a file beside the manifest as 'files[0]'"},
      {"/files/1", "..", "the name of a file beside the manifest as 'files[1]'"},
      {"/files/1", "", "the name of a file beside the manifest as 'files[1]'"},
      {"/files", "libm.so", "expected a list as 'files'"},
      {"/sha256", Json::array(), "expected an object as 'sha256'"},
      {"/kernels/0/chunks", 3, "'chunks of k' is 3, where the library has 2"},
      {"/kernels/0/chunks", 0, "a whole number from 1 on as 'kernels[0].chunks'"},
      {"/kernels/0/operations", -1, "a whole number from 0 on as 'kernels[0].operations'"},
      {"/kernels/0/bytes", 1.5, "a whole number from 0 on as 'kernels[0].bytes'"},
      {"/functions/0/name", "apply", "'functions: apply' is none of the library's"},
      {"/functions", Json::array(), "'functions: predict' is missing"},
      {"/functions/0/launches", Json::array(), "'predict.launches' has 0 entries"},
      {"/functions/0/launches/0/kernel", "l", "one of the kernels as 'functions[0].launches[0].kernel'"},
      {"/functions/0/launches/0/results/0/place", 2, "'predict.launches[0].results[0].place' is 2"},
      {"/functions/0/launches/0/results/0/place", 99999, "results[0].place' is 99999, but the launch has 2"},
      {"/functions/0/launches/0/results/0/place", -1, "a whole number from 0 on"},
      {"/functions/0/launches/0/results/0/dtype", "i64", "expected f64, f32, tf32, bf16 or f16"},
      {"/functions/0/launches/0/results/0/dtype", "f64x", "results[0].dtype'"},
      {"/functions/0/launches/0/results/0/shape", {2}, "as many numbers as 'shape' has"},
      {"/functions/0/launches/0/results/0/shape", {2, 100000000}, "reach beyond the 64 bytes"},
      {"/functions/0/launches/0/results/0/shape", {INT64_MAX, INT64_MAX}, "reach beyond"},
      {"/functions/0/launches/0/results/0/shape", {2, -3}, "a whole number from 0 on"},
      {"/functions/0/launches/0/results/0/strides", {14, 1}, "reach beyond"},
      {"/functions/0/launches/0/results/0/strides", {INT64_MAX, INT64_MAX}, "reach beyond"},
      {"/functions/0/launches/0/results/0/strides", {3, 1e300}, "a whole number from 0 on"},
      {"/functions/0/launches/0/results/0",
       {{"place", 1}, {"dtype", "f32"}, {"shape", {9, 1}}, {"strides", {int64_t(1) << 61, 1}}},
       "reach beyond"},
  };
  for (const auto &[pointer, value, expected] : alterations) {
    const std::string problem = problemOf(pointer, value);
    EXPECT_NE(problem.find(expected), std::string::npos) << pointer << " " << value << ": " << problem;
    EXPECT_EQ(problem.rfind(path, 0), 0u) << "the error does not begin with the file: " << problem;
  }
}

// The last element that fits is read, the one behind it not.
TEST_F(Manifests, MayNameAllOfWhatIsThere) {
  const char *const pointer = "/functions/0/launches/0/results/0";
  const std::pair<const char *, int> counts[] = {{"f32", 16}, {"f64", 8}, {"bf16", 32}, {"f16", 32}};
  for (auto [dtype, count] : counts) {
    EXPECT_EQ(problemOf(pointer, {{"place", 1}, {"dtype", dtype}, {"shape", {count}}, {"strides", {1}}}), "");
    readResults();
    EXPECT_NE(problemOf(pointer, {{"place", 1}, {"dtype", dtype}, {"shape", {count + 1}}, {"strides", {1}}}),
              "");
  }
  EXPECT_EQ(problemOf("/functions/0/launches/0/results/0/shape", {0, 1000000000}), "");
  readResults();
  // Strides of 0 would have a few bytes read for ever.
  EXPECT_NE(problemOf(pointer, {{"place", 1}, {"dtype", "f32"}, {"shape", {1 << 30}}, {"strides", {0}}}), "");
}

TEST(Statistics, ReadsEachType) {
  const double f64[] = {-2, 0.5};
  const float f32[] = {-2, 0.5};
  const uint16_t bf16[] = {0xc000, 0x3f00}, f16[] = {0xc000, 0x3800};
  const std::pair<dlc_dtype, const void *> tensors[] = {
      {DLC_F64, f64}, {DLC_F32, f32}, {DLC_BF16, bf16}, {DLC_F16, f16}};
  for (auto [dtype, memory] : tensors) {
    Statistics statistics;
    statistics.add({0, dtype, {2}, {1}}, memory);
    EXPECT_EQ(statistics.smallest, -2) << dtype;
    EXPECT_EQ(statistics.largest, 0.5) << dtype;
  }
  const uint16_t special[] = {0x7c00, 0xfc00, 0x7e00, 0x0001}; // infinities, a NaN, the smallest denormal
  Statistics statistics;
  statistics.add({0, DLC_F16, {4}, {1}}, special);
  EXPECT_EQ(statistics.infinities, 2);
  EXPECT_EQ(statistics.nans, 1);
  EXPECT_EQ(statistics.smallest, 0x1p-24);
}

/// A number, text, list ... in place of what is somewhere in the value, or nothing.
void alter(Json &json, std::mt19937 &random) {
  static const Json values[] = {nullptr,
                                true,
                                -1,
                                0,
                                1,
                                99999,
                                INT64_MAX,
                                INT64_MIN,
                                UINT64_MAX,
                                1e300,
                                0.5,
                                "",
                                "x",
                                "../x",
                                std::string(1, '\0'),
                                Json::array(),
                                Json::object(),
                                Json::array({1, "a"})};
  Json *place = &json;
  while (place->is_structured() && !place->empty() && random() % 6) {
    auto child = place->begin();
    std::advance(child, random() % place->size());
    if (random() % 12 == 0) {
      place->erase(child);
      return;
    }
    place = &*child;
  }
  *place = values[random() % std::size(values)];
}

std::string changedBytes(std::string content, std::mt19937 &random) {
  for (unsigned i = random() % 4; i-- > 0 && !content.empty();) {
    const size_t at = random() % content.size();
    switch (random() % 3) {
    case 0:
      content[at] = static_cast<char>(random());
      break;
    case 1:
      content.erase(at, random() % 20);
      break;
    default:
      content.insert(at, content.substr(random() % content.size(), random() % 20));
    }
  }
  return content;
}

// Whatever is in it, a manifest is read, or refused with its name; and what is then read of memory is there.
TEST_F(Manifests, SurviveMutation) {
  std::mt19937 random(1);
  std::FILE *const nothing = std::fopen("/dev/null", "w");
  ASSERT_TRUE(nothing);
  std::fflush(stdout);
  const int out = dup(1), err = dup(2);
  dup2(fileno(nothing), 1);
  dup2(fileno(nothing), 2);
  int accepted = 0, refused = 0, printed = 0;
  for (int i = 0; i < 4000; ++i) {
    Json json = Json::parse(text);
    for (unsigned k = random() % 3 + 1; k-- > 0;)
      alter(json, random);
    std::string content = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    if (i % 4 == 0)
      content = changedBytes(content, random);
    const bool isGood = problemOf(content).empty();
    ++(isGood ? accepted : refused);
    if (isGood)
      readResults();
    printed += printManifest(content, path, /*verbose=*/i % 2) == 0;
  }
  std::fflush(stdout);
  dup2(out, 1);
  dup2(err, 2);
  std::fclose(nothing);
  EXPECT_GT(accepted, 100);
  EXPECT_GT(refused, 100);
  EXPECT_GT(printed, 100);
}

// Values inside of values, more than anything would need.
TEST_F(Manifests, DoNotNestForEver) {
  const std::string deep = std::string(1000000, '[') + std::string(1000000, ']');
  EXPECT_NE(problemOf(deep), "");
  EXPECT_NE(problemOf("{\"name\": " + deep + "}"), "");
  EXPECT_EQ(printManifest("{\"name\": " + deep + "}", path, false), 1);
}

} // namespace
} // namespace dlc::tool

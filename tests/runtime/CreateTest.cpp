//===- CreateTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creating instances: versions, CPU features, arenas, initial values, options of other sizes.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Features.h"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <cstring>
#include <gtest/gtest.h>

namespace {

struct Creation {
  dlc_status status;
  std::string error;
};

Creation create(const dlc_model &model, dlc_create_options options = {}, uint32_t abi = DLC_ABI_VERSION,
                uint64_t fingerprint = tiny::fingerprint) {
  char error[512] = "";
  options.struct_size = sizeof options;
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_instance *instance = reinterpret_cast<dlc_instance *>(1);
  dlc_status status = dlc_instance_create(&model, abi, fingerprint, &options, &instance);
  EXPECT_EQ(instance != nullptr, status == DLC_OK);
  dlc_instance_destroy(instance);
  return {status, error};
}

TEST(Create, StartsFromTheInitialValues) {
  tiny::Instance instance;
  EXPECT_EQ(instance.read("fc.weight"), (std::vector<float>{0.5f, -0.25f, 1.0f, 0.125f, -1.5f, 0.75f}));
  EXPECT_EQ(instance.read("fc.bias"), (std::vector<float>{0, 0}));
  double rate;
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &rate), DLC_OK);
  EXPECT_EQ(rate, 0.05);
  EXPECT_EQ(dlc_instance_step_count(instance), 0);
}

TEST(Create, TakesNullOptionsAndRefusesNullModelOrResult) {
  dlc_instance *instance = nullptr;
  EXPECT_EQ(dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, nullptr, &instance),
            DLC_OK);
  dlc_instance_destroy(instance);
  EXPECT_EQ(dlc_instance_create(nullptr, DLC_ABI_VERSION, 0, nullptr, &instance), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance, nullptr);
  EXPECT_EQ(dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, nullptr, nullptr),
            DLC_INVALID_ARGUMENT);
  dlc_instance_destroy(nullptr);
}

TEST(Create, RefusesAnotherAbi) {
  Creation header = create(tiny::model(), {}, DLC_ABI_VERSION + 1);
  EXPECT_EQ(header.status, DLC_ABI_MISMATCH);
  EXPECT_NE(header.error.find("header has ABI version"), std::string::npos) << header.error;
  dlc_model old = tiny::model();
  old.abi_version = DLC_ABI_VERSION - 1;
  EXPECT_EQ(create(old, {}, DLC_ABI_VERSION - 1).status, DLC_ABI_MISMATCH);
}

TEST(Create, RefusesAHeaderOfAnotherLibrary) {
  Creation result = create(tiny::model(), {}, DLC_ABI_VERSION, 42);
  EXPECT_EQ(result.status, DLC_ABI_MISMATCH);
  EXPECT_NE(result.error.find("000000000000002a"), std::string::npos) << result.error;
}

TEST(Create, RefusesACpuThatLacksAnInstructionSet) {
  tiny::OtherTables tables;
  const dlc_model &model = tables.model;
  tables.target.features = dlc::runtime::cpuFeatures();
  EXPECT_EQ(create(model).status, DLC_OK);
  for (uint32_t bit = 0; bit < 32; ++bit) {
    if (dlc::runtime::cpuFeatures() >> bit & 1)
      continue;
    tables.target.features = 1u << bit;
    Creation result = create(model);
    EXPECT_EQ(result.status, DLC_UNSUPPORTED_CPU);
    char name[64];
    dlc::runtime::describeFeatures(1u << bit, name, sizeof name);
    EXPECT_NE(result.error.find(name), std::string::npos) << result.error;
  }
}

TEST(Create, FeatureNamesAreListed) {
  char text[64];
  char small[6];
#if defined(__x86_64__)
  dlc::runtime::describeFeatures(DLC_CPU_AVX2 | DLC_CPU_AVX512BF16, text, sizeof text);
  EXPECT_STREQ(text, "AVX2, AVX-512-BF16");
  dlc::runtime::describeFeatures(DLC_CPU_AMX_TILE | DLC_CPU_AMX_BF16, text, sizeof text);
  EXPECT_STREQ(text, "AMX-TILE, AMX-BF16");
  dlc::runtime::describeFeatures(~0u, small, sizeof small);
  EXPECT_STREQ(small, "SSE4.");
#elif defined(__aarch64__)
  dlc::runtime::describeFeatures(DLC_CPU_AARCH64_DOTPROD | DLC_CPU_AARCH64_SVE2, text, sizeof text);
  EXPECT_STREQ(text, "DotProd, SVE2");
  dlc::runtime::describeFeatures(~0u, small, sizeof small);
  EXPECT_STREQ(small, "LSE, ");
#endif
}

TEST(Create, UsesTheCallersArena) {
  alignas(64) static char arena[4096];
  memset(arena, 0x55, sizeof arena); // what was there before must not matter
  dlc_create_options options = {};
  options.arena = arena;
  options.arena_bytes = tiny::model().targets->arena_bytes;
  EXPECT_EQ(create(tiny::model(), options).status, DLC_OK);
  options.arena = arena + 32;
  Creation misaligned = create(tiny::model(), options);
  EXPECT_EQ(misaligned.status, DLC_INVALID_ARGUMENT);
  EXPECT_NE(misaligned.error.find("64 bytes"), std::string::npos) << misaligned.error;
  options.arena = arena;
  options.arena_bytes -= 1;
  EXPECT_EQ(create(tiny::model(), options).status, DLC_INVALID_ARGUMENT);
}

TEST(Create, RefusesThreadCountsOutOfRange) {
  dlc_create_options options = {};
  for (int threads : {-1, 1025, INT32_MAX}) {
    options.threads = threads;
    EXPECT_EQ(create(tiny::model(), options).status, DLC_INVALID_ARGUMENT) << threads;
  }
}

TEST(Create, TakesOptionsOfReleasedSizesAlone) {
  struct Newer {
    dlc_create_options known;
    uint64_t later;
  } options = {};
  dlc_instance *instance = nullptr;
  auto creates = [&](size_t size) {
    options.known.struct_size = size;
    dlc_status status =
        dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, &options.known, &instance);
    dlc_instance_destroy(instance);
    return status;
  };
  char error[256] = "";
  options.known.error = error;
  options.known.error_bytes = sizeof error;
  options.known.threads = 1;
  options.known.device = "abacus"; // beyond what the oldest program knows
  EXPECT_EQ(creates(72), DLC_OK);
  EXPECT_EQ(creates(80), DLC_UNSUPPORTED_DEVICE);
  options.known.device = nullptr;
  EXPECT_EQ(creates(sizeof options.known), DLC_OK);
  for (size_t size = 0; size <= 256; ++size) {
    if (size == 72 || size == 80)
      continue;
    error[0] = '\0';
    EXPECT_EQ(creates(size), DLC_INVALID_ARGUMENT) << size;
    EXPECT_EQ(std::string(error).find("struct_size is " + std::to_string(size) + ", expected 80"), 0u)
        << error;
  }
  EXPECT_EQ(creates(sizeof(void *)), DLC_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error).find("not to the size of a pointer"), std::string::npos) << error;
  EXPECT_EQ(creates(sizeof options), DLC_INVALID_ARGUMENT);
  EXPECT_NE(std::string(error).find("newer than this runtime"), std::string::npos) << error;
  error[0] = '\0';
  EXPECT_EQ(creates(SIZE_MAX), DLC_INVALID_ARGUMENT); // of a struct that nobody has filled in
  EXPECT_STREQ(error, "");
}

TEST(Create, RefusesAnUnsoundInterface) {
  auto refuses = [](auto change) {
    dlc_model model = tiny::model();
    std::vector<dlc_symbol> symbols(model.symbols, model.symbols + model.symbol_count);
    model.symbols = symbols.data();
    change(model, symbols[0]);
    return create(model).status == DLC_ABI_MISMATCH;
  };
  static const int64_t huge[] = {INT64_MAX, 16};
  EXPECT_FALSE(refuses([](dlc_model &, dlc_symbol &) {}));
  EXPECT_TRUE(refuses([](dlc_model &, dlc_symbol &symbol) { symbol.shape = huge; }));
  EXPECT_TRUE(refuses([](dlc_model &, dlc_symbol &symbol) { symbol.dtype = 99; }));
  EXPECT_TRUE(refuses([](dlc_model &, dlc_symbol &symbol) { symbol.kind = 99; }));
  EXPECT_TRUE(refuses([](dlc_model &, dlc_symbol &symbol) { symbol.kind = DLC_RNG; }));
  EXPECT_TRUE(refuses([](dlc_model &model, dlc_symbol &) { model.dim_count = 0; }));
  EXPECT_TRUE(refuses([](dlc_model &model, dlc_symbol &) { model.target_count = 0; }));
}

TEST(Create, RefusesAnUnsoundTarget) {
  auto refuses = [](auto change) {
    tiny::OtherTables tables;
    std::vector<dlc_placement> placements(tables.target.placements,
                                          tables.target.placements + tables.model.symbol_count);
    tables.target.placements = placements.data();
    change(tables, placements[0]);
    return create(tables.model).status == DLC_ABI_MISMATCH;
  };
  using tiny::OtherTables;
  static const int32_t twice[] = {1, 1};
  static const uint32_t noDim[] = {1};
  static const dlc_axis rows = {4, nullptr, 0, 0}, otherRows = {4, noDim, 1, 0};
  EXPECT_FALSE(refuses([](OtherTables &, dlc_placement &) {}));
  EXPECT_TRUE(refuses([](OtherTables &tables, dlc_placement &) { tables.target.arena_bytes = 64; }));
  EXPECT_TRUE(refuses([](OtherTables &tables, dlc_placement &) { tables.target.kind = 99; }));
  EXPECT_TRUE(refuses([](OtherTables &, dlc_placement &place) { place.offset = 8; }));
  EXPECT_TRUE(refuses([](OtherTables &, dlc_placement &place) { place.offset = UINT64_MAX - 63; }));
  EXPECT_TRUE(refuses([](OtherTables &, dlc_placement &place) { place.bytes = 16; }));
  EXPECT_TRUE(refuses([](OtherTables &, dlc_placement &place) { place.permutation = twice; }));
  EXPECT_TRUE(refuses([](OtherTables &, dlc_placement &place) { place.panel = 1u << 20; }));
  EXPECT_TRUE(refuses([](OtherTables &tables, dlc_placement &) { tables.kernels[2].function = nullptr; }));
  EXPECT_TRUE(refuses([](OtherTables &tables, dlc_placement &) { tables.kernels[2].chunks = 0; }));
  EXPECT_TRUE(refuses([](OtherTables &tables, dlc_placement &) { tables.launches[1][3].kernel = 9; }));
  EXPECT_TRUE(
      refuses([](OtherTables &tables, dlc_placement &) { tables.launches[1][3].place_count = 1000; }));
  EXPECT_TRUE(
      refuses([](OtherTables &tables, dlc_placement &) { tables.launches[1][3].first_place = 1000; }));
  constexpr uint64_t far = uint64_t{1} << 30;
  for (dlc_place bad :
       {DLC_PLACE(DLC_PLACE_WORKING, 0, far), DLC_PLACE(DLC_PLACE_WORKING, 1, 0),
        DLC_PLACE(DLC_PLACE_STATE, 12, 0), DLC_PLACE(DLC_PLACE_STATE, 0, far),
        DLC_PLACE(DLC_PLACE_INPUT, 2, 0), DLC_PLACE(DLC_PLACE_INPUT, 0, far),
        DLC_PLACE(DLC_PLACE_OUTPUT, 5, 0), DLC_PLACE(DLC_PLACE_OUTPUT, 1, far), DLC_PLACE(4, 0, 0)})
    EXPECT_TRUE(refuses([&](OtherTables &tables, dlc_placement &) { tables.places[DLC_PREDICT][1] = bad; }));
  EXPECT_TRUE(refuses([](OtherTables &tables, dlc_placement &) {
    tables.places[DLC_APPLY][1] = DLC_PLACE(DLC_PLACE_INPUT, 0, 0);
  })) << "apply is called without inputs";
  auto copies = [](dlc_axis bytes, uint32_t copySize, uint32_t places) {
    return [=](OtherTables &tables, dlc_placement &) {
      tables.copySizes.push_back(bytes);
      tables.launches[DLC_PREDICT].push_back({DLC_COPY, 0, places, copySize});
      tables.describe();
    };
  };
  EXPECT_FALSE(refuses(copies(rows, 0, 2)));
  EXPECT_TRUE(refuses(copies(rows, 0, 3)));
  EXPECT_TRUE(refuses(copies(rows, 1, 2)));
  EXPECT_TRUE(refuses(copies({-4, nullptr, 0, 0}, 0, 2)));
  EXPECT_TRUE(refuses(copies(otherRows, 0, 2))) << "there is one named dim";
}

TEST(Create, TakesTheFirstTargetThatTheMachineCanRun) {
  uint32_t lacking = ~dlc::runtime::cpuFeatures();
  dlc_model model = tiny::model();
  std::vector<dlc_target> targets(2, *model.targets);
  model.targets = targets.data();
  model.target_count = 2;
  targets[0].features = lacking & -lacking;
  Creation result = create(model);
  EXPECT_EQ(result.status, DLC_OK);
  EXPECT_EQ(result.error, "") << "what the first one lacks is no error";
  targets[1].features = targets[0].features;
  result = create(model);
  EXPECT_EQ(result.status, DLC_UNSUPPORTED_CPU);
  const size_t half = (result.error.size() - 2) / 2;
  EXPECT_EQ(result.error.substr(half, 2), "; ") << "each target says why";
  EXPECT_EQ(result.error.substr(0, half), result.error.substr(half + 2));
  model.target_count = 1;
  EXPECT_EQ(create(model).status, DLC_UNSUPPORTED_CPU);
  targets[0].kind = 99; // not that of its backend
  EXPECT_EQ(create(model).status, DLC_ABI_MISMATCH);
}

TEST(Create, TakesTheDeviceThatIsAskedFor) {
  dlc_create_options options = {};
  options.device = "cpu";
  EXPECT_EQ(create(tiny::model(), options).status, DLC_OK);
  options.device = "gpu:1";
  Creation result = create(tiny::model(), options);
  EXPECT_EQ(result.status, DLC_UNSUPPORTED_DEVICE);
  EXPECT_EQ(result.error, "tiny: device 'gpu:1' is asked for, and the library has code for cpu only");
  for (const char *device : {"cpu:0", "cp", "cpux", ""}) {
    options.device = device;
    EXPECT_EQ(create(tiny::model(), options).status, DLC_UNSUPPORTED_DEVICE) << device;
  }
}

TEST(Create, NamesTheWeightsFileThatIsMissing) {
  dlc_model model = tiny::modelWithWeightsFile();
  dlc_create_options options = {};
  options.weights_path = "/nonexistent/tiny.safetensors";
  Creation result = create(model, options);
  EXPECT_EQ(result.status, DLC_IO_ERROR);
  EXPECT_NE(result.error.find("/nonexistent/tiny.safetensors"), std::string::npos) << result.error;
  model.weights_file = nullptr;
  EXPECT_EQ(create(model).status, DLC_INVALID_ARGUMENT);
}

TEST(Create, SentenceIsCutToTheBuffer) {
  char error[8];
  memset(error, 'x', sizeof error);
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.threads = -1;
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_instance *instance;
  EXPECT_EQ(dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, &options, &instance),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(strlen(error), sizeof error - 1);
}

TEST(Status, EveryStatusHasAName) {
  for (int status = DLC_OK; status <= DLC_DEVICE_FAILED; ++status)
    EXPECT_STRNE(dlc_status_string(static_cast<dlc_status>(status)), "unknown status");
  EXPECT_STREQ(dlc_status_string(static_cast<dlc_status>(15)), "unknown status");
}

} // namespace

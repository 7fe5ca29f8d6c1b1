//===- AllocationTest.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No allocation inside a step, and every failing allocation is an error, not a crash. The linker hands the
// runtime's calls of the C library's allocation to the functions below.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <cstdlib>
#include <gtest/gtest.h>

namespace {
int allocations = 0;
int failing = -1; ///< number of the allocation that fails, counted down; negative: none

bool succeeds() {
  ++allocations;
  return failing < 0 || failing-- > 0;
}
} // namespace

extern "C" {
void *__real_malloc(size_t);
void *__real_calloc(size_t, size_t);
void *__real_realloc(void *, size_t);
int __real_posix_memalign(void **, size_t, size_t);

void *__wrap_malloc(size_t bytes) { return succeeds() ? __real_malloc(bytes) : nullptr; }
void *__wrap_calloc(size_t n, size_t bytes) { return succeeds() ? __real_calloc(n, bytes) : nullptr; }
void *__wrap_realloc(void *old, size_t bytes) { return succeeds() ? __real_realloc(old, bytes) : nullptr; }
int __wrap_posix_memalign(void **out, size_t alignment, size_t bytes) {
  return succeeds() ? __real_posix_memalign(out, alignment, bytes) : 12 /* ENOMEM */;
}
}

namespace {

TEST(Allocation, NoneInsideAStep) {
  for (int threads : {1, 2}) {
    tiny::Options options;
    options.threads = threads;
    options.checkFinite = true;
    tiny::Instance instance(options);
    tiny::Batch data(0);
    float loss, scores[8];
    void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
    dlc_metrics metrics;
    const int before = allocations;
    EXPECT_GT(before, 0) << "allocations are counted at all";
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, &loss), DLC_OK);
      EXPECT_EQ(dlc_instance_grad_step(instance, data.pointers, &loss), DLC_OK);
      EXPECT_EQ(dlc_instance_accumulate(instance, data.pointers, &loss), DLC_OK);
      EXPECT_EQ(dlc_instance_apply(instance), DLC_OK);
      EXPECT_EQ(dlc_instance_eval_step(instance, 3, data.pointers, &metrics), DLC_OK);
      EXPECT_EQ(dlc_instance_predict(instance, 2, nullptr, data.pointers, outputs), DLC_OK);
    }
    EXPECT_EQ(allocations, before);
  }
}

/// Makes each allocation of `work` fail in turn until it succeeds; returns how many failed.
template <typename Work> int failEach(Work work) {
  for (int number = 0;; ++number) {
    failing = number;
    dlc_status status = work();
    failing = -1;
    if (status == DLC_OK)
      return number;
    EXPECT_EQ(status, DLC_OUT_OF_MEMORY) << "allocation " << number;
    if (status != DLC_OUT_OF_MEMORY || number > 1000)
      return -1;
  }
}

TEST(Allocation, CreateSurvivesEveryFailure) {
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.threads = 2;
  options.check_finite = 1;
  int failures = failEach([&] {
    dlc_instance *instance;
    dlc_status status =
        dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, &options, &instance);
    dlc_instance_destroy(instance);
    return status;
  });
  EXPECT_GT(failures, 4);
}

TEST(Allocation, SaveAndLoadSurviveEveryFailure) {
  TempFolder folder;
  const std::string path = folder.file("state");
  tiny::Instance instance;
  tiny::train(instance, 0, 3);
  EXPECT_GT(failEach([&] { return dlc_instance_save(instance, path.c_str()); }), 2);
  EXPECT_EQ(folder.fileCount(), 1u);
  const std::vector<float> before = instance.state();
  EXPECT_GT(failEach([&] {
              dlc_status status = dlc_instance_load(instance, path.c_str());
              EXPECT_EQ(instance.state(), before);
              return status;
            }),
            2);
}

TEST(Allocation, MemoryAndCopiesSurviveEveryFailure) {
  tiny::Instance instance, other;
  tiny::train(other, 0, 3);
  char buffer[4096];
  size_t needed = 0;
  EXPECT_GT(failEach([&] { return dlc_instance_save_to_memory(other, buffer, sizeof buffer, &needed); }), 0);
  const std::vector<float> before = instance.state();
  EXPECT_GT(failEach([&] {
              EXPECT_EQ(instance.state(), before);
              return dlc_instance_load_from_memory(instance, buffer, needed);
            }),
            1);
  EXPECT_EQ(instance.state(), other.state());
  EXPECT_EQ(failEach([&] { return dlc_instance_copy_state(instance, other); }), 0)
      << "alike in memory: none needed";
}

TEST(Allocation, FlatArraysNeedNone) {
  tiny::Instance instance;
  float values[10];
  EXPECT_EQ(failEach([&] { return dlc_instance_parameters_read_all(instance, values, 10, 0); }), 0);
  EXPECT_EQ(failEach([&] { return dlc_instance_parameters_write_all(instance, values, 10, 0); }), 0);
  EXPECT_EQ(failEach([&] { return dlc_instance_gradients_write_all(instance, values, 8); }), 0);
  EXPECT_EQ(failEach([&] { return dlc_instance_gradients_read_all(instance, values, 8); }), 0);
}

TEST(Allocation, DataReadersSurviveEveryFailure) {
  TempFolder folder;
  const std::string path = folder.write("labels", std::string{0, 0, 8, 1, 0, 0, 0, 4, 1, 2, 3, 4});
  dlc_array array = {};
  EXPECT_GT(failEach([&] {
              dlc_array_free(&array);
              return dlc_read_idx(path.c_str(), nullptr, &array, nullptr, 0);
            }),
            1);
  const dlc_array *arrays[] = {&array};
  dlc_loader_options options = {};
  options.struct_size = sizeof options;
  options.batch = 2;
  options.shuffle = 1;
  options.threads = 2;
  EXPECT_GT(failEach([&] {
              dlc_loader *loader;
              dlc_status status = dlc_loader_create(arrays, 1, &options, &loader);
              dlc_loader_destroy(loader);
              return status;
            }),
            3);
  dlc_tokens_options tokenOptions = {};
  tokenOptions.struct_size = sizeof tokenOptions;
  tokenOptions.token_bytes = 2;
  tokenOptions.window = 2;
  tokenOptions.batch = 1;
  EXPECT_GT(failEach([&] {
              dlc_tokens *tokens;
              dlc_status status = dlc_tokens_open(path.c_str(), &tokenOptions, &tokens);
              dlc_tokens_close(tokens);
              return status;
            }),
            1);
  dlc_array_free(&array);
}

} // namespace

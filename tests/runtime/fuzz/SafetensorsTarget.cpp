//===- SafetensorsTarget.cpp ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads arbitrary bytes as a checkpoint: refused without a change of state, or taken and then as good as
// any other.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"
#include "tests/runtime/fuzz/Targets.h"

#include <cstring>

bool fuzzSafetensors(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  alignas(64) static unsigned char arena[4096];
  fuzz::MemoryFile file(bytes, size);
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.threads = 1;
  options.arena = arena;
  options.arena_bytes = sizeof arena;
  memset(arena, 0, sizeof arena);
  dlc_instance *instance = nullptr;
  require(dlc_instance_create(&tiny::model(), DLC_ABI_VERSION, tiny::fingerprint, &options, &instance) ==
              DLC_OK,
          "create failed");
  unsigned char before[sizeof arena];
  memcpy(before, arena, sizeof arena);
  const dlc_status fromMemory = dlc_instance_load_from_memory(instance, size ? bytes : before, size);
  if (fromMemory != DLC_OK)
    require(memcmp(before, arena, sizeof arena) == 0, "refused memory changed the state");
  const dlc_status status = dlc_instance_load(instance, file.path().c_str());
  require(status == fromMemory, "a file and its bytes are answered differently");
  if (status != DLC_OK) {
    require(status == DLC_BAD_FILE, "unexpected status");
    require(memcmp(before, arena, sizeof arena) == 0, "a refused file changed the state");
    require(*dlc_instance_last_error(instance) != 0, "no sentence");
  } else {
    tiny::Batch data(0);
    require(dlc_instance_train_step(instance, data.pointers, nullptr) == DLC_OK, "training failed");
  }
  dlc_instance_destroy(instance);
  return status == DLC_OK;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzSafetensors(bytes, size);
  return 0;
}
#endif

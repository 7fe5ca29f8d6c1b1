//===- CifarTarget.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads arbitrary bytes as a file of CIFAR-10 and of CIFAR-100.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/fuzz/Targets.h"

bool fuzzCifar(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  const std::string path = file.path();
  const char *paths[] = {path.c_str()};
  bool valid = false;
  for (int32_t classes : {10, 100}) {
    dlc_array images, labels;
    char error[256] = "";
    const dlc_status status =
        dlc_read_cifar(paths, 1, classes, 0, nullptr, &images, &labels, error, sizeof error);
    if (status == DLC_OK) {
      valid = true;
      float sum = 0; // touch all that is promised to be there
      for (size_t i = 0; i < images.bytes / sizeof(float); ++i)
        sum += static_cast<const float *>(images.data)[i];
      require(sum >= 0, "pixels from 0 to 1");
      for (int64_t i = 0; i < images.shape[0]; ++i) {
        const int64_t label = static_cast<const int64_t *>(labels.data)[i];
        require(label >= 0 && label < classes, "a label out of range");
      }
    } else {
      require(status == DLC_BAD_FILE || status == DLC_OUT_OF_MEMORY, "unexpected status");
      require(!images.data && !labels.data && *error, "an array or no sentence after an error");
    }
    dlc_array_free(&images);
    dlc_array_free(&labels);
  }
  return valid;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzCifar(bytes, size);
  return 0;
}
#endif

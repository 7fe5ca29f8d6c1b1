//===- ImageTarget.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decodes arbitrary bytes as an image. The first two say the form.
//===----------------------------------------------------------------------===//
#include "dlc/images.h"
#include "tests/runtime/fuzz/Targets.h"

#include <vector>

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  if (size < 2)
    return 0;
  const dlc_image_form form = {bytes[0] & 1 ? 3 : 1, 0, 1 + (bytes[0] >> 1), 1 + bytes[1] % 64};
  std::vector<float> pixels(static_cast<size_t>(form.channels * form.height * form.width));
  char error[300] = "";
  const dlc_status status =
      dlc_decode_image(bytes + 2, size - 2, "f", &form, pixels.data(), error, sizeof error);
  fuzz::require(status == DLC_OK || ((status == DLC_BAD_FILE || status == DLC_OUT_OF_MEMORY) && *error),
                "unexpected status, or no sentence");
  for (const float pixel : pixels)
    fuzz::require(status != DLC_OK || (pixel >= 0 && pixel <= 1), "a pixel that is none");
  return 0;
}
#endif

//===- Png.h ----------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_TRAIN_PNG_H
#define DLC_RUNTIME_TRAIN_PNG_H

#include "runtime/core/Memory.h"

#include <cstdint>

namespace dlc::runtime {

/// A PNG file of pixels [height][width][channels], with 1 (grey) or 3 channels, which are stored as they are:
/// the pictures in logs are small. False where memory is short.
bool writePng(int32_t height, int32_t width, int32_t channels, const uint8_t *pixels,
              Array<unsigned char> &file);

} // namespace dlc::runtime

#endif // DLC_RUNTIME_TRAIN_PNG_H

//===- Progress.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a progress line.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_PROGRESS_H
#define DLC_RUNTIME_DATA_PROGRESS_H

#include <cstddef>
#include <cstdint>

namespace dlc::runtime {

/// "epoch 2  [#####.....]  460/938  loss 0.4312  1.9 s left", or how long it took once done == total; `note`,
/// if it is not empty, stands after the loss.
void formatProgress(char *text, size_t bytes, const char *label, int64_t done, int64_t total, double loss,
                    const char *note, double seconds);

} // namespace dlc::runtime

#endif

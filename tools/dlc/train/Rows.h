//===- Rows.h - samples that stay in their file ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_ROWS_H
#define DLC_TOOLS_DLC_TRAIN_ROWS_H

#include "dlc/data.h"
#include "tools/dlc/train/Arrays.h"
#include <memory>

namespace dlc::tool::training {

/// The samples of one input, each read when it is asked for. Failure where the file cannot be read.
class Rows {
public:
  virtual ~Rows() = default;
  virtual int64_t count() const = 0;
  /// Dtype and shape of a sample.
  virtual dlc_field field() const = 0;
  /// Several threads may call it.
  virtual void read(int64_t row, void *to) const = 0;
};

/// The samples in a file of NPY, or of IDX without compression. Bytes for an input of bytes stay what they
/// are; others are scaled as `scaling` says, if it is not null.
std::unique_ptr<Rows> openRows(const std::string &path, const dlc_input &input, const dlc_scaling *scaling);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_ROWS_H

//===- ImportOptions.h - what an import of an ONNX model is asked for ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of an import, as the command line and the other callers give them.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_IMPORTOPTIONS_H
#define DLC_FRONTENDS_ONNX_IMPORTOPTIONS_H

#include "frontends/common/Options.h"

namespace dlc::onnx {

/// Operator set versions of the domain ai.onnx that are read.
constexpr int64_t minOpset = 6, maxOpset = 25;

/// The variance of a batch: the sum of squares divided by n - 1 or by n.
enum class RunningVariance { Unbiased, Population };

struct ImportOptions : frontend::ImportOptions {
  /// Parameters that are shared stay shared, also where only their initial values were equal.
  bool keepTies = false;
  /// The variance that a batch norm's running one follows; not given: what the file's producer means.
  std::optional<RunningVariance> runningVariance;
  /// How often the body of a loop runs at most, where data say how often it does; 0: not given, an error.
  int64_t maxTrips = 0;
  /// A file with operations that the user brings (docs/custom-ops.md); empty: none.
  std::string customOps;
  /// Inputs of one row were given an open batch: constants 1 in the model's shapes may stand for it. Set by
  /// importOnnx and checkOnnx, where `batch` is given and the file has a batch of one.
  bool opensBatchOfOne = false;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_IMPORTOPTIONS_H

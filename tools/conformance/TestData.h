//===- TestData.h - a test of ONNX's backend suite -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_CONFORMANCE_TESTDATA_H
#define DLC_TOOLS_CONFORMANCE_TESTDATA_H

#include "frontends/onnx/Messages.h"
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace conformance {

/// A tensor's elements as the C API passes them: truth values are bytes.
struct Tensor {
  int32_t dataType = 0;
  std::vector<int64_t> shape;
  std::vector<char> bytes;
  double tolerance = 1e-3; ///< relative; ONNX's own, more for floats of 16 bits

  int64_t count() const;
  size_t elementBytes() const;
};
/// Nullopt for types that dlc has none of.
std::optional<Tensor> toTensor(const onnx::TensorProto &message);

/// Inputs by position among the graph's inputs, and expected outputs.
struct DataSet {
  std::vector<onnx::TensorProto> inputs, outputs;
};

struct Test {
  onnx::ModelProto model;
  std::vector<DataSet> dataSets;
};
/// Nullopt where the folder holds no test with tensors.
std::optional<Test> readTest(const std::filesystem::path &folder);

/// Names of the inputs that the caller passes: those that are no initializers.
std::vector<std::string> inputNames(const onnx::ModelProto &model);
/// Gives the inputs the sizes of the data.
void fixShapes(onnx::ModelProto &model, const DataSet &data);
/// Makes input `position` of the caller's inputs an initializer with its data.
void bindInput(onnx::ModelProto &model, DataSet &data, size_t position);

/// An empty string if they agree, with ONNX's tolerances; else what differs.
std::string compare(const Tensor &expected, const std::vector<char> &actual);

} // namespace conformance

#endif

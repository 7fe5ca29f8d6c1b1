//===- TestData.cpp - a test of ONNX's backend suite
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/conformance/TestData.h"
#include <algorithm>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>

namespace conformance {
namespace fs = std::filesystem;

int64_t Tensor::count() const {
  int64_t product = 1;
  for (int64_t dim : shape)
    product *= dim;
  return product;
}

size_t Tensor::elementBytes() const {
  switch (dataType) {
  case onnx::TensorProto::DOUBLE:
  case onnx::TensorProto::INT64:
    return 8;
  case onnx::TensorProto::FLOAT:
  case onnx::TensorProto::INT32:
    return 4;
  default:
    return 1;
  }
}

template <typename To, typename Field> static void append(Tensor &tensor, const Field &field) {
  for (auto value : field) {
    To element = static_cast<To>(value);
    const char *bytes = reinterpret_cast<const char *>(&element);
    tensor.bytes.insert(tensor.bytes.end(), bytes, bytes + sizeof element);
  }
}

static float fromFloat16(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float size = exponent == 31  ? (fraction ? NAN : INFINITY)
               : exponent == 0 ? std::ldexp(float(fraction), -24)
                               : std::ldexp(float(1024 + fraction), exponent - 25);
  return bits >> 15 ? -size : size;
}

static float fromBfloat16(uint16_t bits) {
  uint32_t wide = uint32_t(bits) << 16;
  float number;
  std::memcpy(&number, &wide, sizeof number);
  return number;
}

/// dlc has float32 for floats of 16 bits.
static void widen(Tensor &tensor) {
  std::vector<char> wide(tensor.bytes.size() * 2);
  for (size_t i = 0; i < tensor.bytes.size() / 2; ++i) {
    uint16_t bits;
    std::memcpy(&bits, tensor.bytes.data() + i * sizeof bits, sizeof bits);
    float number = tensor.dataType == onnx::TensorProto::FLOAT16 ? fromFloat16(bits) : fromBfloat16(bits);
    std::memcpy(wide.data() + i * sizeof number, &number, sizeof number);
  }
  tensor.bytes = std::move(wide);
  tensor.tolerance =
      tensor.dataType == onnx::TensorProto::FLOAT16 ? 2e-3 : 1.6e-2; // two units in the last place
  tensor.dataType = onnx::TensorProto::FLOAT;
}

std::optional<Tensor> toTensor(const onnx::TensorProto &message) {
  Tensor tensor;
  tensor.dataType = message.data_type();
  tensor.shape.assign(message.dims().begin(), message.dims().end());
  if (message.has_raw_data())
    tensor.bytes.assign(message.raw_data().begin(), message.raw_data().end());
  switch (tensor.dataType) {
  case onnx::TensorProto::FLOAT:
    append<float>(tensor, message.float_data());
    break;
  case onnx::TensorProto::DOUBLE:
    append<double>(tensor, message.double_data());
    break;
  case onnx::TensorProto::INT32:
    append<int32_t>(tensor, message.int32_data());
    break;
  case onnx::TensorProto::INT64:
    append<int64_t>(tensor, message.int64_data());
    break;
  case onnx::TensorProto::UINT8:
    append<uint8_t>(tensor, message.int32_data());
    break;
  case onnx::TensorProto::BOOL:
    append<bool>(tensor, message.int32_data());
    break;
  case onnx::TensorProto::FLOAT16:
  case onnx::TensorProto::BFLOAT16:
    append<uint16_t>(tensor, message.int32_data());
    widen(tensor);
    break;
  default:
    return std::nullopt;
  }
  if (tensor.bytes.size() != static_cast<size_t>(tensor.count()) * tensor.elementBytes())
    return std::nullopt;
  return tensor;
}

template <typename Message> static bool readMessage(const fs::path &path, Message &message) {
  std::ifstream stream(path, std::ios::binary);
  return stream && message.ParseFromIstream(&stream);
}

/// input_0.pb, input_1.pb ...; false if one is no tensor.
static bool readTensors(const fs::path &folder, const std::string &prefix,
                        std::vector<onnx::TensorProto> &tensors) {
  for (int i = 0;; ++i) {
    fs::path path = folder / (prefix + std::to_string(i) + ".pb");
    if (!fs::exists(path))
      return true;
    if (!readMessage(path, tensors.emplace_back()))
      return false;
  }
}

std::optional<Test> readTest(const fs::path &folder) {
  Test test;
  if (!readMessage(folder / "model.onnx", test.model))
    return std::nullopt;
  for (int i = 0; fs::exists(folder / ("test_data_set_" + std::to_string(i))); ++i) {
    fs::path data = folder / ("test_data_set_" + std::to_string(i));
    DataSet &set = test.dataSets.emplace_back();
    if (!readTensors(data, "input_", set.inputs) || !readTensors(data, "output_", set.outputs))
      return std::nullopt;
  }
  return test;
}

static std::set<std::string> initializers(const onnx::ModelProto &model) {
  std::set<std::string> names;
  for (const auto &tensor : model.graph().initializer())
    names.insert(tensor.name());
  return names;
}

std::vector<std::string> inputNames(const onnx::ModelProto &model) {
  std::set<std::string> constants = initializers(model);
  std::vector<std::string> names;
  for (const auto &input : model.graph().input())
    if (!constants.count(input.name()))
      names.push_back(input.name());
  return names;
}

void fixShapes(onnx::ModelProto &model, const DataSet &data) {
  std::set<std::string> constants = initializers(model);
  size_t position = 0;
  for (auto &input : *model.mutable_graph()->mutable_input()) {
    if (constants.count(input.name()) || position >= data.inputs.size())
      continue;
    const onnx::TensorProto &tensor = data.inputs[position++];
    if (!input.type().has_tensor_type())
      continue;
    auto *shape = input.mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->clear_dim();
    for (int64_t dim : tensor.dims())
      shape->add_dim()->set_dim_value(dim);
  }
}

void bindInput(onnx::ModelProto &model, DataSet &data, size_t position) {
  std::string name = inputNames(model)[position];
  onnx::TensorProto *tensor = model.mutable_graph()->add_initializer();
  *tensor = data.inputs[position];
  tensor->set_name(name);
  data.inputs.erase(data.inputs.begin() + static_cast<std::ptrdiff_t>(position));
}

/// As ONNX's own backend tests have it.
constexpr double absoluteTolerance = 1e-7;

/// What cancels to nothing, as in a Fourier transform, is as exact as the largest element's last digit, in
/// what is expected too.
template <typename T> static double absoluteToleranceOf(const Tensor &expected) {
  double largest = 0;
  for (int64_t i = 0; i < expected.count(); ++i) {
    T want;
    std::memcpy(&want, expected.bytes.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    if (std::isfinite(want))
      largest = std::max(largest, std::fabs(double(want)));
  }
  return std::max(absoluteTolerance, largest * double(std::numeric_limits<T>::epsilon()));
}

template <typename T>
static std::string compareFloats(const Tensor &expected, const std::vector<char> &actual) {
  double absolute = absoluteToleranceOf<T>(expected);
  for (int64_t i = 0; i < expected.count(); ++i) {
    T want, got;
    std::memcpy(&want, expected.bytes.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    std::memcpy(&got, actual.data() + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    bool equal =
        want == got || (std::isnan(want) && std::isnan(got)) ||
        std::fabs(double(want) - double(got)) <= absolute + expected.tolerance * std::fabs(double(want));
    // An infinite expectation makes an infinite tolerance: only the same infinity will do.
    if (!equal || (std::isinf(want) && want != got))
      return "element " + std::to_string(i) + " is " + std::to_string(got) + ", expected " +
             std::to_string(want);
  }
  return "";
}

std::string compare(const Tensor &expected, const std::vector<char> &actual) {
  if (expected.dataType == onnx::TensorProto::FLOAT)
    return compareFloats<float>(expected, actual);
  if (expected.dataType == onnx::TensorProto::DOUBLE)
    return compareFloats<double>(expected, actual);
  for (size_t i = 0; i < expected.bytes.size(); ++i)
    if (expected.bytes[i] != actual[i])
      return "element " + std::to_string(i / expected.elementBytes()) + " differs";
  return "";
}

} // namespace conformance

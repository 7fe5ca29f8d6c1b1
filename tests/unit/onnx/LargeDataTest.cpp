//===- LargeDataTest.cpp - large tensors stay in their files ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/LargeData.h"
#include "frontends/onnx/HostTensor.h"
#include "frontends/onnx/ModelFile.h"
#include "mlir/IR/MLIRContext.h"
#include "tests/unit/onnx/Models.h"
#include <gtest/gtest.h>

namespace {

using dlc::onnx::ModelFile;
using models::Model;

constexpr int64_t rows = 200, columns = 100; // 80,000 bytes

/// A product with a large weight and an addition of a small one.
Model largeModel() {
  Model model;
  model.input("x", {2, rows}).output("y").weight("w", {rows, columns}).weight("b", {columns});
  model.node("MatMul", {"x", "w"}, {"h"});
  model.node("Add", {"h", "b"}, {"y"});
  for (::onnx::TensorProto &tensor : *model.proto.mutable_graph()->mutable_initializer()) {
    std::string raw(tensor.float_data_size() * sizeof(float), '\0');
    for (size_t i = 0; i < raw.size(); ++i)
      raw[i] = char(i * 7 % 64); // finite numbers
    tensor.clear_float_data();
    tensor.set_raw_data(raw);
  }
  return model;
}

TEST(LargeData, OnlyLargeDataAreTakenOut) {
  Model model = largeModel();
  const std::string bytes = model.bytes();
  dlc::onnx::WithoutLargeData rest = dlc::onnx::withoutLargeData(bytes);
  ASSERT_EQ(rest.large.size(), 1u);
  EXPECT_EQ(rest.large[0].first, 0);
  EXPECT_EQ(rest.large[0].second, model.proto.graph().initializer(0).raw_data());
  EXPECT_LT(rest.bytes.size(), 2000u);
  // With its data back the model is what it was.
  ::onnx::ModelProto parsed;
  ASSERT_TRUE(parsed.ParseFromString(rest.bytes));
  EXPECT_FALSE(parsed.graph().initializer(0).has_raw_data());
  parsed.mutable_graph()->mutable_initializer(0)->set_raw_data(rest.large[0].second.str());
  EXPECT_EQ(parsed.SerializeAsString(), model.proto.SerializeAsString());
}

/// protobuf reads the last of several fields, and joins several graphs: what is left out must not change that.
TEST(LargeData, FieldsThatAreThereTwiceStay) {
  Model model = largeModel();
  std::string tensor = model.proto.graph().initializer(0).SerializeAsString();
  ::onnx::TensorProto other;
  other.set_raw_data(std::string(80000, 'a'));
  tensor += other.SerializeAsString();
  ::onnx::GraphProto graph = model.proto.graph();
  ASSERT_TRUE(graph.mutable_initializer(0)->ParseFromString(tensor));
  // Serializing writes one field: the two are put together by hand.
  auto withLength = [](char tag, const std::string &content) {
    std::string result(1, tag);
    for (size_t size = content.size();; size >>= 7) {
      result += char(size < 128 ? size : (size & 127) | 128);
      if (size < 128)
        return result + content;
    }
  };
  const std::string twice = withLength('\x3a', withLength('\x2a', tensor));
  EXPECT_EQ(dlc::onnx::withoutLargeData(twice).bytes, twice);
  const std::string graphs = model.bytes() + withLength('\x3a', graph.SerializeAsString());
  EXPECT_EQ(dlc::onnx::withoutLargeData(graphs).bytes, graphs);
}

TEST(LargeData, BytesThatAreCutOffStay) {
  const std::string bytes = largeModel().bytes();
  for (size_t size : {size_t(0), size_t(1), size_t(10), bytes.size() / 2, bytes.size() - 1}) {
    dlc::onnx::WithoutLargeData rest = dlc::onnx::withoutLargeData(llvm::StringRef(bytes).take_front(size));
    EXPECT_EQ(rest.bytes, bytes.substr(0, size)) << size;
    EXPECT_TRUE(rest.large.empty()) << size;
  }
}

/// Elements are the same, whether they stay in the file, are copied out of it, or come from memory.
TEST(LargeData, TensorsAreTheSame) {
  models::Folder folder;
  Model model = largeModel();
  const std::string path = folder.write("model.onnx", model.bytes());
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  const std::string &expected = model.proto.graph().initializer(0).raw_data();
  for (int how : {0, 1, 2}) {
    auto file = how == 2 ? ModelFile::parse(model.bytes(), path) : ModelFile::read(path, how == 1);
    ASSERT_TRUE(bool(file));
    auto tensor = dlc::onnx::readTensor(file->model().graph().initializer(0), *file, &context);
    ASSERT_TRUE(bool(tensor));
    EXPECT_EQ(llvm::StringRef(tensor->data.data(), tensor->data.size()), expected) << how;
    EXPECT_EQ(tensor->data.isPartOfFile(), how == 1);
    // Who has the bytes keeps the file.
    dlc::frontend::TensorBytes kept = tensor->data;
    file = ModelFile::parse(model.bytes(), path);
    ASSERT_TRUE(bool(file));
    EXPECT_EQ(llvm::StringRef(kept.data(), kept.size()), expected) << how;
  }
}

/// A message that lacks its data does not get those of another one.
TEST(LargeData, AnotherMessageOfTheNameHasNoData) {
  models::Folder folder;
  const std::string path = folder.write("model.onnx", largeModel().bytes());
  auto file = ModelFile::read(path, /*staysMapped=*/true);
  ASSERT_TRUE(bool(file));
  ::onnx::TensorProto other = file->model().graph().initializer(0);
  EXPECT_FALSE(file->rawData(other).has_value());
}

} // namespace

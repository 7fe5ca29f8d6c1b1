//===- WeightsTest.cpp - files of a program's values, sound and not
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Weights.h"
#include "gtest/gtest.h"

namespace {

using dlc::stablehlo::Weights;

std::string fileOf(const std::string &header, size_t data) {
  std::string bytes(8, '\0');
  for (int i = 0; i < 8; ++i)
    bytes[i] = char(uint64_t(header.size()) >> (8 * i));
  return bytes + header + std::string(data, '\1');
}

std::string problemOf(const std::string &bytes) {
  auto weights = Weights::parse(llvm::MemoryBuffer::getMemBufferCopy(bytes, "w.safetensors"));
  return weights ? "" : llvm::toString(weights.takeError());
}

void expectProblem(const std::string &header, size_t data, const std::string &part) {
  std::string problem = problemOf(fileOf(header, data));
  EXPECT_NE(problem.find(part), std::string::npos) << "no '" << part << "' in: " << problem;
}

TEST(StablehloWeights, ReadsTensors) {
  auto weights = Weights::parse(llvm::MemoryBuffer::getMemBufferCopy(
      fileOf(R"({"__metadata__":{"a":"b"},"a/b":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
             R"("c":{"dtype":"BF16","shape":[],"data_offsets":[8,10]}})",
             10)));
  ASSERT_TRUE(bool(weights)) << llvm::toString(weights.takeError());
  ASSERT_EQ(weights->tensors().size(), 2u);
  const auto &first = weights->tensors().at("a.b");
  EXPECT_EQ(first.dtype, "F32");
  EXPECT_EQ(first.shape, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(first.bytes.size(), 8u);
  EXPECT_EQ(weights->tensors().at("c").bytes.size(), 2u);
}

TEST(StablehloWeights, RefusesDamage) {
  EXPECT_NE(problemOf("").find("longer than the file"), std::string::npos);
  EXPECT_NE(problemOf(std::string(8, '\xff')).find("longer than the file"), std::string::npos);
  expectProblem("[]", 0, "is no object");
  expectProblem("{\"a\":1}", 0, "tensor 'a' is no object");
  expectProblem("{", 0, "is no sound safetensors file");
  expectProblem(R"({"a":{"dtype":"I8","shape":[1],"data_offsets":[0,1]}})", 1, "dtype 'I8', expected F32");
  expectProblem(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4, "no sound shape");
  expectProblem(R"({"a":{"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4]}})", 4,
                "no sound shape");
  expectProblem(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4, "no two data_offsets");
  expectProblem(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4, "shape and dtype need 8");
  expectProblem(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", 4, "bytes 4 to 8 of 4");
  expectProblem(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4, "bytes 4 to 0");
  expectProblem(R"({"a/b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                R"("a.b":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                4, "two tensors are called 'a.b'");
}

} // namespace

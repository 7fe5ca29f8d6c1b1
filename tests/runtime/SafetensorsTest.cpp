//===- SafetensorsTest.cpp ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader of safetensors headers: what is valid, and a sentence for everything that is not.
//===----------------------------------------------------------------------===//
#include "runtime/core/JsonReader.h"
#include "runtime/core/SafetensorsHeader.h"

#include <gtest/gtest.h>
#include <string>

namespace {

using dlc::runtime::Error;
using dlc::runtime::TensorTable;

struct Parsed {
  TensorTable table;
  Error error;
  dlc_status status;

  Parsed(const std::string &header, uint64_t dataBytes) {
    table.text.allocate(header.size());
    std::copy(header.begin(), header.end(), table.text.begin());
    status = dlc::runtime::parseHeader("file", dataBytes, table, error);
  }
};

std::string tensor(const std::string &name, const std::string &dtype, const std::string &shape, int begin,
                   int end) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape + ",\"data_offsets\":[" +
         std::to_string(begin) + "," + std::to_string(end) + "]}";
}

TEST(Safetensors, ReadsTensorsAndMetadata) {
  Parsed parsed(" { \"__metadata__\" : {\"dlc.model\":\"mnist\",\"dlc.format\":\"1\",\"other\":\"\"} ,\n" +
                    tensor("b", "F32", "[2, 3]", 8, 32) + "," + tensor("a", "I64", "[]", 0, 8) + "," +
                    tensor("empty", "F16", "[0,5]", 32, 32) + "}   ",
                32);
  ASSERT_EQ(parsed.status, DLC_OK) << parsed.error.text;
  ASSERT_EQ(parsed.table.tensors.size(), 3u);
  EXPECT_STREQ(parsed.table.model, "mnist");
  const dlc::runtime::Tensor *b = parsed.table.find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, static_cast<uint32_t>(DLC_F32));
  EXPECT_EQ(b->rank, 2u);
  EXPECT_EQ(b->shape[1], 3);
  EXPECT_EQ(b->begin, 8u);
  EXPECT_EQ(parsed.table.find("c"), nullptr);
  EXPECT_EQ(Parsed("{}", 0).status, DLC_OK);
  EXPECT_EQ(Parsed("{\"__metadata__\":{}}", 0).status, DLC_OK);
}

TEST(Safetensors, UnescapesNames) {
  Parsed parsed("{" + tensor(R"(a\"\\\/\n\u00e9\u20AC\ud83d\ude00z)", "F32", "[1]", 0, 4) + "}", 4);
  ASSERT_EQ(parsed.status, DLC_OK) << parsed.error.text;
  EXPECT_NE(parsed.table.find("a\"\\/\n\u00e9\u20ac\U0001f600z"), nullptr);
}

TEST(Safetensors, KeepsDTypesThatDlcLacksForTheUserOfTheTensor) {
  Parsed parsed("{" + tensor("a", "F8_E4M3", "[3]", 0, 3) + "}", 3);
  ASSERT_EQ(parsed.status, DLC_OK) << parsed.error.text;
  EXPECT_EQ(parsed.table.tensors[0].dtype, 0u);
  EXPECT_STREQ(parsed.table.tensors[0].dtypeText, "F8_E4M3");
}

struct BadHeader {
  const char *name, *header;
  uint64_t dataBytes;
  const char *sentence; ///< a part of it
};

class BadHeaders : public testing::TestWithParam<BadHeader> {};

TEST_P(BadHeaders, AreRefusedWithASentence) {
  Parsed parsed(GetParam().header, GetParam().dataBytes);
  EXPECT_EQ(parsed.status, DLC_BAD_FILE);
  EXPECT_NE(std::string(parsed.error.text).find(GetParam().sentence), std::string::npos) << parsed.error.text;
}

#define T(NAME, DTYPE, SHAPE, OFFSETS)                                                                       \
  "\"" NAME "\":{\"dtype\":\"" DTYPE "\",\"shape\":" SHAPE ",\"data_offsets\":" OFFSETS "}"

const BadHeader badHeaders[] = {
    {"empty", "", 0, "expected '{'"},
    {"spaces", "    ", 0, "expected '{'"},
    {"array", "[]", 0, "expected '{'"},
    {"open", "{", 0, "expected the name of a tensor"},
    {"trailing", "{}x", 0, "expected the end of the header"},
    {"two", "{}{}", 0, "expected the end of the header"},
    {"trailingComma", "{" T("a", "F32", "[1]", "[0,4]") ",}", 4, "expected the name of a tensor"},
    {"missingComma", "{" T("a", "F32", "[1]", "[0,4]") T("b", "F32", "[1]", "[4,8]") "}", 8,
     "expected ',' or '}'"},
    {"cut", "{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_off", 4, "expected dtype, shape or data_offsets"},
    {"noColon", "{\"a\"}", 0, "expected ':'"},
    {"number", "{\"a\":3}", 0, "expected '{'"},
    {"null", "{\"a\":null}", 0, "expected '{'"},
    {"emptyTensor", "{\"a\":{}}", 0, "expected dtype, shape or data_offsets"},
    {"noOffsets", "{\"a\":{\"dtype\":\"F32\",\"shape\":[]}}", 0, "lacks its data_offsets"},
    {"noShape", "{\"a\":{\"dtype\":\"F32\",\"data_offsets\":[0,4]}}", 4, "lacks its shape"},
    {"noDType", "{\"a\":{\"shape\":[],\"data_offsets\":[0,4]}}", 4, "lacks its dtype"},
    {"twiceDType", "{\"a\":{\"dtype\":\"F32\",\"dtype\":\"F32\"}}", 0, "dtype appears twice"},
    {"field", "{\"a\":{\"stride\":[1]}}", 0, "unknown field 'stride'"},
    {"negative", "{" T("a", "F32", "[-1]", "[0,4]") "}", 4, "expected a size"},
    {"fraction", "{" T("a", "F32", "[1.0]", "[0,4]") "}", 4, "expected a size"},
    {"exponent", "{" T("a", "F32", "[1e0]", "[0,4]") "}", 4, "expected a size"},
    {"leadingZero", "{" T("a", "F32", "[01]", "[0,4]") "}", 4, "expected a size"},
    {"largeNumber", "{" T("a", "F32", "[9223372036854775808]", "[0,4]") "}", 4, "expected a size"},
    {"overflow", "{" T("a", "F32", "[9223372036854775807,9223372036854775807]", "[0,4]") "}", 4,
     "has 4 bytes"},
    {"overflowBytes", "{" T("a", "F64", "[4611686018427387905]", "[0,8]") "}", 8, "has 8 bytes"},
    {"size", "{" T("a", "F32", "[2]", "[0,4]") "}", 4, "is F32 [2] but has 4 bytes"},
    {"rank", "{" T("a", "F32", "[1,1,1,1,1,1,1,1,1]", "[0,4]") "}", 4, "more than 8 dimensions"},
    {"oneOffset", "{" T("a", "F32", "[1]", "[0]") "}", 4, "expected ','"},
    {"threeOffsets", "{" T("a", "F32", "[1]", "[0,4,8]") "}", 4, "expected ']'"},
    {"backwards", "{" T("a", "F32", "[1]", "[4,0]") "}", 4, "truncated or damaged"},
    {"beyond", "{" T("a", "F32", "[1]", "[0,4]") "}", 3, "truncated or damaged"},
    {"hole", "{" T("a", "F32", "[1]", "[4,8]") "}", 8, "there is a hole"},
    {"overlap", "{" T("a", "F32", "[2]", "[0,8]") "," T("b", "F32", "[2]", "[4,12]") "}", 12,
     "tensors overlap"},
    {"same", "{" T("a", "F32", "[1]", "[0,4]") "," T("b", "F32", "[1]", "[0,4]") "}", 4, "tensors overlap"},
    {"rest", "{" T("a", "F32", "[1]", "[0,4]") "}", 5, "expected 4"},
    {"twice", "{" T("a", "F32", "[1]", "[0,4]") "," T("a", "F32", "[1]", "[4,8]") "}", 8,
     "'a' appears twice"},
    {"twiceEscaped", "{" T("a", "F32", "[1]", "[0,4]") "," T("\\u0061", "F32", "[1]", "[4,8]") "}", 8,
     "'a' appears twice"},
    {"metadataNumber", "{\"__metadata__\":{\"a\":1}}", 0, "expected a string in __metadata__"},
    {"metadataTwice", "{\"__metadata__\":{},\"__metadata__\":{}}", 0, "__metadata__ appears twice"},
    {"newer", "{\"__metadata__\":{\"dlc.format\":\"2\"}}", 0, "newer dlc"},
    {"nul", "{\"a\\u0000b\":{}}", 0, "expected the name of a tensor"},
    {"control", "{\"a\nb\":{}}", 0, "expected the name of a tensor"},
    {"escape", "{\"a\\x\":{}}", 0, "expected the name of a tensor"},
    {"halfPair", "{\"\\ud800\":{}}", 0, "expected the name of a tensor"},
    {"wrongPair", "{\"\\ud800\\u0041\":{}}", 0, "expected the name of a tensor"},
    {"lonePair", "{\"\\udc00\":{}}", 0, "expected the name of a tensor"},
    {"utf8", "{\"\xc3(\":{}}", 0, "expected the name of a tensor"},
    {"utf8Overlong", "{\"\xc0\x80\":{}}", 0, "expected the name of a tensor"},
    {"utf8Surrogate", "{\"\xed\xa0\x80\":{}}", 0, "expected the name of a tensor"},
    {"utf8Cut", "{\"\xf0\x9f", 0, "expected the name of a tensor"},
    {"deep", "{\"a\":{\"dtype\":{\"dtype\":{}}}}", 0, "expected a dtype"},
};

INSTANTIATE_TEST_SUITE_P(Safetensors, BadHeaders, testing::ValuesIn(badHeaders),
                         [](const auto &info) { return std::string(info.param.name); });

TEST(Safetensors, EveryPrefixOfAHeaderIsRefused) {
  const std::string header =
      "{\"__metadata__\":{\"k\":\"v\"}," + tensor(R"(a\u00e9)", "F32", "[1]", 0, 4) + "}";
  ASSERT_EQ(Parsed(header, 4).status, DLC_OK);
  for (size_t length = 0; length < header.size(); ++length)
    EXPECT_EQ(Parsed(header.substr(0, length), 4).status, DLC_BAD_FILE) << length;
}

TEST(JsonReader, IntegersAreExact) {
  char text[] = " 0 9223372036854775807 12";
  dlc::runtime::JsonReader json(text, sizeof text - 1);
  int64_t value;
  EXPECT_TRUE(json.integer(value));
  EXPECT_EQ(value, 0);
  EXPECT_TRUE(json.integer(value));
  EXPECT_EQ(value, INT64_MAX);
  EXPECT_TRUE(json.integer(value));
  EXPECT_TRUE(json.atEnd());
  EXPECT_FALSE(json.integer(value));
}

} // namespace

//===- ExtrasTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of the caller's own in checkpoints: what may stand in them, where they go, and files that have
// other ones.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace {

struct Extra : testing::Test {
  TempFolder folder;
  tiny::Instance instance;

  std::string text(dlc_instance *of, const char *name) {
    const char *found = nullptr;
    return dlc_instance_extra_read_text(of, name, &found) == DLC_OK ? found : "(none)";
  }
  double number(dlc_instance *of, const char *name) {
    double found = 0;
    EXPECT_EQ(dlc_instance_extra_read_number(of, name, &found), DLC_OK) << name;
    return found;
  }
  std::vector<std::string> names(dlc_instance *of) {
    std::vector<std::string> all;
    for (int64_t i = 0; i < dlc_instance_extra_count(of); ++i) {
      const char *name = nullptr;
      int32_t isNumber = -1;
      EXPECT_EQ(dlc_instance_extra_name(of, i, &name, &isNumber), DLC_OK);
      all.push_back(std::string(name) + (isNumber ? " number" : " text"));
    }
    return all;
  }
};

const double numbers[] = {0, -0.0, 0.1, 1e300, -1.0 / 3, 5e-324, INFINITY, -INFINITY};

TEST_F(Extra, ComeBackFromAFile) {
  for (size_t i = 0; i < std::size(numbers); ++i)
    ASSERT_EQ(dlc_instance_extra_write_number(instance, ("n" + std::to_string(i)).c_str(), numbers[i]),
              DLC_OK);
  ASSERT_EQ(dlc_instance_extra_write_number(instance, "none", NAN), DLC_OK);
  const std::string odd = "a \"quoted\" line\n\ttab \\ and \xc3\xa4\xe2\x82\xac\xf0\x9f\x99\x82";
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "note, with \"blanks\"", odd.c_str()), DLC_OK);
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "empty", ""), DLC_OK);
  ASSERT_EQ(dlc_instance_save(instance, folder.file("s").c_str()), DLC_OK);

  tiny::Instance other;
  ASSERT_EQ(dlc_instance_extra_write_number(other, "old", 1), DLC_OK);
  ASSERT_EQ(dlc_instance_load(other, folder.file("s").c_str()), DLC_OK) << other.lastError();
  EXPECT_EQ(names(other), names(instance)); // "old" is gone
  EXPECT_EQ(names(other).size(), std::size(numbers) + 3);
  for (size_t i = 0; i < std::size(numbers); ++i) {
    const double found = number(other, ("n" + std::to_string(i)).c_str());
    EXPECT_EQ(memcmp(&found, &numbers[i], sizeof found), 0) << i;
  }
  EXPECT_TRUE(std::isnan(number(other, "none")));
  EXPECT_EQ(text(other, "note, with \"blanks\""), odd);
  EXPECT_EQ(text(other, "empty"), "");
  ASSERT_EQ(dlc_instance_save(other, folder.file("t").c_str()), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(folder.file("s")), TempFolder::readAll(folder.file("t")));
}

TEST_F(Extra, GoWithAStateAndNotWithWeights) {
  ASSERT_EQ(dlc_instance_extra_write_number(instance, "epoch", 3), DLC_OK);
  ASSERT_EQ(dlc_instance_save_weights(instance, folder.file("w").c_str()), DLC_OK);
  EXPECT_EQ(TempFolder::readAll(folder.file("w")).find("epoch"), std::string::npos);
  tiny::Instance copied, loaded;
  ASSERT_EQ(dlc_instance_copy_state(copied, instance), DLC_OK);
  EXPECT_EQ(number(copied, "epoch"), 3);
  EXPECT_EQ(number(instance, "epoch"), 3); // still there

  size_t bytes = 0;
  ASSERT_EQ(dlc_instance_save_to_memory(instance, nullptr, 0, &bytes), DLC_OK);
  std::vector<char> memory(bytes);
  ASSERT_EQ(dlc_instance_save_to_memory(instance, memory.data(), bytes, &bytes), DLC_OK);
  ASSERT_EQ(dlc_instance_load_from_memory(loaded, memory.data(), bytes), DLC_OK) << loaded.lastError();
  EXPECT_EQ(number(loaded, "epoch"), 3);
  ASSERT_EQ(dlc_instance_load(loaded, folder.file("w").c_str()), DLC_OK) << loaded.lastError();
  EXPECT_EQ(dlc_instance_extra_count(loaded), 0); // those of the file: none
}

TEST_F(Extra, AreReplacedAndTakenOut) {
  for (const char *name : {"a", "b", "c"})
    ASSERT_EQ(dlc_instance_extra_write_number(instance, name, 1), DLC_OK);
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "b", "two"), DLC_OK); // of another kind
  EXPECT_EQ(names(instance), (std::vector<std::string>{"a number", "c number", "b text"}));
  double value = 7;
  EXPECT_EQ(dlc_instance_extra_read_number(instance, "b", &value), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(value, 0);
  EXPECT_EQ(instance.lastError(), "tiny: the entry 'b' is a text");
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "c", nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "c", nullptr), DLC_OK); // it is gone already
  EXPECT_EQ(names(instance), (std::vector<std::string>{"a number", "b text"}));
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "b", nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_extra_write_text(instance, "a", nullptr), DLC_OK);
  EXPECT_EQ(dlc_instance_extra_count(instance), 0);
  EXPECT_EQ(text(instance, "a"), "(none)");
  EXPECT_EQ(instance.lastError(), "tiny: there is no entry 'a'");
}

TEST_F(Extra, WhatMayNotBe) {
  const std::string longName(201, 'n'), longText(65537, 't');
  for (const char *name :
       {"", "a\nb", "\x7f", "\xc3", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", longName.c_str()})
    EXPECT_EQ(dlc_instance_extra_write_number(instance, name, 1), DLC_INVALID_ARGUMENT) << name;
  EXPECT_EQ(dlc_instance_extra_write_number(instance, nullptr, 1), DLC_INVALID_ARGUMENT);
  for (const char *bad : {"\xff", "\xe2\x82", longText.c_str()})
    EXPECT_EQ(dlc_instance_extra_write_text(instance, "a", bad), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_extra_count(instance), 0);
  EXPECT_EQ(dlc_instance_extra_write_number(instance, longName.c_str() + 1, 1), DLC_OK);
  EXPECT_EQ(dlc_instance_extra_write_text(instance, "a", longText.c_str() + 1), DLC_OK);
  const char *name = "x";
  for (int64_t index : {int64_t(-1), int64_t(2), std::numeric_limits<int64_t>::min()})
    EXPECT_EQ(dlc_instance_extra_name(instance, index, &name, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(name, nullptr);
  EXPECT_EQ(dlc_instance_extra_count(nullptr), 0);
}

TEST_F(Extra, ThereIsRoomForSoMany) {
  int64_t count = 0;
  while (dlc_instance_extra_write_number(instance, std::to_string(count).c_str(), 1) == DLC_OK)
    ++count;
  EXPECT_EQ(count, 1000);
  EXPECT_NE(instance.lastError().find("there is no room for the entry '1000'"), std::string::npos);
  tiny::Instance other;
  const std::string text(65000, 't');
  for (count = 0;
       dlc_instance_extra_write_text(other, std::to_string(count).c_str(), text.c_str()) == DLC_OK;)
    ++count;
  EXPECT_EQ(count, 4);
  ASSERT_EQ(dlc_instance_save(other, folder.file("s").c_str()), DLC_OK);
  EXPECT_EQ(dlc_instance_load(other, folder.file("s").c_str()), DLC_OK) << other.lastError();
}

/// Metadata of others' files.
TEST_F(Extra, FilesAreLookedThrough) {
  ASSERT_EQ(dlc_instance_save(instance, folder.file("s").c_str()), DLC_OK);
  const std::string saved = TempFolder::readAll(folder.file("s"));
  auto withEntries = [&](const std::string &entries) {
    uint64_t length;
    memcpy(&length, saved.data(), sizeof length);
    std::string header = saved.substr(8, length);
    const std::string data = saved.substr(8 + length);
    const std::string begin = "{\"__metadata__\":{";
    EXPECT_EQ(header.rfind(begin, 0), 0u);
    header.insert(begin.size(), entries + ",");
    length = header.size();
    return std::string(reinterpret_cast<const char *>(&length), sizeof length) + header + data;
  };
  auto load = [&](const std::string &entries) {
    return dlc_instance_load(instance, folder.write("f", withEntries(entries)).c_str());
  };
  ASSERT_EQ(load(R"("format":"pt","dlc.number.epoch":"0x1p3","dlc.text.a":"b","dlc.number.epoch":"4")"),
            DLC_OK)
      << instance.lastError();
  EXPECT_EQ(number(instance, "epoch"), 4);
  EXPECT_EQ(dlc_instance_extra_count(instance), 2);
  for (const char *bad : {R"("dlc.number.epoch":"four")", R"("dlc.number.epoch":"")",
                          R"("dlc.number.epoch":" 4")", R"("dlc.number.epoch":"4 ")", R"("dlc.number.":"4")",
                          R"("dlc.text.":"4")", R"("dlc.text.a\nb":"4")"}) {
    EXPECT_EQ(load(bad), DLC_BAD_FILE) << bad;
    EXPECT_NE(instance.lastError().find("of __metadata__ is no"), std::string::npos) << instance.lastError();
  }
  EXPECT_EQ(number(instance, "epoch"), 4); // as before
  std::string many;
  for (int i = 0; i < 1001; ++i)
    many += (i ? ",\"dlc.text." : "\"dlc.text.") + std::to_string(i) + "\":\"\"";
  EXPECT_EQ(load(many), DLC_BAD_FILE);
  EXPECT_NE(instance.lastError().find("more entries of its own than there may be"), std::string::npos);
}

TEST_F(Extra, FilesOfTorchSaveAreNamed) {
  std::string zip = std::string("PK\3\4\0\0\10\10\0\0\0\0", 12) + std::string(100, 'x'),
              pickled = "\x80\x02\x8a\nl\xfc\x9c\x46\xf9 j\xa8P\x19." + std::string(100, 'x');
  for (const std::string &content : {zip, pickled}) {
    EXPECT_EQ(dlc_instance_load(instance, folder.write("net.pth", content).c_str()), DLC_BAD_FILE);
    EXPECT_NE(instance.lastError().find("net.pth: a file of torch.save, not a safetensors file"),
              std::string::npos)
        << instance.lastError();
    EXPECT_NE(instance.lastError().find("safetensors.torch.save_file(torch.load("), std::string::npos);
  }
}

} // namespace

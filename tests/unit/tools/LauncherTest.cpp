//===- LauncherTest.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of several processes this one is, by the variables that launchers set.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Launcher.h"
#include "tools/dlc/train/Arrays.h"
#include <gtest/gtest.h>

namespace dlc::tool::training {
namespace {

using Variables = std::map<std::string, std::string>;

/// "1 of 4", or the sentence that refuses it.
std::string told(const Variables &variables) {
  try {
    const ThisRank found = rankOfLauncher([&](const char *name) {
      const auto variable = variables.find(name);
      return variable == variables.end() ? nullptr : variable->second.c_str();
    });
    return std::to_string(found.rank) + " of " + std::to_string(found.ranks);
  } catch (const Failure &failure) {
    return failure.what();
  }
}

TEST(Launcher, SetsVariables) {
  EXPECT_EQ(told({}), "0 of 1");
  EXPECT_EQ(told({{"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "4"}}), "1 of 4");
  EXPECT_EQ(told({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), "3 of 4");
  EXPECT_EQ(told({{"SLURM_PROCID", "0"}, {"SLURM_STEP_NUM_TASKS", "2"}}), "0 of 2");
  EXPECT_EQ(told({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}}), "0 of 1");
  EXPECT_EQ(told({{"RANK", "0"}, {"WORLD_SIZE", "1"}}), "0 of 1");
  EXPECT_EQ(told({{"RANK", "7"}}), "0 of 1") << "a variable of something else";
}

/// Slurm sets these in a batch script, too, which no srun has started: nobody would start the other ranks.
TEST(Launcher, IsNoBatchScript) {
  EXPECT_EQ(told({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}, {"SLURM_LOCALID", "0"}}), "0 of 1");
}

TEST(Launcher, OfMpiGoesBeforeOthers) {
  EXPECT_EQ(told({{"OMPI_COMM_WORLD_RANK", "1"},
                  {"OMPI_COMM_WORLD_SIZE", "2"},
                  {"SLURM_PROCID", "0"},
                  {"SLURM_STEP_NUM_TASKS", "1"},
                  {"RANK", "0"},
                  {"WORLD_SIZE", "1"}}),
            "1 of 2");
}

TEST(Launcher, HasNumbersInRange) {
  for (const char *wrong : {"", "x", "2x", "-1", " 1", "+1", "0x1", "1.0", "4", "99999999999999999999"})
    EXPECT_NE(told({{"OMPI_COMM_WORLD_RANK", wrong}, {"OMPI_COMM_WORLD_SIZE", "4"}})
                  .find("OMPI_COMM_WORLD_RANK in the environment is '" + std::string(wrong) +
                        "': expected a number from 0 to 3"),
              std::string::npos)
        << wrong;
  for (const char *wrong : {"0", "-2", "2000000", "two"})
    EXPECT_NE(told({{"PMI_RANK", "0"}, {"PMI_SIZE", wrong}}).find("PMI_SIZE in the environment is '"),
              std::string::npos)
        << wrong;
}

TEST(Launcher, OfTorchHasNoMpi) {
  EXPECT_NE(told({{"RANK", "0"}, {"WORLD_SIZE", "2"}}).find("--launch=2"), std::string::npos);
}

} // namespace
} // namespace dlc::tool::training

//===- CopyTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies that run beside a thread (PTX's cp.async): right kernels give the same whenever copies are done, and
// each mistake is named, whether copies are done late or at once. And what lanes get of matrices (PTX's
// ldmatrix).
//===----------------------------------------------------------------------===//
#include "tests/simt/OnStandIn.h"

namespace {

using tiny::argument;
using tiny::get;
using tiny::put;
using tiny::standIn;

constexpr uint32_t lanes = 32, room = 128; ///< threads of the block, and floats of its shared memory
uint32_t laneOf(const dlc_simt *simt) { return simt->sreg(simt, DLC_SIMT_LANE); }
float *sharedOf(const dlc_simt *simt) { return static_cast<float *>(simt->shared(simt)); }
/// The 12 numbers of the batch.
const float *inputsOf(void *const *p) { return argument<float>(p, 0); }
float *scoresOf(void *const *p) { return argument<float>(p, 3); }
constexpr uint32_t scoreCount = tiny::batch * tiny::outputs;

void copy(const dlc_simt *simt, void *to, const void *from, uint32_t bytes, uint32_t sourceBytes) {
  simt->copy(simt, to, from, bytes, sourceBytes, 5);
}

class Copies : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    standIn().reset();
    standIn().findings();
    standIn().setEager(GetParam());
  }
  void TearDown() override {
    EXPECT_STREQ(standIn().leaks(), "");
    standIn().reset();
  }
  /// What the code, in place of the forward kernel in one block of 32 threads, writes as scores.
  std::vector<float> run(tiny::GpuTables::Code code, dlc_status expected = DLC_OK) {
    gpu.replace(tiny::Forward, code);
    gpu.kernels[tiny::Forward].grid = 1;
    gpu.kernels[tiny::Forward].block = lanes;
    gpu.simtKernels[tiny::Forward].shared_bytes = room * sizeof(float);
    tiny::Instance device({1, false, nullptr, &gpu.model});
    const tiny::Batch data(0);
    std::vector<float> scores(scoreCount, -1);
    void *to[] = {nullptr, scores.data(), nullptr, nullptr, nullptr};
    EXPECT_EQ(dlc_instance_predict(device, tiny::batch, nullptr, data.pointers, to), expected)
        << device.lastError();
    found = standIn().findings();
    if (expected == DLC_OK) {
      EXPECT_EQ(found, "");
    }
    return scores;
  }
  void expectFound(tiny::GpuTables::Code code, const char *text) {
    run(code, DLC_DEVICE_FAILED);
    EXPECT_NE(found.find(text), std::string::npos) << found;
  }

  tiny::GpuTables gpu;
  std::string found;
};

INSTANTIATE_TEST_SUITE_P(When, Copies, testing::Bool(),
                         [](const auto &info) { return info.param ? "AtOnce" : "Late"; });

/// Copies some inputs, each in a group of its own.
void copyInputs(const dlc_simt *simt, void *const *p, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    copy(simt, sharedOf(simt) + i, inputsOf(p) + i, 4, 4);
    simt->end_group(simt, 0);
  }
}

void writeScores(const dlc_simt *simt, void *const *p, float value) {
  if (laneOf(simt) < scoreCount)
    put(simt, scoresOf(p) + laneOf(simt), value, 9);
}

TEST_P(Copies, AreSeenByAllBehindAWaitAndABarrier) {
  std::vector<float> scores = run([](const dlc_simt *simt, void *const *p) {
    if (laneOf(simt) == 0)
      copyInputs(simt, p, 6);
    simt->wait_for_groups(simt, 2, 1); // the first four
    simt->barrier(simt, 2);
    writeScores(simt, p, get(simt, sharedOf(simt) + laneOf(simt) % 4, 3));
    simt->wait_for_groups(simt, 0, 4);
  });
  for (uint32_t i = 0; i < scoreCount; ++i)
    EXPECT_EQ(scores[i], tiny::Batch(0).x[i % 4]) << i;
}

TEST_P(Copies, FillUpWithZeros) {
  std::vector<float> scores = run([](const dlc_simt *simt, void *const *p) {
    if (laneOf(simt) == 0) {
      copy(simt, sharedOf(simt), inputsOf(p), 16, 8);
      copy(simt, sharedOf(simt) + 4, nullptr, 16, 0); // nothing is read
      simt->end_group(simt, 0);
    }
    simt->wait_for_groups(simt, 0, 1);
    simt->barrier(simt, 2);
    writeScores(simt, p, get(simt, sharedOf(simt) + laneOf(simt) % 8, 3));
  });
  for (uint32_t i = 0; i < scoreCount; ++i)
    EXPECT_EQ(scores[i], i < 2 ? tiny::Batch(0).x[i] : 0) << i;
}

TEST_P(Copies, AreReadBeforeTheWait) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) == 0) {
          copyInputs(simt, p, 1);
          get(simt, sharedOf(simt), 3);
        }
      },
      "reads 4 bytes (access 3) at 0 of shared memory, which a copy writes that thread 0 of block 0 has not "
      "waited");
}

TEST_P(Copies, AreReadBehindAWaitForTheGroupBefore) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) != 0)
          return;
        copyInputs(simt, p, 2);
        simt->wait_for_groups(simt, 1, 1);
        get(simt, sharedOf(simt), 3);
        get(simt, sharedOf(simt) + 1, 4);
      },
      "reads 4 bytes (access 4) at 4 of shared memory, which a copy writes");
}

TEST_P(Copies, AreOfNoGroup) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) != 0)
          return;
        copy(simt, sharedOf(simt), inputsOf(p), 8, 8);
        simt->wait_for_groups(simt, 0, 1);
        get(simt, sharedOf(simt), 3);
      },
      "at 0 of shared memory, which a copy writes");
}

TEST_P(Copies, AreSeenByOthersOnlyBehindABarrier) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        simt->barrier(simt, 0);
        if (laneOf(simt) == 0) {
          copyInputs(simt, p, 1);
          simt->wait_for_groups(simt, 0, 1);
        }
        simt->shuffle(simt, DLC_SIMT_XOR, UINT32_MAX, 0, 1, 31, 0); // now lane 0 has waited
        if (laneOf(simt) == 1)
          get(simt, sharedOf(simt), 3);
      },
      "which thread 0 of block 0 writes with no barrier between");
}

TEST_P(Copies, AreOverwritten) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) == 0)
          copyInputs(simt, p, 1);
        simt->barrier(simt, 0);
        if (laneOf(simt) == 1)
          put(simt, sharedOf(simt), 1.0f, 4);
      },
      "writes 4 bytes (access 4) at 0 of shared memory, which a copy writes that thread 0 of block 0 has not "
      "waited");
}

TEST_P(Copies, OverwriteWhatOthersReadWithoutABarrier) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) == 0)
          put(simt, sharedOf(simt), 1.0f, 1);
        simt->barrier(simt, 0);
        get(simt, sharedOf(simt), 2);
        simt->shuffle(simt, DLC_SIMT_XOR, UINT32_MAX, 0, 1, 31, 0);
        if (laneOf(simt) == 0)
          copyInputs(simt, p, 1);
      },
      "copies 4 bytes (copy 5) at 0 of shared memory, which");
}

TEST_P(Copies, ReadWhatIsOverwrittenInTheMeantime) {
  gpu.simtKernels[tiny::Forward].operands = gpu.kernels[tiny::Accumulate].operands;
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) != 0)
          return;
        put(simt, scoresOf(p), 1.0f, 1);
        copy(simt, sharedOf(simt), scoresOf(p), 4, 4);
        put(simt, scoresOf(p), 2.0f, 2);
      },
      "writes 4 bytes (access 2) at 0 of operand 3, which a copy reads that thread 0 of block 0 has not "
      "waited for");
}

TEST_P(Copies, AreNotAligned) {
  expectFound([](const dlc_simt *simt, void *const *p) { copy(simt, sharedOf(simt), inputsOf(p) + 1, 8, 8); },
              "copies 8 bytes (copy 5) from a place which is not aligned");
  expectFound([](const dlc_simt *simt, void *const *p) { copy(simt, sharedOf(simt) + 1, inputsOf(p), 8, 8); },
              "at 4 of shared memory, which is not aligned");
}

TEST_P(Copies, LeaveTheirMemory) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) { copy(simt, sharedOf(simt), inputsOf(p) + 12, 16, 16); },
      "copies 16 bytes (copy 5) outside of all operands");
  expectFound(
      [](const dlc_simt *simt, void *const *p) { copy(simt, sharedOf(simt) + room, inputsOf(p), 4, 4); },
      "of shared memory, which has 512 bytes");
  expectFound([](const dlc_simt *simt, void *const *p) { copy(simt, scoresOf(p), inputsOf(p), 4, 4); },
              "to a place which is not shared memory");
}

TEST_P(Copies, HaveOtherSizes) {
  expectFound([](const dlc_simt *simt, void *const *p) { copy(simt, sharedOf(simt), inputsOf(p), 2, 2); },
              "copies 2 bytes (copy 5) of which 2 are read: there are copies of 4, 8 and 16 bytes");
}

TEST_P(Copies, AreLeftBehind) {
  expectFound(
      [](const dlc_simt *simt, void *const *p) {
        if (laneOf(simt) == 3)
          copyInputs(simt, p, 1);
      },
      "block 0, thread 3 ends before copies that it has not waited for");
}

/// The number at row `i / 8`, column `i % 8` of matrix m is 64 m + i, and rows are in another order than
/// matrices.
template <uint32_t count, bool transposed> void loadMatrices(const dlc_simt *simt, void *const *p) {
  auto *numbers = reinterpret_cast<uint16_t *>(sharedOf(simt));
  const uint32_t lane = laneOf(simt);
  auto rowAt = [&](uint32_t matrix, uint32_t row) { return numbers + 8 * (row * count + matrix); };
  if (lane < 8 * count)
    for (uint32_t column = 0; column < 8; ++column)
      put(simt, rowAt(lane / 8, lane % 8) + column,
          static_cast<uint16_t>(64 * (lane / 8) + lane % 8 * 8 + column), 1);
  simt->barrier(simt, 0);
  uint32_t words[count];
  simt->load_matrices(simt, lane < 8 * count ? rowAt(lane / 8, lane % 8) : nullptr, count, transposed, words,
                      1);
  // Lane 13 has row 3, columns 2 and 3.
  if (lane == 13)
    for (uint32_t matrix = 0; matrix < count; ++matrix) {
      put(simt, scoresOf(p) + 2 * matrix, static_cast<float>(words[matrix] & 0xffff), 2);
      put(simt, scoresOf(p) + 2 * matrix + 1, static_cast<float>(words[matrix] >> 16), 3);
    }
  if (lane >= 2 * count && lane < scoreCount)
    put(simt, scoresOf(p) + lane, 0.0f, 4);
}

TEST_P(Copies, MatricesComeAsThePtxManualSays) {
  auto first = [](std::vector<float> scores, size_t count) {
    scores.resize(count);
    return scores;
  };
  EXPECT_EQ(first(run(loadMatrices<1, false>), 2), (std::vector<float>{26, 27}));
  EXPECT_EQ(first(run(loadMatrices<2, false>), 4), (std::vector<float>{26, 27, 90, 91}));
  EXPECT_EQ(run(loadMatrices<4, false>), (std::vector<float>{26, 27, 90, 91, 154, 155, 218, 219}));
  // By columns: rows 2 and 3 of column 3.
  EXPECT_EQ(first(run(loadMatrices<1, true>), 2), (std::vector<float>{19, 27}));
  EXPECT_EQ(first(run(loadMatrices<2, true>), 4), (std::vector<float>{19, 27, 83, 91}));
  EXPECT_EQ(run(loadMatrices<4, true>), (std::vector<float>{19, 27, 83, 91, 147, 155, 211, 219}));
}

TEST_P(Copies, RowsOfMatricesAreNotAligned) {
  expectFound(
      [](const dlc_simt *simt, void *const *) {
        uint32_t words[1];
        simt->load_matrices(simt, sharedOf(simt) + 1, 1, 0, words, 7);
      },
      "reads 16 bytes (access 7) at 4 of shared memory, which is not aligned");
}

} // namespace

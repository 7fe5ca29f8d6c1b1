//===- BrokenKernelTest.cpp -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels with one mistake each: the check without a GPU must name it, and the handle must be dead
// afterwards.
//===----------------------------------------------------------------------===//
#include "tests/simt/OnStandIn.h"

#include <fstream>

namespace {

using tiny::argument;
using tiny::get;
using tiny::put;
using tiny::standIn;

uint32_t threadOf(const dlc_simt *simt) { return simt->sreg(simt, DLC_SIMT_THREAD); }
float *sharedOf(const dlc_simt *simt) { return static_cast<float *>(simt->shared(simt)); }

class BrokenKernel : public tiny::OnStandIn {
protected:
  /// Runs one step with this code in place of the forward kernel (4 blocks of 2 threads), or of the loss (1
  /// of 32).
  void run(tiny::GpuTables::Code code, uint32_t kernel = tiny::Forward) {
    gpu.replace(kernel, code);
    tiny::Instance device(options);
    tiny::Batch data(0);
    float loss = 1;
    EXPECT_EQ(dlc_instance_train_step(device, data.pointers, &loss), DLC_DEVICE_FAILED);
    EXPECT_EQ(loss, 0);
    const std::string sentence = device.lastError();
    EXPECT_NE(sentence.find("tiny: the GPU stand-in 0 or its driver has failed: "), std::string::npos)
        << sentence;
    float values[6];
    EXPECT_EQ(dlc_instance_parameter_read(device, "fc.weight", values, sizeof values), DLC_DEVICE_FAILED);
    EXPECT_EQ(dlc_instance_grad_step(device, data.pointers, nullptr), DLC_DEVICE_FAILED);
    const std::string file = testing::TempDir() + "never-written.safetensors";
    EXPECT_EQ(dlc_instance_save(device, file.c_str()), DLC_DEVICE_FAILED);
    EXPECT_FALSE(std::ifstream(file).good());
    EXPECT_EQ(device.lastError(), sentence) << "the first failure is the one that counts";
    found = standIn().findings();
  }
  void expectFound(const char *text) { EXPECT_NE(found.find(text), std::string::npos) << found; }

  std::string found;
};

TEST_F(BrokenKernel, ReadsBehindAnOperand) {
  run([](const dlc_simt *simt, void *const *p) {
    get(simt, argument<float>(p, 1) + tiny::inputs * tiny::outputs, 17);
  });
  expectFound("kernel forward: block ");
  expectFound("reads 4 bytes (access 17) outside of all operands");
}

TEST_F(BrokenKernel, ReadsBeforeAnOperand) {
  run([](const dlc_simt *simt, void *const *p) { get(simt, argument<float>(p, 1) - 1, 3); });
  expectFound("reads 4 bytes (access 3) outside of all operands");
}

TEST_F(BrokenKernel, WritesAnOperandThatItReads) {
  run([](const dlc_simt *simt, void *const *p) {
    if (simt->sreg(simt, DLC_SIMT_BLOCK) == 0 && threadOf(simt) == 0)
      put(simt, argument<float>(p, 1) + 2, 1.0f, 4);
  });
  expectFound("thread 0 writes 4 bytes (access 4) at 8 of operand 1, which the kernel only reads");
}

TEST_F(BrokenKernel, ReadsAnOperandThatItWrites) {
  run([](const dlc_simt *simt, void *const *p) { get(simt, argument<float>(p, 3), 1); });
  expectFound("at 0 of operand 3, which the kernel only writes, and has not written yet");
}

TEST_F(BrokenKernel, LeavesAnOutputUnwritten) {
  run([](const dlc_simt *, void *const *) {}); // the loss reads the scores
  expectFound("kernel loss: block 0, thread");
  expectFound("which nothing has written");
}

TEST_F(BrokenKernel, ReadsSharedMemoryThatNothingHasWritten) {
  run([](const dlc_simt *simt, void *const *) { get(simt, sharedOf(simt) + threadOf(simt) % 24, 9); },
      tiny::TrainingLoss);
  expectFound("of shared memory, which nothing has written");
}

TEST_F(BrokenKernel, ReadsSharedMemoryOfWhichAPartWasWritten) {
  run(
      [](const dlc_simt *simt, void *const *) {
        if (threadOf(simt) != 0)
          return;
        put(simt, reinterpret_cast<uint16_t *>(sharedOf(simt)), uint16_t{1}, 1);
        get(simt, sharedOf(simt), 2);
      },
      tiny::TrainingLoss);
  expectFound("reads 4 bytes (access 2) at 0 of shared memory, which nothing has written (byte 2)");
}

TEST_F(BrokenKernel, LeavesSharedMemory) {
  run([](const dlc_simt *simt, void *const *) { put(simt, sharedOf(simt) + 24, 0.0f, 9); },
      tiny::TrainingLoss);
  expectFound("writes 4 bytes (access 9) at 96 of shared memory, which has 96 bytes");
}

TEST_F(BrokenKernel, IsNotAligned) {
  run([](const dlc_simt *simt, void *const *p) {
    simt->load(simt, reinterpret_cast<char *>(argument<float>(p, 0)) + 4, 8, 2);
  });
  expectFound("at 4 of operand 0, which is not aligned");
}

TEST_F(BrokenKernel, ThreadsOfABlockWriteTheSame) {
  run([](const dlc_simt *simt, void *const *) { put(simt, sharedOf(simt), 0.0f, 1); }, tiny::TrainingLoss);
  expectFound("writes with no barrier between");
}

TEST_F(BrokenKernel, ReadsWhatAnotherThreadWritesWithoutABarrier) {
  run(
      [](const dlc_simt *simt, void *const *) {
        const uint32_t thread = threadOf(simt);
        if (thread < 24)
          put(simt, sharedOf(simt) + thread, 0.0f, 1);
        simt->barrier(simt, 0);
        if (thread < 12)
          put(simt, sharedOf(simt) + thread, 1.0f, 2);
        else if (thread < 24)
          get(simt, sharedOf(simt) + thread - 12, 3);
      },
      tiny::TrainingLoss);
  expectFound("with no barrier between");
}

TEST_F(BrokenKernel, WritesWhatAnotherThreadReadsWithoutABarrier) {
  run(
      [](const dlc_simt *simt, void *const *) {
        const uint32_t thread = threadOf(simt);
        if (thread == 0)
          put(simt, sharedOf(simt), 0.0f, 1);
        simt->barrier(simt, 0);
        get(simt, sharedOf(simt), 2);
        if (thread == 31)
          put(simt, sharedOf(simt), 1.0f, 3);
      },
      tiny::TrainingLoss);
  expectFound("with no barrier between");
}

TEST_F(BrokenKernel, BlocksWriteTheSame) {
  run([](const dlc_simt *simt, void *const *p) {
    if (threadOf(simt) == 0)
      put(simt, argument<float>(p, 3), 0.0f, 1);
  });
  expectFound("at 0 of operand 3, which thread 0 of block");
}

TEST_F(BrokenKernel, AWarpsBarrierOrdersNoOtherWarp) {
  gpu.kernels[tiny::TrainingLoss].block = 64;
  run(
      [](const dlc_simt *simt, void *const *) {
        if (threadOf(simt) == 0)
          put(simt, sharedOf(simt), 0.0f, 1);
        simt->warp_barrier(simt, UINT32_MAX, 0);
        if (threadOf(simt) == 40)
          put(simt, sharedOf(simt), 1.0f, 2);
      },
      tiny::TrainingLoss);
  expectFound("with no barrier between");
}

TEST_F(BrokenKernel, SomeThreadsMissTheBarrier) {
  run(
      [](const dlc_simt *simt, void *const *) {
        if (threadOf(simt) != 7)
          simt->barrier(simt, 0);
      },
      tiny::TrainingLoss);
  expectFound("kernel loss: block 0: some threads wait at a barrier or shuffle that others never reach");
}

TEST_F(BrokenKernel, SomeLanesMissTheShuffle) {
  run(
      [](const dlc_simt *simt, void *const *) {
        if (threadOf(simt) < 16)
          simt->shuffle(simt, DLC_SIMT_XOR, UINT32_MAX, 0, 1, 31, 0);
      },
      tiny::TrainingLoss);
  expectFound("some threads wait at a barrier or shuffle that others never reach");
}

TEST_F(BrokenKernel, TakesAValueOfALaneThatIsNotThere) {
  run(
      [](const dlc_simt *simt, void *const *) {
        if (threadOf(simt) < 16)
          simt->shuffle(simt, DLC_SIMT_INDEX, 0xffff, 0, 20, 31, 6);
      },
      tiny::TrainingLoss);
  expectFound("takes a value of lane 20, which is not in the mask of the shuffle (number 6)");
}

TEST_F(BrokenKernel, TheBarrierOfTheLossIsNeeded) {
  {
    tiny::Instance device({1, false, nullptr, &gpu.model});
    tiny::train(device, 0, 1);
    EXPECT_STREQ(standIn().barriers(), "loss 0\n");
  }
  standIn().dropBarrier("loss", 0);
  tiny::Instance device({1, false, nullptr, &gpu.model});
  tiny::Batch data(0);
  EXPECT_EQ(dlc_instance_train_step(device, data.pointers, nullptr), DLC_OK) << "nobody has waited for it";
  EXPECT_EQ(dlc_instance_sync(device, nullptr), DLC_DEVICE_FAILED);
  EXPECT_NE(std::string(standIn().findings()).find("kernel loss: block 0"), std::string::npos);
}

} // namespace

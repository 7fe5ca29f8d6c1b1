//===- Launch.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs kernels of a SIMT image: block after block in an order that changes from launch to launch, each thread
// of a block a fibre. All accesses, barriers and shuffles come here and are checked.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_LAUNCH_H
#define DLC_TOOLS_SIMT_LAUNCH_H

#include "compiler/codegen/gpu/simt/Image.h"
#include "tools/simt/Banks.h"
#include "tools/simt/DeviceMemory.h"
#include "tools/simt/Fibres.h"

#include <deque>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

namespace dlc::simt {

/// A place of a kernel where threads wait: for each other at a barrier, or for copies of their own; or the
/// end of a group of copies, which they wait for. The same of products.
struct Meeting {
  std::string kernel;
  uint32_t site;
  bool operator<(const Meeting &other) const {
    return std::tie(kernel, site) < std::tie(other.kernel, other.site);
  }
};

/// The most shared memory that a block may have, in bytes. It is aligned to as much, so that an address in it
/// shows its offset.
constexpr size_t sharedBytes = 256 << 10;
constexpr uint32_t warpSize = 32;

class Machine {
public:
  explicit Machine(DeviceMemory &memory);

  enum class Outcome { done, illegalAddress, failed };
  /// `arguments` are the values of the parameters.
  Outcome run(const dlc_simt_kernel &kernel, uint32_t grid, uint32_t block, std::vector<uint64_t> arguments);

  /// Such places that were passed so far. The one in `dropped` is left out; a wait there is one for a group
  /// less. (A product cannot be left out.)
  std::map<Meeting, uint64_t> barriers;
  Meeting dropped = {"", 0};
  Banks banks;               ///< of the first block of each launch, while they are counted
  bool copiesAtOnce = false; ///< copies are done when they are begun, not when they are waited for
  std::mt19937 random{1};

private:
  enum class Waits { no, block, warp, shuffle, matrices, product, warpProduct };
  /// A copy that has been begun and not been waited for.
  struct Copy {
    unsigned char *to;
    const unsigned char *from;
    uint32_t bytes, sourceBytes, group;
  };
  /// One thread's part of a product of its warp group that has been begun and not been waited for: 16 numbers
  /// of each of two rows and of `count / 2` columns.
  struct Product {
    uint32_t dtype;       ///< DLC_BF16 or DLC_F16
    uint64_t left, right; ///< descriptors
    bool leftBySteps, rightBySteps;
    uint32_t sums, group; ///< number in Thread::sums
  };
  struct Thread {
    dlc_simt calls; ///< first: the kernel's code has its address
    Machine *machine;
    uint32_t number, warpEpoch;
    Waits waits;
    uint32_t mask, site, kind, value, lane, clamp;
    const unsigned char *row; ///< of a matrix that is loaded
    uint32_t words[4];        ///< of all of them, that this lane gets
    const uint32_t *operands; ///< of a product of the warp: this lane's words
    float *results;           ///< and its sums
    uint32_t group;           ///< of copies that are begun now
    std::deque<Copy> copies;  ///< in the order in which they were begun
    uint32_t productGroup;    ///< of products that are begun now
    bool mayMultiply;
    std::deque<Product> products;
    std::vector<std::vector<float>> sums; ///< of products; the kernel has placeholders of them
  };
  static_assert(offsetof(Thread, calls) == 0, "a pointer to the calls is one to the thread");

  static Thread &threadOf(const dlc_simt *calls);
  static uint32_t sreg(const dlc_simt *calls, uint32_t which);
  static void *shared(const dlc_simt *calls);
  static void barrier(const dlc_simt *calls, uint32_t site);
  static void warpBarrier(const dlc_simt *calls, uint32_t mask, uint32_t site);
  static uint32_t shuffle(const dlc_simt *calls, uint32_t kind, uint32_t mask, uint32_t value, uint32_t lane,
                          uint32_t clamp, uint32_t site);
  static void load(const dlc_simt *calls, const void *address, uint32_t bytes, uint32_t site);
  static void store(const dlc_simt *calls, const void *address, uint32_t bytes, uint32_t site);
  static void copy(const dlc_simt *calls, void *to, const void *from, uint32_t bytes, uint32_t sourceBytes,
                   uint32_t site);
  static void endGroup(const dlc_simt *calls, uint32_t site);
  static void waitForGroups(const dlc_simt *calls, uint32_t running, uint32_t site);
  static void loadMatrices(const dlc_simt *calls, const void *row, uint32_t count, uint32_t transposed,
                           uint32_t *words, uint32_t site);
  static void showToProducts(const dlc_simt *calls, uint32_t site);
  static void beginProducts(const dlc_simt *calls, uint32_t site);
  static void multiply(const dlc_simt *calls, uint32_t dtype, uint64_t left, uint64_t right,
                       uint32_t leftBySteps, uint32_t rightBySteps, float *sums, uint32_t count,
                       uint32_t site);
  static void endProducts(const dlc_simt *calls, uint32_t site);
  static void waitForProducts(const dlc_simt *calls, uint32_t site);
  static void results(const dlc_simt *calls, float *sums, uint32_t count, uint32_t site);
  static void multiplyInWarp(const dlc_simt *calls, uint32_t dtype, const uint32_t *words, float *sums,
                             uint32_t site);
  static void runThread(void *machine, uint32_t thread);

  void runBlock();
  bool resumeAll();
  bool releaseBlock();
  bool releaseWarps();
  bool releaseWarp(Thread &thread);
  void exchange(uint32_t firstThread, uint32_t mask);
  void shareMatrices(uint32_t firstThread);
  void multiplyWarp(uint32_t firstThread);
  void begin(Thread &thread, const Copy &copy, uint32_t site);
  void end(Thread &thread, const Copy &copy);
  static void move(const Copy &copy);
  void begin(Thread &thread, const Product &product, uint32_t site);
  void end(Thread &thread, const Product &product);
  void finishProducts(Thread &thread, uint32_t runningGroups);
  void compute(Thread &thread, const Product &product) const;
  /// For device memory, and for shared memory.
  Who whoIs(const Thread &thread) const {
    return {launches, block, thread.number, blockEpoch, thread.warpEpoch};
  }
  Who whoIsInBlock(const Thread &thread) const {
    return {blocks, block, thread.number, blockEpoch, thread.warpEpoch};
  }
  bool isShared(const void *address) const {
    return address >= sharedMemory && address < sharedMemory + sharedBytes;
  }
  uint64_t sharedOffset(const void *address) const {
    return static_cast<uint64_t>(static_cast<const unsigned char *>(address) - sharedMemory);
  }
  void noteBanks(Banks::Request request, const Thread &thread, const void *address, uint32_t bytes,
                 uint32_t site) {
    if (block == 0 && isShared(address))
      banks.note(request, site, thread.number, sharedOffset(address), bytes);
  }
  void access(Thread &thread, const void *address, uint32_t bytes, uint32_t site, Shadow::Kind kind);
  std::string checkShared(const Thread &thread, const void *address, uint32_t bytes, Shadow::Kind kind);
  std::string checkDevice(const Who &who, const unsigned char *address, uint32_t bytes, Shadow::Kind kind);
  void wait(Thread &thread, Waits what);
  /// In a fibre: the launch ends here, and the fibre is left where it is.
  void stop(const Thread &thread, const std::string &what, Outcome why);
  void report(const std::string &what, Outcome why);
  bool skips(uint32_t site);
  void notePasses();

  DeviceMemory &memory;
  Fibres fibres;
  Shadow sharedShadow{/*keepsValues=*/false};
  unsigned char *sharedMemory;
  uint32_t launches = 0, blocks = 0;

  // The launch that runs, and how far it is.
  const dlc_simt_kernel *kernel = nullptr;
  std::vector<uint64_t> arguments;
  std::vector<void *> parameters;
  uint32_t grid = 0, blockSize = 0, block = 0, blockEpoch = 0;
  std::vector<Thread> threads;
  std::vector<uint64_t> passes; ///< of each place of `barriers`
  bool isDropping = false;      ///< a place of this kernel
  Outcome outcome = Outcome::done;
};

} // namespace dlc::simt

#endif

//===- Products.cpp - products of warp groups that run beside their threads ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX's wgmma with bf16 and f16. Here each thread multiplies for its own sums, at one of the times at which a
// GPU may read the operands: when the product is begun, or at the end of the wait for it. In between the
// kernel has placeholders, which are no numbers, in the place of sums. Descriptors and places are as the PTX
// ISA says
// ("Matrix-descriptor format", "Strides", "Register fragments").
//===----------------------------------------------------------------------===//
#include "tools/simt/Launch.h"
#include "tools/simt/Numbers.h"

#include <cstring>

namespace dlc::simt {

namespace {

constexpr uint32_t steps = 16, bytesOfNumber = 2;
constexpr uint32_t mostColumns = 64; ///< of a thread, of 256 of a product

/// An operand in shared memory.
class Operand {
public:
  Operand(const unsigned char *memory, uint64_t descriptor, bool bySteps) : memory(memory), bySteps(bySteps) {
    auto field = [&](int bit, uint64_t bits) { return (descriptor >> bit & ((1u << bits) - 1)) << 4; };
    start = field(0, 14);
    first = field(16, 14);
    second = field(32, 14);
    const uint64_t mode = descriptor >> 62;
    rowBytes = mode ? 256u >> mode : 0;
  }

  bool isKnown() const { return rowBytes; }
  const unsigned char *at(uint64_t position, uint64_t step) const {
    const uint64_t inRow = rowBytes / bytesOfNumber;
    uint64_t place = bySteps ? position / 8 * second + position % 8 * rowBytes + step * bytesOfNumber
                             : position / inRow * first + position % inRow * bytesOfNumber +
                                   step / 8 * second + step % 8 * rowBytes;
    place += start;
    return memory + (place ^ (place >> 7 & (rowBytes / 16 - 1)) << 4);
  }
  /// So many numbers from each multiple of that on lie side by side, along steps.
  uint64_t together() const { return bySteps ? 8 : 1; }
  /// The numbers of all steps, each `stride` after the one before.
  void read(uint32_t dtype, uint64_t position, float *numbers, uint32_t stride = 1) const {
    uint16_t halves[steps];
    for (uint32_t step = 0; step < steps; step += static_cast<uint32_t>(together()))
      memcpy(halves + step, at(position, step), together() * sizeof *halves);
    for (uint32_t step = 0; step < steps; ++step)
      numbers[step * stride] = numberOf(dtype, halves[step]);
  }

private:
  const unsigned char *memory;
  bool bySteps;
  uint64_t start, first, second, rowBytes;
};

/// No number: which sum of which product it stands for is in its bits.
constexpr uint32_t placeholders = 0x7fd00000, sumBits = 8;

float placeholderOf(uint32_t sums, uint32_t number) {
  const uint32_t bits = placeholders | sums << sumBits | number;
  return fromBits(bits);
}

/// Which sums it stands for, or -1.
int64_t sumsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits >> 20 == placeholders >> 20 ? int64_t{(bits ^ placeholders) >> sumBits} : -1;
}

/// A thread has sums of two rows, of four neighbours the first two of the first row.
uint32_t columnsOf(const std::vector<float> &sums) { return static_cast<uint32_t>(sums.size() / 2); }

/// The positions of the two rows, and of a column.
uint32_t rowPosition(uint32_t thread, uint32_t row) {
  return thread % 128 / warpSize * 16 + thread % warpSize / 4 + 8 * row;
}
uint32_t columnPosition(uint32_t thread, uint32_t column) {
  return column / 2 * 8 + thread % 4 * 2 + column % 2;
}

} // namespace

void Machine::showToProducts(const dlc_simt *calls, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (!thread.machine->skips(site))
    thread.machine->sharedShadow.show(thread.machine->whoIsInBlock(thread));
}

void Machine::beginProducts(const dlc_simt *calls, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (!thread.machine->skips(site))
    thread.mayMultiply = true;
}

void Machine::multiply(const dlc_simt *calls, uint32_t dtype, uint64_t left, uint64_t right,
                       uint32_t leftBySteps, uint32_t rightBySteps, float *sums, uint32_t count,
                       uint32_t site) {
  Thread &thread = threadOf(calls);
  Machine &machine = *thread.machine;
  if (!thread.mayMultiply)
    machine.stop(thread, "begins a product (number " + std::to_string(site) + ") with no fence before it",
                 Outcome::failed);
  if (count > 2 * mostColumns)
    machine.stop(thread, "begins a product (number " + std::to_string(site) + ") of more than 256 columns",
                 Outcome::failed);
  // Lanes come together; that warps do, a GPU does not ask.
  thread.mask = UINT32_MAX;
  thread.site = site;
  machine.wait(thread, Waits::product);
  int64_t known = sumsOf(sums[0]);
  if (known < 0) {
    known = static_cast<int64_t>(thread.sums.size());
    thread.sums.emplace_back(sums, sums + count);
  }
  const auto number = static_cast<uint32_t>(known);
  const bool wereBegun = sumsOf(sums[0]) >= 0;
  for (uint32_t i = 0; wereBegun && i < count; ++i) {
    const float placeholder = placeholderOf(number, i);
    if (memcmp(&sums[i], &placeholder, sizeof placeholder) != 0)
      machine.stop(thread,
                   "adds a product (number " + std::to_string(site) +
                       ") to sums that were changed, or looked at, before products had been waited for",
                   Outcome::failed);
  }
  for (uint32_t i = 0; i < count; ++i)
    sums[i] = placeholderOf(number, i);
  machine.begin(thread,
                {dtype, left, right, leftBySteps != 0, rightBySteps != 0, number, thread.productGroup}, site);
}

/// What a thread's lane reads of the operands for its warp: of the lanes that have the same rows, and of
/// those that have the same columns, the first.
template <typename Read>
void forOperands(uint32_t thread, uint32_t columns, const Operand &left, const Operand &right, Read read) {
  auto readAll = [&](const Operand &operand, uint32_t position) {
    for (uint64_t step = 0; step < steps; step += operand.together())
      read(operand.at(position, step), static_cast<uint32_t>(operand.together() * bytesOfNumber));
  };
  for (uint32_t row = 0; thread % 4 == 0 && row < 2; ++row)
    readAll(left, rowPosition(thread, row));
  for (uint32_t column = 0; thread % warpSize < 4 && column < columns; ++column)
    readAll(right, columnPosition(thread, column));
}

void Machine::begin(Thread &thread, const Product &product, uint32_t site) {
  const Operand left(sharedMemory, product.left, product.leftBySteps);
  const Operand right(sharedMemory, product.right, product.rightBySteps);
  std::string wrong = left.isKnown() && right.isKnown() ? "" : "in rows of no length";
  forOperands(thread.number, columnsOf(thread.sums[product.sums]), left, right,
              [&](const unsigned char *address, uint32_t bytes) {
                if (wrong.empty())
                  wrong = checkShared(thread, address, bytes, Shadow::productReads);
              });
  if (!wrong.empty())
    stop(thread, "multiplies (product " + std::to_string(site) + ") what lies " + wrong, Outcome::failed);
  if (copiesAtOnce)
    compute(thread, product);
  thread.products.push_back(product);
}

void Machine::compute(Thread &thread, const Product &product) const {
  std::vector<float> &sums = thread.sums[product.sums];
  const Operand left(sharedMemory, product.left, product.leftBySteps);
  const Operand right(sharedMemory, product.right, product.rightBySteps);
  const uint32_t columns = columnsOf(sums),
                 computed = (columns + columnsAtOnce - 1) / columnsAtOnce * columnsAtOnce;
  float rows[2][steps], numbers[steps * mostColumns] = {}, results[2][mostColumns] = {};
  auto forSums = [&](auto change) {
    for (uint32_t column = 0; column < columns; ++column)
      for (uint32_t row = 0; row < 2; ++row)
        change(sums[column / 2 * 4 + row * 2 + column % 2], results[row][column]);
  };
  for (uint32_t column = 0; column < columns; ++column)
    right.read(product.dtype, columnPosition(thread.number, column), numbers + column, mostColumns);
  forSums([](float of, float &result) { result = of; });
  for (uint32_t row = 0; row < 2; ++row) {
    left.read(product.dtype, rowPosition(thread.number, row), rows[row]);
    addProducts(rows[row], numbers, steps, mostColumns, results[row], computed);
  }
  forSums([](float &of, float result) { of = result; });
}

void Machine::end(Thread &thread, const Product &product) {
  if (!copiesAtOnce)
    compute(thread, product);
  forOperands(thread.number, columnsOf(thread.sums[product.sums]),
              Operand(sharedMemory, product.left, product.leftBySteps),
              Operand(sharedMemory, product.right, product.rightBySteps),
              [&](const unsigned char *address, uint32_t bytes) {
                sharedShadow.endRead(sharedOffset(address), bytes, whoIsInBlock(thread));
              });
}

void Machine::endProducts(const dlc_simt *calls, uint32_t site) {
  Thread &thread = threadOf(calls);
  if (!thread.machine->skips(site))
    ++thread.productGroup;
}

void Machine::finishProducts(Thread &thread, uint32_t runningGroups) {
  while (!thread.products.empty() && thread.products.front().group + runningGroups < thread.productGroup) {
    end(thread, thread.products.front());
    thread.products.pop_front();
  }
  if (thread.products.empty())
    thread.mayMultiply = false; // sums may be in registers now
}

void Machine::waitForProducts(const dlc_simt *calls, uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.machine->finishProducts(thread, thread.machine->skips(site));
}

void Machine::results(const dlc_simt *calls, float *sums, uint32_t count, uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.machine->finishProducts(thread, thread.machine->skips(site));
  if (!thread.products.empty())
    return; // what is left are placeholders
  for (uint32_t i = 0; i < count; ++i)
    if (const int64_t known = sumsOf(sums[i]); known >= 0) {
      uint32_t bits;
      memcpy(&bits, &sums[i], sizeof bits);
      sums[i] = thread.sums[static_cast<size_t>(known)][bits & ((1u << sumBits) - 1)];
    }
}

} // namespace dlc::simt

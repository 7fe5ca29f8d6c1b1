//===- Random.cpp - random numbers ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Random numbers from Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011),
// as the ODS texts of nn.dropout and nn.random_uniform fix them.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

#include <array>
#include <cmath>

namespace dlc::interpret {
namespace {

/// The four words of Philox4x32-10 for a counter and a key.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  constexpr uint64_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
  constexpr uint32_t weyl0 = 0x9E3779B9, weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    uint64_t product0 = multiplier0 * counter[0], product1 = multiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

uint32_t lowWord(int64_t number) { return static_cast<uint32_t>(number); }
uint32_t highWord(int64_t number) { return static_cast<uint32_t>(static_cast<uint64_t>(number) >> 32); }

/// The 16 bits of element `i` of a tensor, which may be a part of a larger one.
uint32_t randomBits(const Tensor &rng, int64_t stream, llvm::ArrayRef<int64_t> shape, int64_t i) {
  int64_t seed = rng.ints[0], draws = rng.ints[1], columns = shape.empty() ? 1 : shape.back();
  int64_t row = i / columns, column = i % columns;
  if (rng.ints.size() == 3 && shape.size() == 1)
    column += rng.ints[2];
  else if (rng.ints.size() == 3 && !shape.empty()) {
    int64_t rowsBelow = 1; // of one position of the first dim
    for (int64_t size : shape.drop_front().drop_back())
      rowsBelow *= size;
    row += rng.ints[2] * rowsBelow;
  }
  const int64_t half = row % 8;
  auto words = philox({lowWord(row / 8 * columns + column), lowWord(stream), lowWord(draws), highWord(draws)},
                      {lowWord(seed), highWord(seed)});
  return (words[half / 2] >> (16 * (half % 2))) & 0xffff;
}

} // namespace

bool evaluateRandom(Evaluation &e) {
  if (auto uniform = mlir::dyn_cast<nn::RandomUniformOp>(e.getOperation())) {
    const Tensor &rng = e.of(uniform.getRng());
    Tensor &y = e.result();
    for (int64_t i = 0; i < y.size(); ++i) {
      uint32_t upper = randomBits(rng, uniform.getStream(), y.shape, i),
               lower = randomBits(rng, uniform.getStream() + 1, y.shape, i);
      y.floats[i] = std::ldexp((upper << 7 | lower >> 9) + 0.5, -23);
    }
    return true;
  }
  auto op = mlir::dyn_cast<nn::DropoutOp>(e.getOperation());
  if (!op)
    return false;
  const Tensor &x = e.of(op.getX()), &rng = e.of(op.getRng());
  double ratio = op.getRatio().convertToDouble();
  auto threshold = static_cast<uint32_t>(std::lround(ratio * 65536));
  for (int64_t i = 0; i < x.size(); ++i) {
    bool isKept = randomBits(rng, op.getStream(), x.shape, i) >= threshold;
    e.result().floats[i] = isKept ? x.floats[i] / (1 - ratio) : x.floats[i] * 0;
  }
  return true;
}

} // namespace dlc::interpret

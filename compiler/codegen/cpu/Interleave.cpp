//===- Interleave.cpp - rows in vectors to columns in vectors, and back ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Works by the prime factors of the row's size: eight columns are 2 x 2 x 2, so each of the eight vectors
// takes part in three shuffles instead of seven.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Interleave.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

static int64_t smallestFactor(int64_t n) {
  int64_t factor = 2;
  while (n % factor != 0)
    ++factor;
  return factor;
}

/// Makes one vector of the lanes of several: `source(lane)` is the vector and the lane in it.
static Value pick(Builder &b, ArrayRef<Value> vectors,
                  llvm::function_ref<std::pair<int64_t, int64_t>(int64_t)> source) {
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  Value picked = vectors[0];
  for (int64_t v = 1; v < int64_t(vectors.size()); ++v) {
    SmallVector<int64_t> mask(lanes);
    for (int64_t lane = 0; lane < lanes; ++lane) {
      auto [from, place] = source(lane);
      // Lanes of later vectors are filled in by later shuffles.
      mask[lane] = from == v ? lanes + place : from == 0 && v == 1 ? place : lane;
    }
    picked = vector::ShuffleOp::create(b, picked, vectors[v], mask);
  }
  return picked;
}

Values columnsOfRows(Builder &b, Values vectors) {
  int64_t columns = vectors.size();
  if (columns == 1)
    return vectors;
  int64_t lanes = cast<VectorType>(vectors[0].getType()).getNumElements();
  int64_t factor = smallestFactor(columns), rest = columns / factor;
  // Takes every `factor`-th element, from each of the first `factor` on: rows of `rest` columns.
  Values result(columns);
  for (int64_t first = 0; first < factor; ++first) {
    Values every;
    for (int64_t group = 0; group < rest; ++group)
      every.push_back(pick(b, ArrayRef<Value>(vectors).slice(group * factor, factor), [&](int64_t lane) {
        int64_t position = lane * factor + first;
        return std::pair(position / lanes, position % lanes);
      }));
    for (auto [column, vector] : llvm::enumerate(columnsOfRows(b, every)))
      result[first + factor * column] = vector;
  }
  return result;
}

Values rowsOfColumns(Builder &b, Values columns) {
  int64_t count = columns.size();
  if (count == 1)
    return columns;
  int64_t lanes = cast<VectorType>(columns[0].getType()).getNumElements();
  int64_t factor = smallestFactor(count), rest = count / factor;
  SmallVector<Values> every; ///< [first][group]
  for (int64_t first = 0; first < factor; ++first) {
    Values some;
    for (int64_t column = 0; column < rest; ++column)
      some.push_back(columns[first + factor * column]);
    every.push_back(rowsOfColumns(b, some));
  }
  Values result;
  for (int64_t group = 0; group < rest; ++group) {
    Values sources;
    for (const Values &some : every)
      sources.push_back(some[group]);
    for (int64_t v = 0; v < factor; ++v)
      result.push_back(pick(b, sources, [&](int64_t lane) {
        int64_t position = v * lanes + lane;
        return std::pair(position % factor, position / factor);
      }));
  }
  return result;
}

/// In step s, blocks of s elements are exchanged between the rows i and
/// i + s, so that after log2(lanes) steps element k of row i has become element i of row k.
void transposeSquare(Builder &b, Values &rows) {
  int64_t lanes = rows.size();
  for (int64_t s = 1; s < lanes; s *= 2) {
    SmallVector<int64_t> low(lanes), high(lanes);
    for (int64_t k = 0; k < lanes; ++k) {
      bool odd = k & s;
      low[k] = odd ? lanes + k - s : k;
      high[k] = odd ? lanes + k : k + s;
    }
    for (int64_t i = 0; i < lanes; ++i) {
      if (i & s)
        continue;
      Value x = rows[i], y = rows[i + s];
      rows[i] = vector::ShuffleOp::create(b, x, y, low);
      rows[i + s] = vector::ShuffleOp::create(b, x, y, high);
    }
  }
}

} // namespace dlc::codegen

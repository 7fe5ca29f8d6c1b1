//===- PipelinedRows.cpp - epilogues inside the next tile's reduction ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimizer's update after a weight gradient moves three numbers for each number that was summed. If it
// ran after the reduction, it would wait for memory while the multipliers are idle. Therefore the sums of a
// tile are kept in a small buffer, and the update of one vector of them is interleaved with every few steps
// of the next tile's reduction.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/TileCode.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class PipelinedRows {
public:
  PipelinedRows(KernelFunction &kernel, TileCode &code, llvm::function_ref<RegisterTile(Index)> tileAt)
      : b(kernel.builder()), code(code), tileAt(tileAt), rows(code.loops.shape().getRows()),
        steps(code.epilogue.pipeline()) {}
  void emit(Range range);

private:
  void reduceOver(Index first);
  Values stepsFrom(const RegisterTile &tile, Index position, Values sums);
  void epilogueOfRow(Index tile, Index row, llvm::function_ref<void(int64_t)> stepsOf);

  Builder &b;
  TileCode &code;
  llvm::function_ref<RegisterTile(Index)> tileAt;
  int64_t rows, steps;
  std::optional<WaitingSums> waiting;
};

/// Emits the epilogue of row `row` of the tile whose first row is `first`; `stepsOf` emits steps of k before
/// that of each vector, or between its two stages.
void PipelinedRows::epilogueOfRow(Index first, Index row, llvm::function_ref<void(int64_t)> stepsOf) {
  RegisterTile tile = tileAt(add(b, first, row));
  for (int64_t v = 0; v < tile.vectors; ++v) {
    auto sums = [&] { return waiting->load(row, v); };
    if (code.epilogue.hasStages()) {
      Values carried = code.epilogue.firstStageAt(tile.at(0, v), sums());
      stepsOf(v);
      code.epilogue.secondStageAt(tile.at(0, v), carried);
      continue;
    }
    stepsOf(v);
    code.epilogue.emitAt(tile.at(0, v), sums());
  }
}

/// Emits the steps of k between two vectors of the epilogue, as a loop where they are many.
Values PipelinedRows::stepsFrom(const RegisterTile &tile, Index position, Values sums) {
  int64_t straight = steps % 2 == 0 ? 2 : 1;
  auto some = [&](Index at, Values carried) { return code.steps(tile, at, straight, carried); };
  return steps <= straight ? some(position, sums)
                           : forRolled(b, position, position + steps, straight, sums, some);
}

/// Emits the reduction of the tile whose first row is `first`, with the epilogue of the tile before in its
/// first steps; then stores its sums. What its own epilogue will read is prefetched meanwhile.
void PipelinedRows::reduceOver(Index first) {
  RegisterTile tile = tileAt(first);
  int64_t perRow = tile.vectors * steps, covered = rows * perRow;
  // Loops, not straight code: unrolled, the accumulators would not stay in registers.
  Values sums = forRolled(b, Index(0), Index(rows), 1, code.initialize(tile), [&](Index row, Values carried) {
    Index position = mul(b, row, perRow);
    RegisterTile ofRow = tileAt(add(b, first, row));
    epilogueOfRow(first + (-rows), row, [&](int64_t vector) {
      code.prefetcher.epilogueAt(ofRow.at(0, vector), /*isLastOfRow=*/vector + 1 == tile.vectors);
      carried = stepsFrom(tile, position + vector * steps, carried);
    });
    return carried;
  });
  code.keep(tile, code.reduceFrom(tile, covered, sums), *waiting);
}

void PipelinedRows::emit(Range range) {
  RegisterTile first = tileAt(range.low);
  waiting.emplace(code.epilogue.waitingSums(first.vectors));
  code.keep(first, code.reduce(first, code.initialize(first)), *waiting);
  forLoop(b, range.low + rows, range.high, rows, [&](Index row) { reduceOver(row); });
  forRolled(b, Index(0), Index(rows), 1, {}, [&](Index row, Values) {
    epilogueOfRow(range.high + (-rows), row, [](int64_t) {});
    return Values();
  });
}

} // namespace

void emitPipelinedRows(KernelFunction &kernel, TileCode &code, Range range,
                       llvm::function_ref<RegisterTile(Index)> tileAt) {
  PipelinedRows(kernel, code, tileAt).emit(range);
}

} // namespace dlc::codegen

//===- Epilogue.h - what follows the sums of a register tile ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_EPILOGUE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_EPILOGUE_H

#include "compiler/codegen/cpu/contraction/TileCore.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/machine/cpu/EpilogueStages.h"
#include "compiler/machine/cpu/RandomMasks.h"

namespace dlc::codegen {

/// Stores the sums of a tile, and computes what the kernel makes of them. Owns what is decided at random
/// before the tiles run: eight rows of a matrix share their random words, and tiles of six rows would compute
/// most of them twice. So a column of tiles may decide first, for all its rows, and keep one bit of each
/// element.
class Epilogue {
public:
  Epilogue(KernelFunction &kernel, const TileLoops &loops);

  /// Emits the epilogue of a tile whose sums a core has.
  void emit(const RegisterTile &tile, const Values &sums, TileCore &core);
  /// Emits it at one point.
  void emitAt(const Point &point, mlir::Value sum) { emitAt(point, sum, nullptr, {}); }
  /// Whether the epilogue at a point is cut in two. The first stage returns the values that the second needs.
  bool hasStages() const { return form.getStages() == 2; }
  Values firstStageAt(const Point &point, mlir::Value sum);
  void secondStageAt(const Point &point, const Values &carried);
  /// Steps of the next tile's reduction for each vector, where the epilogue runs inside of it.
  int64_t pipeline() const { return form.getPipeline(); }
  /// Allocates memory for the sums of whole tiles that are `vectors` wide.
  WaitingSums waitingSums(int64_t vectors);

  /// Whether a column of tiles decides first what is random.
  bool decidesFirst() const { return form.getMasks(); }
  /// Decides it for a range of rows, a group of eight aligned rows at a time.
  void makeMasks(const Range &rows, llvm::function_ref<RegisterTile(Index)> groupAt);

private:
  void emitAt(const Point &point, mlir::Value sum, RandomWords *words, const Values &decided);
  /// Emits the epilogue of neighbouring vectors of a row as one.
  void emitSideBySide(const RegisterTile &tile, const Values &sums, TileCore &core);
  /// Loads an operand of an epilogue's operation, which is not in a register, at a point of its loops.
  mlir::Value argumentAt(mlir::linalg::GenericOp op, mlir::OpOperand &operand, const Point &here);
  void storeResult(mlir::linalg::GenericOp op, unsigned result, const Point &point, mlir::Value value);
  /// Stores those results of the epilogue that its second stage computes (`late`), or the others.
  void storeResults(mlir::linalg::GenericOp epilogue, const cpu::EpilogueStages &stages, bool late,
                    const Point &here, const mlir::IRMapping &values);
  /// The address of a mask, and the masks of a point that is in this vector of the tile.
  mlir::Value addressOfMask(size_t mask, Index row, int64_t vector, int64_t lanes);
  Values masksAtPoint(const Point &point, int64_t vector);

  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  const TileLoops &loops;
  cpu::EpilogueAttr form;
  int64_t row;                           ///< the loop of a tile's rows
  std::optional<cpu::RandomMasks> masks; ///< made before the tiles; null where tiles decide themselves
  mlir::Value masksAt;                   ///< [mask][row][vector], a bit for each lane
  int64_t maskRows = 0;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_EPILOGUE_H

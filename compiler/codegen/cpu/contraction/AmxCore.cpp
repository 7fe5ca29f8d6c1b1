//===- AmxCore.cpp - sums in the tile registers of a matrix unit -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX has eight registers of 16 rows of 64 bytes, and an instruction that adds the products of 16 rows of 32
// elements of bf16 and 16 columns of as many to 16 x 16 sums. Four registers have the sums of a tile of 32 x
// 32, two the rows of a step, and two its columns, so that each is used twice. Nothing moves between these
// and vector registers: sums begin and end in memory, on the stack. Registers are numbers in the
// instructions, which LLVM neither moves nor spills.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/TileCore.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

using cpu::tileSide;

class AmxCore : public TileCore {
public:
  AmxCore(KernelFunction &kernel, TileOperands &operands);

  bool takesAnyRows() const override { return true; }
  void enter() override;
  void leave() override { instruction("tilerelease", {}); }
  Values begin(const RegisterTile &tile, bool areZero,
               llvm::function_ref<Value(const Point &)> startAt) override;
  Values multiply(const RegisterTile &tile, Values sums) override;
  void keep(const RegisterTile &tile, const Values &sums, WaitingSums &waiting) override;
  void drain(const RegisterTile &tile, const Values &sums,
             llvm::function_ref<void(const Point &, int64_t, Value)> body) override;

private:
  /// Tile registers hold the sums first, then the rows' elements, then the columns'.
  static int64_t sum(int64_t down, int64_t across) { return 2 * down + across; }
  static int64_t ofRows(int64_t down) { return 4 + down; }
  static int64_t ofColumns(int64_t across) { return 6 + across; }
  int64_t registersDown() const { return shape().getRows() / tileSide; }

  void instruction(StringRef name, ValueRange arguments);
  Value number(int64_t tile) { return LLVM::ConstantOp::create(b, b.getI8Type(), b.getI8IntegerAttr(tile)); }
  void load(int64_t tile, Value address, int64_t bytesBetweenRows) {
    instruction("tileloadd64", {number(tile), address, constantI64(b, bytesBetweenRows)});
  }
  /// All registers have 16 rows of 64 bytes; but those of the tile's rows have `rows`, where that is given.
  void configure(std::optional<Index> rows = std::nullopt);
  /// Whether a tile reads fewer rows than registers have: packed copies have room for all.
  bool readsFewerRows(const RegisterTile &tile) const { return tile.inside && !operands.rows; }
  void forRows(const RegisterTile &tile, llvm::function_ref<void(Index row)> body);
  Point pointAt(const RegisterTile &tile, Index row, int64_t vector);

  Value configuration;
  WaitingSums room; ///< for the sums before and after the reduction
};

AmxCore::AmxCore(KernelFunction &kernel, TileOperands &operands)
    : TileCore(kernel, operands), room(b, kernel.entry(), b.getF32Type(), shape().getRows(),
                                       shape().getVectors(), scheduleOf(kernel).getLanes()) {
  constexpr int64_t bytes = 64;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&kernel.entry());
  configuration = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
                                         constantI64(b, bytes), bytes);
}

void AmxCore::instruction(StringRef name, ValueRange arguments) {
  LLVM::CallIntrinsicOp::create(b, b.getStringAttr("llvm.x86." + name), arguments);
}

void AmxCore::configure(std::optional<Index> rows) {
  constexpr int64_t registers = 8, widths = 16, heights = 48, rowBytes = 64;
  SmallVector<int8_t> bytes(rowBytes, 0);
  bytes[0] = 1; // the palette
  for (int64_t tile = 0; tile < registers; ++tile) {
    bytes[widths + 2 * tile] = rowBytes; // numbers of 16 bits
    bytes[heights + tile] = tileSide;
  }
  auto type = VectorType::get({rowBytes}, b.getI8Type());
  Value whole = arith::ConstantOp::create(b, DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes)));
  LLVM::StoreOp::create(b, whole, configuration, rowBytes);
  if (rows) {
    // A register has at least one row: where the lower ones have none, that one is computed for nothing.
    Index above = min(b, *rows, Index(tileSide));
    Index below = onWhole<arith::MaxSIOp>(b, *rows + (-tileSide), Index(1));
    for (int64_t down = 0; down < registersDown(); ++down)
      for (int64_t tile : {sum(down, 0), sum(down, 1), ofRows(down)}) {
        Value count = arith::TruncIOp::create(b, b.getI8Type(), (down == 0 ? above : below).materialize(b));
        LLVM::StoreOp::create(b, count, pointerAt(b, configuration, Index(heights + tile)));
      }
  }
  instruction("ldtilecfg", {configuration});
}

void AmxCore::enter() { configure(); }

Point AmxCore::pointAt(const RegisterTile &tile, Index row, int64_t vector) {
  Point point = tile.at(0, vector);
  point.loops[shape().getRow()] = add(b, point.loops[shape().getRow()], row);
  return point;
}

void AmxCore::forRows(const RegisterTile &tile, llvm::function_ref<void(Index row)> body) {
  forRolled(b, Index(0), tile.inside.value_or(Index(tile.rows)), 1, {}, [&](Index row, const Values &) {
    body(row);
    return Values();
  });
}

Values AmxCore::begin(const RegisterTile &tile, bool areZero,
                      llvm::function_ref<Value(const Point &)> startAt) {
  if (readsFewerRows(tile))
    configure(tile.inside);
  if (!areZero)
    forRows(tile, [&](Index row) {
      for (int64_t vector = 0; vector < tile.vectors; ++vector)
        room.store(row, vector, startAt(pointAt(tile, row, vector)));
    });
  for (int64_t down = 0; down < registersDown(); ++down)
    for (int64_t across = 0; across < tile.vectors; ++across) {
      if (areZero)
        instruction("tilezero", {number(sum(down, across))});
      else
        load(sum(down, across), room.address(down * tileSide, across), room.bytesBetweenRows());
    }
  return {};
}

Values AmxCore::multiply(const RegisterTile &tile, Values) {
  const Point &first = tile.at(0, 0);
  for (int64_t across = 0; across < tile.vectors; ++across)
    load(ofColumns(across), operands.columns->addressAt(tile.columnsAt, first, across * tileSide),
         operands.columns->bytesBetweenTileRows());
  for (int64_t down = 0; down < registersDown(); ++down) {
    if (operands.rows) {
      load(ofRows(down), operands.rows->addressAt(tile.rowsAt, first, down * tileSide),
           operands.rows->bytesBetweenTileRows());
      continue;
    }
    OpOperand &operand = cpu::operandAlong(root, shape().getRow(), shape().getLane());
    Access access(b, *kernel.memoryOf(operand.get()), root.getMatchingIndexingMap(&operand));
    Index row(down * tileSide);
    if (down > 0 && tile.inside) { // the one row of a register that has none
      Value rows = tile.inside->materialize(b), before = row.materialize(b);
      Value exists = arith::CmpIOp::create(b, arith::CmpIPredicate::sgt, rows, before);
      row = Index(arith::SelectOp::create(b, exists, before, constantI64(b, 0)).getResult());
    }
    constexpr int64_t elementBytes = 2;
    load(ofRows(down), access.address(b, pointAt(tile, row, 0)),
         elementBytes * *access.stride(shape().getRow()));
  }
  for (int64_t down = 0; down < registersDown(); ++down)
    for (int64_t across = 0; across < tile.vectors; ++across)
      instruction("tdpbf16ps", {number(sum(down, across)), number(ofRows(down)), number(ofColumns(across))});
  return {};
}

void AmxCore::keep(const RegisterTile &tile, const Values &, WaitingSums &waiting) {
  for (int64_t down = 0; down < registersDown(); ++down)
    for (int64_t across = 0; across < tile.vectors; ++across)
      instruction("tilestored64", {number(sum(down, across)), waiting.address(down * tileSide, across),
                                   constantI64(b, waiting.bytesBetweenRows())});
  if (readsFewerRows(tile))
    configure();
}

void AmxCore::drain(const RegisterTile &tile, const Values &sums,
                    llvm::function_ref<void(const Point &, int64_t, Value)> body) {
  keep(tile, sums, room);
  forRows(tile, [&](Index row) {
    for (int64_t vector = 0; vector < tile.vectors; ++vector)
      body(pointAt(tile, row, vector), vector, room.load(row, vector));
  });
}

} // namespace

std::unique_ptr<TileCore> amxCore(KernelFunction &kernel, TileOperands &operands) {
  return std::make_unique<AmxCore>(kernel, operands);
}

} // namespace dlc::codegen

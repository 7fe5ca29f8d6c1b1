//===- Mma.cpp - contractions on tensor cores ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of bf16, or of f32 that was rounded to tf32, whose products the warps of a block compute with
// PTX's mma.sync: 16 rows by 8 columns in 16 (tf32: 8) steps. Each lane has a few elements of these matrices
// in words of 32 bits, two of bf16 or one of tf32; in shared memory the words of a row or column lie one
// after the other, so that a lane reads its own, and lanes of a warp read from all banks.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Contraction.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/target/GpuTarget.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// Of an mma: rows, columns, and the words of its steps.
constexpr int64_t mmaRows = 16, mmaColumns = 8, mmaWords = 8;

class MmaCode : public ContractionCode {
public:
  MmaCode(KernelFunction &kernel, dlc::gpu::MmaAttr form)
      : ContractionCode(kernel, {form.getRows(), form.getColumns(), form.getSteps()}), form(form),
        isBf16(getElementTypeOrSelf(root.getDpsInputOperand(0)->get().getType()).isBF16()) {}

private:
  int64_t perWord() const { return isBf16 ? 2 : 1; }
  int64_t words() const { return form.getSteps() / perWord(); }
  int64_t down() const { return form.getWarpRows() / mmaRows; }
  int64_t across() const { return form.getWarpColumns() / mmaColumns; }

  void placeThread() override;
  Memory place(StringRef name, int64_t size, Memory &source) override;
  int64_t sumsOfThread() const override { return down() * across() * 4; }
  std::pair<Index, Index> placeOfSum(int64_t i) override;
  Values multiply(Values sums) override;
  Value word(const Side &side, Index position, int64_t word);

  dlc::gpu::MmaAttr form;
  bool isBf16;
  Index row, column;    ///< of the warp's part of the tile: the first
  Index group, inGroup; ///< of the lane, as the PTX manual has them
};

void MmaCode::placeThread() {
  Index warp = divide(b, thread, GpuTarget::warp), lane = remainder(b, thread, GpuTarget::warp);
  int64_t warpsAcross = form.getColumns() / form.getWarpColumns();
  row = mul(b, divide(b, warp, warpsAcross), form.getWarpRows());
  column = mul(b, remainder(b, warp, warpsAcross), form.getWarpColumns());
  group = divide(b, lane, 4);
  inGroup = remainder(b, lane, 4);
}

/// Positions by words; the padding spreads the rows that a warp reads over the banks.
Memory MmaCode::place(StringRef name, int64_t size, Memory &source) {
  if (isBf16) // bits are brought as they are
    source.element = b.getI16Type();
  int64_t pitch = (words() + form.padding) * perWord();
  Memory memory = sharedMemory(kernel, name, source.element, {size, pitch});
  memory.strides = {Index(1), Index(pitch)};
  return memory;
}

std::pair<Index, Index> MmaCode::placeOfSum(int64_t i) {
  int64_t tile = i / 4, r = tile / across() * mmaRows, c = tile % across() * mmaColumns;
  Index m = add(b, row, group) + (r + (i % 4 < 2 ? 0 : 8));
  Index n = add(b, column, mul(b, inGroup, 2)) + (c + i % 2);
  return {m, n};
}

Value MmaCode::word(const Side &side, Index position, int64_t word) {
  Memory words{side.memory.pointer, b.getI32Type(), {Index(1), Index(this->words() + form.padding)}};
  return loadAt(b, words, {inGroup + word, position});
}

Values MmaCode::multiply(Values sums) {
  for (int64_t first = 0; first < words(); first += mmaWords) {
    SmallVector<Values> a(down()), c(across());
    for (int64_t r = 0; r < down(); ++r)
      for (int64_t part = 0; part < 4; ++part) // upper and lower rows, then later steps
        a[r].push_back(
            word(left, add(b, row, group) + (r * mmaRows + part % 2 * 8), first + part / 2 * mmaWords / 2));
    for (int64_t n = 0; n < across(); ++n)
      for (int64_t part = 0; part < 2; ++part)
        c[n].push_back(word(right, add(b, column, group) + n * mmaColumns, first + part * mmaWords / 2));
    for (int64_t i = 0; i < down() * across(); ++i) {
      ArrayRef<Value> before = ArrayRef(sums).slice(4 * i, 4);
      llvm::copy(multiplyAdd(b, isBf16, a[i / across()], c[i % across()], before), sums.begin() + 4 * i);
    }
  }
  return sums;
}

} // namespace

void emitMma(KernelFunction &kernel) {
  MmaCode(kernel, cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).mma()).emit();
}

} // namespace dlc::codegen::gpu

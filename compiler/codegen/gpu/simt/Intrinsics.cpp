//===- Intrinsics.cpp - what a GPU's thread does, as calls of the emulator --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, exchanges, copies and products of warp groups are numbered, so that the emulator's messages can
// say which one of the kernel is meant.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/simt/Intrinsics.h"
#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "compiler/codegen/gpu/simt/Products.h"
#include "dlc/abi.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"

using namespace llvm;

namespace dlc::codegen::gpu {
namespace {

class Intrinsics {
public:
  Intrinsics(Function &function, IRBuilder<> &b, Emulator &emulator)
      : function(function), b(b), emulator(emulator) {}
  Error replace();

private:
  enum Low { tf32, bf16, f16 };
  void replaceMma(IntrinsicInst &mma, Low low, uint32_t &shuffles);
  Value *fromHalf(Value *bits);
  void replaceShuffle(IntrinsicInst &shuffle, dlc_simt_shuffle kind, uint32_t site);
  void replaceCopy(IntrinsicInst &copy, uint32_t bytes, uint32_t site);
  void replaceMatrices(IntrinsicInst &load, uint32_t count, bool transposed, uint32_t site);

  Function &function;
  IRBuilder<> &b;
  Emulator &emulator;
};

/// The number of f16 with these bits in a word, by integers: not every machine has instructions for f16.
Value *Intrinsics::fromHalf(Value *bits) {
  Value *size = b.CreateAnd(bits, b.getInt32(0x7fff)), *moved = b.CreateShl(size, 13);
  Value *count = b.CreateFMul(b.CreateSIToFP(size, b.getFloatTy()), ConstantFP::get(b.getFloatTy(), 0x1p-24));
  Value *whole = b.CreateAdd(moved, b.getInt32(112u << 23)),
        *infinite = b.CreateAdd(moved, b.getInt32(224u << 23));
  Value *isSmall = b.CreateICmpULT(size, b.getInt32(0x400)), *small = b.CreateBitCast(count, b.getInt32Ty());
  Value *finite = b.CreateSelect(isSmall, small, whole);
  Value *number = b.CreateSelect(b.CreateICmpULT(size, b.getInt32(0x7c00)), finite, infinite);
  Value *sign = b.CreateShl(b.CreateAnd(bits, b.getInt32(0x8000)), 16);
  return b.CreateBitCast(b.CreateOr(number, sign), b.getFloatTy());
}

/// A product of matrices by a warp. Which elements a lane's words are, the PTX manual says ("Matrix Fragments
/// for mma"): of the left operand, the lanes of a group of four have the same two rows; of the right one, the
/// same column. A lane takes the words of its rows and of its two columns, and adds up four sums.
void Intrinsics::replaceMma(IntrinsicInst &mma, Low low, uint32_t &shuffles) {
  constexpr uint32_t inGroup = 4, words = 2; // of a row or column, each lane of a group has two
  Value *lane = emulator.call(SimtCall::Sreg, b.getInt32Ty(), {b.getInt32(DLC_SIMT_LANE)});
  auto ofLane = [&](Value *word, Value *source) {
    return emulator.call(SimtCall::Shuffle, b.getInt32Ty(),
                         {b.getInt32(DLC_SIMT_INDEX), b.getInt32(UINT32_MAX),
                          b.CreateBitCast(word, b.getInt32Ty()), source, b.getInt32(31),
                          b.getInt32(shuffles++)});
  };
  Value *left[2][inGroup][words], *right[2][inGroup][words]; // by row or column of this lane
  Value *group = b.CreateAnd(lane, b.getInt32(~(inGroup - 1)));
  Value *columns = b.CreateMul(b.CreateAnd(lane, b.getInt32(inGroup - 1)), b.getInt32(2 * inGroup));
  for (uint32_t member = 0; member < inGroup; ++member)
    for (uint32_t word = 0; word < words; ++word)
      for (uint32_t half = 0; half < 2; ++half) {
        left[half][member][word] =
            ofLane(mma.getArgOperand(2 * word + half), b.CreateAdd(group, b.getInt32(member)));
        right[half][member][word] =
            ofLane(mma.getArgOperand(4 + word), b.CreateAdd(columns, b.getInt32(half * inGroup + member)));
      }
  auto numbers = [&](Value *word) -> SmallVector<Value *, 2> {
    if (low == tf32)
      return {b.CreateBitCast(word, b.getFloatTy())};
    if (low == f16)
      return {fromHalf(b.CreateAnd(word, b.getInt32(0xffff))), fromHalf(b.CreateLShr(word, 16))};
    return {b.CreateBitCast(b.CreateShl(word, 16), b.getFloatTy()),
            b.CreateBitCast(b.CreateAnd(word, b.getInt32(0xffff0000)), b.getFloatTy())};
  };
  Value *sums = PoisonValue::get(mma.getType());
  for (uint32_t i = 0; i < 4; ++i) {
    Value *sum = mma.getArgOperand(6 + i);
    for (uint32_t word = 0; word < words; ++word)
      for (uint32_t member = 0; member < inGroup; ++member) {
        const SmallVector<Value *, 2> ofRow = numbers(left[i / 2][member][word]);
        const SmallVector<Value *, 2> ofColumn = numbers(right[i % 2][member][word]);
        for (auto [x, y] : zip_equal(ofRow, ofColumn))
          sum = b.CreateIntrinsic(Intrinsic::fma, {b.getFloatTy()}, {x, y, sum});
      }
    sums = b.CreateInsertValue(sums, sum, i);
  }
  mma.replaceAllUsesWith(sums);
}

/// An exchange of words between lanes.
void Intrinsics::replaceShuffle(IntrinsicInst &shuffle, dlc_simt_shuffle kind, uint32_t site) {
  Value *word = b.CreateBitCast(shuffle.getArgOperand(1), b.getInt32Ty());
  Value *got = emulator.call(SimtCall::Shuffle, b.getInt32Ty(),
                             {b.getInt32(kind), shuffle.getArgOperand(0), word, shuffle.getArgOperand(2),
                              shuffle.getArgOperand(3), b.getInt32(site)});
  shuffle.replaceAllUsesWith(b.CreateBitCast(got, shuffle.getType()));
}

/// A copy to shared memory, with the number of bytes that are read or without, which is all.
void Intrinsics::replaceCopy(IntrinsicInst &copy, uint32_t bytes, uint32_t site) {
  auto plain = [&](unsigned operand) {
    return b.CreateAddrSpaceCast(copy.getArgOperand(operand), b.getPtrTy());
  };
  Value *to = plain(0), *from = plain(1), *all = b.getInt32(bytes);
  Value *read = copy.arg_size() > 2 ? copy.getArgOperand(2) : all;
  emulator.call(SimtCall::Copy, b.getVoidTy(), {to, from, all, read, b.getInt32(site)});
}

/// Matrices of shared memory, of which each lane gets words.
void Intrinsics::replaceMatrices(IntrinsicInst &load, uint32_t count, bool transposed, uint32_t site) {
  auto *array = ArrayType::get(b.getInt32Ty(), count);
  AllocaInst *words;
  {
    IRBuilder<>::InsertPointGuard guard(b);
    b.SetInsertPoint(&function.getEntryBlock(), function.getEntryBlock().begin());
    words = b.CreateAlloca(array);
  }
  Value *row = b.CreateAddrSpaceCast(load.getArgOperand(0), b.getPtrTy());
  emulator.call(SimtCall::LoadMatrices, b.getVoidTy(),
                {row, b.getInt32(count), b.getInt32(transposed), words, b.getInt32(site)});
  Value *result = PoisonValue::get(load.getType()); // a word, or a struct of them
  for (uint32_t i = 0; i < count; ++i) {
    Value *word = b.CreateLoad(b.getInt32Ty(), b.CreateConstInBoundsGEP2_32(array, words, 0, i));
    result = count == 1 ? word : b.CreateInsertValue(result, word, i);
  }
  load.replaceAllUsesWith(result);
}

Error Intrinsics::replace() {
  uint32_t barriers = 0, shuffles = 0, copies = 0;
  for (Instruction &instruction : make_early_inc_range(instructions(function))) {
    if (auto *call = dyn_cast<CallInst>(&instruction);
        call && WarpGroupCalls::isOne(call->getCalledFunction())) {
      replaceProductCall(*call, barriers++, b, emulator);
      continue;
    }
    auto *intrinsic = dyn_cast<IntrinsicInst>(&instruction);
    if (!intrinsic || !intrinsic->getCalledFunction()->getName().starts_with("llvm.nvvm."))
      continue;
    b.SetInsertPoint(intrinsic);
    auto isRegister = [&](dlc_simt_register number) {
      intrinsic->replaceAllUsesWith(emulator.call(SimtCall::Sreg, b.getInt32Ty(), {b.getInt32(number)}));
    };
    switch (intrinsic->getIntrinsicID()) {
    case Intrinsic::nvvm_read_ptx_sreg_tid_x:
      isRegister(DLC_SIMT_THREAD);
      break;
    case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
      isRegister(DLC_SIMT_BLOCK);
      break;
    case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
      isRegister(DLC_SIMT_BLOCK_SIZE);
      break;
    case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
      isRegister(DLC_SIMT_GRID_SIZE);
      break;
    case Intrinsic::nvvm_barrier_cta_sync_aligned_all:
      emulator.call(SimtCall::Barrier, b.getVoidTy(), {b.getInt32(barriers++)});
      break;
    case Intrinsic::nvvm_bar_warp_sync:
      emulator.call(SimtCall::WarpBarrier, b.getVoidTy(),
                    {intrinsic->getArgOperand(0), b.getInt32(barriers++)});
      break;
    case Intrinsic::nvvm_shfl_sync_up_i32:
    case Intrinsic::nvvm_shfl_sync_up_f32:
      replaceShuffle(*intrinsic, DLC_SIMT_UP, shuffles++);
      break;
    case Intrinsic::nvvm_shfl_sync_down_i32:
    case Intrinsic::nvvm_shfl_sync_down_f32:
      replaceShuffle(*intrinsic, DLC_SIMT_DOWN, shuffles++);
      break;
    case Intrinsic::nvvm_shfl_sync_bfly_i32:
    case Intrinsic::nvvm_shfl_sync_bfly_f32:
      replaceShuffle(*intrinsic, DLC_SIMT_XOR, shuffles++);
      break;
    case Intrinsic::nvvm_shfl_sync_idx_i32:
    case Intrinsic::nvvm_shfl_sync_idx_f32:
      replaceShuffle(*intrinsic, DLC_SIMT_INDEX, shuffles++);
      break;
    case Intrinsic::nvvm_cp_async_ca_shared_global_4:
    case Intrinsic::nvvm_cp_async_ca_shared_global_4_s:
      replaceCopy(*intrinsic, 4, copies++);
      break;
    case Intrinsic::nvvm_cp_async_ca_shared_global_8:
    case Intrinsic::nvvm_cp_async_ca_shared_global_8_s:
      replaceCopy(*intrinsic, 8, copies++);
      break;
    case Intrinsic::nvvm_cp_async_ca_shared_global_16:
    case Intrinsic::nvvm_cp_async_ca_shared_global_16_s:
    case Intrinsic::nvvm_cp_async_cg_shared_global_16:
    case Intrinsic::nvvm_cp_async_cg_shared_global_16_s:
      replaceCopy(*intrinsic, 16, copies++);
      break;
    case Intrinsic::nvvm_cp_async_commit_group:
      emulator.call(SimtCall::EndGroup, b.getVoidTy(), {b.getInt32(barriers++)});
      break;
    case Intrinsic::nvvm_cp_async_wait_group:
      emulator.call(SimtCall::WaitForGroups, b.getVoidTy(),
                    {intrinsic->getArgOperand(0), b.getInt32(barriers++)});
      break;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_b16:
      replaceMatrices(*intrinsic, 1, /*transposed=*/false, shuffles++);
      break;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_b16:
      replaceMatrices(*intrinsic, 2, /*transposed=*/false, shuffles++);
      break;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_b16:
      replaceMatrices(*intrinsic, 4, /*transposed=*/false, shuffles++);
      break;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x1_trans_b16:
      replaceMatrices(*intrinsic, 1, /*transposed=*/true, shuffles++);
      break;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x2_trans_b16:
      replaceMatrices(*intrinsic, 2, /*transposed=*/true, shuffles++);
      break;
    case Intrinsic::nvvm_ldmatrix_sync_aligned_m8n8_x4_trans_b16:
      replaceMatrices(*intrinsic, 4, /*transposed=*/true, shuffles++);
      break;
    case Intrinsic::nvvm_ex2_approx_ftz:
      intrinsic->replaceAllUsesWith(b.CreateUnaryIntrinsic(Intrinsic::exp2, intrinsic->getArgOperand(0)));
      break;
    case Intrinsic::nvvm_rcp_approx_ftz_f:
      intrinsic->replaceAllUsesWith(
          b.CreateFDiv(ConstantFP::get(b.getFloatTy(), 1), intrinsic->getArgOperand(0)));
      break;
    case Intrinsic::nvvm_mma_m16n8k16_row_col_bf16:
      replaceMma(*intrinsic, bf16, shuffles);
      break;
    case Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32:
      replaceMma(*intrinsic, f16, shuffles);
      break;
    case Intrinsic::nvvm_mma_m16n8k8_row_col_tf32:
      replaceMma(*intrinsic, tf32, shuffles);
      break;
    default:
      return createStringError("the check without a GPU does not know '" +
                               intrinsic->getCalledFunction()->getName() + "', which the kernel has");
    }
    intrinsic->eraseFromParent();
  }
  return Error::success();
}

} // namespace

Error replaceIntrinsics(Function &function, IRBuilder<> &b, Emulator &emulator) {
  return Intrinsics(function, b, emulator).replace();
}

} // namespace dlc::codegen::gpu

//===- Intrinsics.cpp - what a GPU's thread does, as calls of the emulator --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers, exchanges, copies and products of warp groups are numbered, so that the emulator's messages can
// say which one of the kernel is meant.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/simt/Intrinsics.h"
#include "compiler/codegen/gpu/simt/Image.h"
#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "compiler/codegen/gpu/simt/Products.h"
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
  AllocaInst *allocate(Type *type);
  void replaceMma(IntrinsicInst &mma, dlc_dtype dtype, uint32_t site);
  void replaceShuffle(IntrinsicInst &shuffle, dlc_simt_shuffle kind, uint32_t site);
  void replaceCopy(IntrinsicInst &copy, uint32_t bytes, uint32_t site);
  void replaceMatrices(IntrinsicInst &load, uint32_t count, bool transposed, uint32_t site);

  Function &function;
  IRBuilder<> &b;
  Emulator &emulator;
};

/// Memory of the thread's own, for arrays that the emulator reads or writes.
AllocaInst *Intrinsics::allocate(Type *type) {
  IRBuilder<>::InsertPointGuard guard(b);
  b.SetInsertPoint(&function.getEntryBlock(), function.getEntryBlock().begin());
  return b.CreateAlloca(type);
}

/// A product of matrices by a warp, of which each lane has words and sums.
void Intrinsics::replaceMma(IntrinsicInst &mma, dlc_dtype dtype, uint32_t site) {
  constexpr unsigned wordCount = 6, sumCount = 4;
  auto *words = ArrayType::get(b.getInt32Ty(), wordCount), *sums = ArrayType::get(b.getFloatTy(), sumCount);
  AllocaInst *operands = allocate(words), *results = allocate(sums);
  for (unsigned i = 0; i < wordCount; ++i)
    b.CreateStore(b.CreateBitCast(mma.getArgOperand(i), b.getInt32Ty()),
                  b.CreateConstInBoundsGEP2_32(words, operands, 0, i));
  auto placeOf = [&](unsigned i) { return b.CreateConstInBoundsGEP2_32(sums, results, 0, i); };
  for (unsigned i = 0; i < sumCount; ++i)
    b.CreateStore(mma.getArgOperand(wordCount + i), placeOf(i));
  emulator.call(SimtCall::MultiplyInWarp, b.getVoidTy(),
                {b.getInt32(dtype), operands, results, b.getInt32(site)});
  Value *result = PoisonValue::get(mma.getType());
  for (unsigned i = 0; i < sumCount; ++i)
    result = b.CreateInsertValue(result, b.CreateLoad(b.getFloatTy(), placeOf(i)), i);
  mma.replaceAllUsesWith(result);
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
  AllocaInst *words = allocate(array);
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
      replaceMma(*intrinsic, DLC_BF16, shuffles++);
      break;
    case Intrinsic::nvvm_mma_m16n8k16_row_col_f32_f32:
      replaceMma(*intrinsic, DLC_F16, shuffles++);
      break;
    case Intrinsic::nvvm_mma_m16n8k8_row_col_tf32:
      replaceMma(*intrinsic, DLC_F32, shuffles++);
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

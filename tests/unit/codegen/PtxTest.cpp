//===- PtxTest.cpp - what LLVM must not do to code of a GPU ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Ptx.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

using namespace llvm;

namespace {

/// A product whose first sums and results only some lanes have, as at the edge of a matrix.
constexpr char edge[] = R"(
declare { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32, i32, i32, i32, i32, i32, float, float, float, float)
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @edge(ptr %from, ptr %to, i32 %rows, i32 %w) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %inside = icmp slt i32 %t, %rows
  br i1 %inside, label %load, label %multiply
load:
  %p = getelementptr float, ptr %from, i32 %t
  %first = load float, ptr %p
  br label %multiply
multiply:
  %sum = phi float [ %first, %load ], [ 0.0, %0 ]
  %r = call { float, float, float, float } @llvm.nvvm.mma.m16n8k8.row.col.tf32(i32 %w, i32 %w, i32 %w, i32 %w, i32 %w, i32 %w, float %sum, float %sum, float %sum, float %sum)
  br i1 %inside, label %write, label %end
write:
  %q = getelementptr float, ptr %to, i32 %t
  %v = extractvalue { float, float, float, float } %r, 0
  store float %v, ptr %q
  br label %end
end:
  ret void
}
)";

TEST(Ptx, LanesOfAWarpMultiplyTogether) {
  LLVMContext context;
  SMDiagnostic why;
  std::unique_ptr<Module> module = parseAssemblyString(edge, why, context);
  ASSERT_TRUE(module) << why.getMessage().str();
  auto target = dlc::GpuTarget::get("sm_80");
  ASSERT_TRUE(bool(target));
  int64_t askedBytes = -1;
  auto text = dlc::codegen::gpu::writePtx(*module, *target, {80}, 32, 3, askedBytes);
  ASSERT_TRUE(bool(text)) << toString(text.takeError());
  EXPECT_EQ(askedBytes, 0);
  // Behind the place where lanes meet again, not on one side of the branch.
  StringRef before = StringRef(*text).split("mma.sync.aligned").first;
  ASSERT_NE(before.size(), text->size()) << *text;
  EXPECT_TRUE(before.rsplit("bra").second.contains("\n$L__")) << *text;
}

} // namespace

//===- Stage.h - the stages of a compilation -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their names are the same everywhere: --emit, names of dumped files, folders, tests. This header knows no
// MLIR, so that the command line can use it.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_STAGE_H
#define DLC_COMPILER_PIPELINE_STAGE_H

#include <array>

namespace dlc::pipeline {

enum class Stage {
  Import,
  Forward,
  Backward,
  Lower,
  Layout,
  Fuse,
  Schedule,
  Plan,
  Llvm,
  Ptx,
  Cubin,
  Asm,
  Obj,
  Lib,
  Shared
};

struct StageInfo {
  Stage stage;
  const char *name;
  const char *description;
};

/// In order.
inline constexpr std::array<StageInfo, 15> stages = {{
    {Stage::Import, "import", "the model as nn and train operations"},
    {Stage::Forward, "forward", "training and evaluation mode, loss, canonical form"},
    {Stage::Backward, "backward", "train_step, eval_step, predict ...: gradients and updates"},
    {Stage::Lower, "lower", "a loop nest of linalg for each primitive operation"},
    {Stage::Layout, "layout", "states and activations in the order in which they lie in memory"},
    {Stage::Fuse, "fuse", "kernels of linalg operations"},
    {Stage::Schedule, "schedule", "kernels with tiles and split of work"},
    {Stage::Plan, "plan", "every tensor at a place in one arena"},
    {Stage::Llvm, "llvm", "LLVM IR"},
    {Stage::Ptx, "ptx", "kernels for NVIDIA GPUs, with --target=nvptx"},
    {Stage::Cubin, "cubin", "the same as machine code, by NVIDIA's ptxas"},
    {Stage::Asm, "asm", "assembly"},
    {Stage::Obj, "obj", "object files"},
    {Stage::Lib, "lib", "static library, header, initial parameters, manifest"},
    {Stage::Shared, "shared", "the same with a shared library that holds the runtime"},
}};

inline const char *stageName(Stage stage) { return stages[static_cast<unsigned>(stage)].name; }

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_STAGE_H

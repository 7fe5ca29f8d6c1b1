//===- Ptxas.cpp - machine code of GPUs by NVIDIA's assembler --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Ptxas.h"
#include "compiler/support/Programs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

using namespace llvm;

namespace dlc::codegen::gpu {

Expected<std::string> findPtxas(StringRef given, StringRef option) {
  if (!given.empty() && !sys::fs::can_execute(given))
    return createStringError("--ptxas=" + given + ": no program is there");
  ErrorOr<std::string> found = given.empty() ? sys::findProgramByName("ptxas") : given.str();
  if (!found)
    return createStringError(
        option +
        " needs NVIDIA's assembler, and there is no ptxas on PATH. It is part of the CUDA toolkit and "
        "of the Python package nvidia-cuda-nvcc; --ptxas names the file. Code that is PTX needs none: "
        "the driver assembles it");
  return *found;
}

Expected<std::string> assemble(StringRef ptxas, StringRef ptx, const GpuArchitecture &architecture) {
  auto input = TemporaryFile::create("ptx", ptx), output = TemporaryFile::create("cubin");
  for (auto *file : {&input, &output})
    if (!*file)
      return file->takeError();
  std::string name = architecture.name();
  if (Error error = runProgram({ptxas.str(), "-arch=" + name, input->path, "-o", output->path}))
    return createStringError(ptxas + " refuses the code for " + name + ": " + toString(std::move(error)));
  auto cubin = output->read();
  if (cubin && cubin->empty())
    return createStringError(ptxas + " has written nothing for " + name);
  return cubin;
}

} // namespace dlc::codegen::gpu

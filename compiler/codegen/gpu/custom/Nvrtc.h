//===- Nvrtc.h - NVIDIA's compiler of CUDA C++, as a library ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A part of the CUDA toolkit, and of the Python package nvidia-cuda-nvrtc. It is loaded where a user names
// it; dlc needs it neither to be built nor to run.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CUSTOM_NVRTC_H
#define DLC_COMPILER_CODEGEN_GPU_CUSTOM_NVRTC_H

#include "llvm/Support/Error.h"
#include <string>
#include <vector>

namespace dlc::codegen::gpu {

class Nvrtc {
public:
  /// `library`: a file, or a name that the loader finds.
  static llvm::Expected<Nvrtc> load(llvm::StringRef library);

  /// The PTX of a text, whose file messages shall name; an error is the compiler's log.
  llvm::Expected<std::string> compile(const std::string &text, const std::string &file,
                                      const std::vector<std::string> &options) const;

private:
  // Declarations of nvrtc.h. Functions return 0 where all is well.
  using Program = void *;
  using Status = int;
  Status (*createProgram)(Program *, const char *text, const char *name, int headers, const char *const *,
                          const char *const *) = nullptr;
  Status (*compileProgram)(Program, int count, const char *const *options) = nullptr;
  Status (*destroyProgram)(Program *) = nullptr;
  Status (*getLogSize)(Program, size_t *) = nullptr;
  Status (*getLog)(Program, char *) = nullptr;
  Status (*getPtxSize)(Program, size_t *) = nullptr;
  Status (*getPtx)(Program, char *) = nullptr;
  const char *(*getErrorString)(Status) = nullptr;

  using Size = Status (*)(Program, size_t *);
  using Text = Status (*)(Program, char *);
  std::string textOf(Program program, Size size, Text text) const;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CUSTOM_NVRTC_H

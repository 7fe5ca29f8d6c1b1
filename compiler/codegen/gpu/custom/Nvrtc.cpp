//===- Nvrtc.cpp - NVIDIA's compiler of CUDA C++, as a library -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/custom/Nvrtc.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/DynamicLibrary.h"

using namespace llvm;

namespace dlc::codegen::gpu {

Expected<Nvrtc> Nvrtc::load(StringRef library) {
  std::string error;
  sys::DynamicLibrary loaded = sys::DynamicLibrary::getPermanentLibrary(library.str().c_str(), &error);
  if (!loaded.isValid())
    return createStringError("--nvrtc=" + library + " cannot be loaded: " + error);
  Nvrtc nvrtc;
  const char *missing = nullptr;
  auto find = [&](auto &function, const char *name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(loaded.getAddressOfSymbol(name));
    if (!function && !missing)
      missing = name;
  };
  find(nvrtc.createProgram, "nvrtcCreateProgram");
  find(nvrtc.compileProgram, "nvrtcCompileProgram");
  find(nvrtc.destroyProgram, "nvrtcDestroyProgram");
  find(nvrtc.getLogSize, "nvrtcGetProgramLogSize");
  find(nvrtc.getLog, "nvrtcGetProgramLog");
  find(nvrtc.getPtxSize, "nvrtcGetPTXSize");
  find(nvrtc.getPtx, "nvrtcGetPTX");
  find(nvrtc.getErrorString, "nvrtcGetErrorString");
  if (missing)
    return createStringError("--nvrtc=" + library + " is not NVRTC: it has no function '" + missing + "'");
  return nvrtc;
}

/// Returns the text without the zero at its end, which the size counts.
std::string Nvrtc::textOf(Program program, Size size, Text text) const {
  size_t bytes = 0;
  if (size(program, &bytes) != 0 || bytes < 2)
    return "";
  std::string result(bytes, '\0');
  if (text(program, result.data()) != 0)
    return "";
  result.resize(bytes - 1);
  return result;
}

Expected<std::string> Nvrtc::compile(const std::string &text, const std::string &file,
                                     const std::vector<std::string> &options) const {
  Program program = nullptr;
  if (Status status = createProgram(&program, text.c_str(), file.c_str(), 0, nullptr, nullptr))
    return createStringError(getErrorString(status));
  auto end = make_scope_exit([&] { destroyProgram(&program); });
  std::vector<const char *> arguments;
  for (const std::string &option : options)
    arguments.push_back(option.c_str());
  if (Status status = compileProgram(program, static_cast<int>(arguments.size()), arguments.data())) {
    std::string log = textOf(program, getLogSize, getLog);
    return createStringError(log.empty() ? getErrorString(status) : log);
  }
  std::string ptx = textOf(program, getPtxSize, getPtx);
  if (ptx.empty())
    return createStringError("it has made no PTX");
  return ptx;
}

} // namespace dlc::codegen::gpu

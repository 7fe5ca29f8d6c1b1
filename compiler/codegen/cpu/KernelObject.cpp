//===- KernelObject.cpp - a kernel's module to object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel is compiled under a name that all kernels have, and gets its own in the object. So two models, or two
// layers, of one kernel have one entry in the cache.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/KernelObject.h"
#include "compiler/codegen/cpu/KernelCache.h"
#include "compiler/codegen/cpu/KernelCode.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ObjCopy/ConfigManager.h"
#include "llvm/ObjCopy/ObjCopy.h"
#include "llvm/Object/Binary.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/raw_ostream.h"
#include <link.h>

using namespace llvm;

namespace dlc::codegen {
namespace {

/// No name of C, so that no function which a kernel calls has it.
constexpr const char *anyKernel = "any.kernel";

/// The build ID in a loaded object's notes: a number that the linker made of its content. Empty where it has
/// none, or where the notes are not as they should be.
std::string buildIdIn(const char *notes, size_t bytes) {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) note;
    memcpy(&note, notes, sizeof note);
    const size_t name = sizeof note, description = name + alignTo(note.n_namesz, 4),
                 end = description + alignTo(note.n_descsz, 4);
    if (end > bytes)
      break;
    if (note.n_type == NT_GNU_BUILD_ID && StringRef(notes + name, note.n_namesz) == StringRef("GNU\0", 4))
      return toHex(StringRef(notes + description, note.n_descsz));
    notes += end;
    bytes -= end;
  }
  return "";
}

/// The build ID of the program or shared library in which LLVM's code lies: two builds of one version of LLVM
/// may make different code.
std::string buildIdOfLLVM() {
  struct Search {
    ElfW(Addr) address;
    std::string found;
  } search{reinterpret_cast<ElfW(Addr)>(&WriteBitcodeToFile), ""};
  dl_iterate_phdr(
      [](dl_phdr_info *object, size_t, void *data) {
        auto &search = *static_cast<Search *>(data);
        ArrayRef<ElfW(Phdr)> headers(object->dlpi_phdr, object->dlpi_phnum);
        auto holds = [&](const ElfW(Phdr) & header) {
          return header.p_type == PT_LOAD && search.address - object->dlpi_addr - header.p_vaddr < header.p_memsz;
        };
        if (none_of(headers, holds))
          return 0;
        for (const ElfW(Phdr) & header : headers)
          if (header.p_type == PT_NOTE && search.found.empty())
            search.found = buildIdIn(reinterpret_cast<const char *>(object->dlpi_addr + header.p_vaddr),
                                     header.p_memsz);
        return 1;
      },
      &search);
  return search.found;
}

/// What an object is made of: the module, the target, the options, and the code that makes it, LLVM's and that
/// of the folder here (DLC_KERNEL_CODE is its digest). Empty where LLVM's build is not known.
std::string keyOf(const Module &module, const CpuTarget &target, const ObjectOptions &options) {
  static const std::string llvm = buildIdOfLLVM();
  if (llvm.empty())
    return "";
  std::string text;
  raw_string_ostream stream(text);
  for (StringRef each : {StringRef(DLC_KERNEL_CODE), StringRef(llvm), StringRef(target.triple), StringRef(target.cpu),
                         StringRef(target.features)})
    stream << each << '\0';
  stream << target.lanes << ' ' << target.amxCalls << ' ' << options.optLevel << '\0';
  WriteBitcodeToFile(module, stream, /*ShouldPreserveUseListOrder=*/true);
  return toHex(SHA256::hash(arrayRefFromStringRef(text)), /*LowerCase=*/true);
}

/// The object with this name in place of that of all kernels.
Expected<std::string> renamed(StringRef object, StringRef symbol) {
  auto binary = object::createBinary(MemoryBufferRef(object, symbol));
  if (!binary)
    return binary.takeError();
  objcopy::ConfigManager changes;
  changes.Common.SymbolsToRename[anyKernel] = symbol;
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  if (Error error = objcopy::executeObjcopyOnBinary(changes, **binary, stream))
    return error;
  return std::string(bytes.begin(), bytes.end());
}

} // namespace

Expected<std::string> compileKernel(Module &module, StringRef symbol, const CpuTarget &target,
                                    const ObjectOptions &options) {
  if (options.output != ObjectOptions::Output::Object)
    return compileModule(module, target, options);
  module.getFunction(symbol)->setName(anyKernel);
  module.setModuleIdentifier(anyKernel);
  module.setSourceFileName(anyKernel);

  const KernelCache &cache = KernelCache::ofUser();
  const std::string key = cache.isOn() ? keyOf(module, target, options) : "";
  if (!key.empty())
    if (auto found = cache.find(key))
      return renamed(*found, symbol);
  auto object = compileModule(module, target, options);
  if (!object)
    return object.takeError();
  if (!key.empty())
    cache.add(key, *object);
  return renamed(*object, symbol);
}

} // namespace dlc::codegen

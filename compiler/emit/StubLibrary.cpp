//===- StubLibrary.cpp - a shared library that has names and no code -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/SystemLibrary.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Object/ELF.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace dlc::emit {
namespace {

using ELF64 = object::ELF64LE;

/// The file's sections, in the order of their numbers.
enum Section { Null, SymbolTable, StringTable, SymbolVersions, Versions, Dynamic, SectionCount };

class Stub {
public:
  explicit Stub(const SystemLibrary &library);
  std::string fileFor(uint16_t machine);

private:
  uint32_t addString(StringRef text);
  uint16_t addVersion(StringRef name, uint16_t flags);
  void addSymbol(StringRef name, uint16_t version);
  template <typename Entry> void append(Section section, const Entry &entry) {
    contents[section].append(reinterpret_cast<const char *>(&entry), sizeof entry);
  }

  std::string contents[SectionCount];
  uint16_t versionCount = 0;
};

uint32_t Stub::addString(StringRef text) {
  std::string &strings = contents[StringTable];
  uint32_t place = strings.size();
  strings += text;
  strings += '\0';
  return place;
}

/// The number that symbols of the version have.
uint16_t Stub::addVersion(StringRef name, uint16_t flags) {
  struct {
    ELF64::Verdef version = {};
    ELF64::Verdaux name = {};
  } entry;
  entry.version.vd_version = ELF::VER_DEF_CURRENT;
  entry.version.vd_flags = flags;
  entry.version.vd_ndx = ++versionCount;
  entry.version.vd_cnt = 1;
  entry.version.vd_hash = object::hashSysV(name);
  entry.version.vd_aux = sizeof entry.version;
  entry.version.vd_next = sizeof entry; // of the last one nobody asks: the section says how many there are
  entry.name.vda_name = addString(name);
  append(Versions, entry);
  return versionCount;
}

void Stub::addSymbol(StringRef name, uint16_t version) {
  ELF64::Sym symbol = {};
  symbol.st_name = addString(name);
  symbol.setBindingAndType(ELF::STB_GLOBAL, ELF::STT_FUNC);
  symbol.st_shndx = ELF::SHN_ABS; // defined, in no section
  append(SymbolTable, symbol);
  append(SymbolVersions, ELF64::Versym{ELF64::Half(version)});
}

Stub::Stub(const SystemLibrary &library) {
  addString("");
  append(SymbolTable, ELF64::Sym{});
  append(SymbolVersions, ELF64::Versym{ELF64::Half(ELF::VER_NDX_LOCAL)});

  addVersion(library.soname, ELF::VER_FLG_BASE); // number 1, of all that has no version
  StringMap<uint16_t> numbers;
  for (const auto &[name, version] : library.symbols) {
    uint16_t &number = numbers[version];
    if (number == 0)
      number = version.empty() ? ELF::VER_NDX_GLOBAL : addVersion(version, 0);
    addSymbol(name, number);
  }

  ELF64::Dyn name = {}, end = {};
  name.d_tag = ELF::DT_SONAME;
  name.d_un.d_val = addString(library.soname);
  append(Dynamic, name);
  append(Dynamic, end);
}

std::string Stub::fileFor(uint16_t machine) {
  const struct {
    uint32_t type, link, info, entrySize;
  } sections[SectionCount] = {
      {},
      {ELF::SHT_DYNSYM, StringTable, /*first global*/ 1, sizeof(ELF64::Sym)},
      {ELF::SHT_STRTAB, 0, 0, 0},
      {ELF::SHT_GNU_versym, SymbolTable, 0, sizeof(ELF64::Versym)},
      {ELF::SHT_GNU_verdef, StringTable, versionCount, 0},
      {ELF::SHT_DYNAMIC, StringTable, 0, sizeof(ELF64::Dyn)},
  };
  constexpr uint64_t alignment = 8;
  ELF64::Ehdr file = {};
  memcpy(file.e_ident, ELF::ElfMagic, strlen(ELF::ElfMagic));
  file.e_ident[ELF::EI_CLASS] = ELF::ELFCLASS64;
  file.e_ident[ELF::EI_DATA] = ELF::ELFDATA2LSB;
  file.e_ident[ELF::EI_VERSION] = ELF::EV_CURRENT;
  file.e_type = ELF::ET_DYN;
  file.e_machine = machine;
  file.e_version = ELF::EV_CURRENT;
  file.e_ehsize = sizeof file;
  file.e_shoff = sizeof file;
  file.e_shentsize = sizeof(ELF64::Shdr);
  file.e_shnum = SectionCount;

  std::string headers(reinterpret_cast<const char *>(&file), sizeof file), rest;
  const uint64_t begin = sizeof file + SectionCount * sizeof(ELF64::Shdr);
  for (int section = 0; section < SectionCount; ++section) {
    ELF64::Shdr header = {};
    header.sh_type = sections[section].type;
    header.sh_link = sections[section].link;
    header.sh_info = sections[section].info;
    header.sh_entsize = sections[section].entrySize;
    header.sh_addralign = section == Null ? 0 : alignment;
    header.sh_offset = section == Null ? 0 : begin + rest.size();
    header.sh_size = contents[section].size();
    headers.append(reinterpret_cast<const char *>(&header), sizeof header);
    rest += contents[section];
    rest.resize(alignTo(rest.size(), alignment));
  }
  return headers + rest;
}

} // namespace

std::string stubOf(const SystemLibrary &library, const Triple &triple) {
  return Stub(library).fileFor(triple.isAArch64() ? ELF::EM_AARCH64 : ELF::EM_X86_64);
}

} // namespace dlc::emit

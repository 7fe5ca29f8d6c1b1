//===- LibraryTest.cpp - object files as a library -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Library.h"
#include "compiler/emit/SystemLibrary.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/Host.h"
#include "gtest/gtest.h"

using namespace dlc::emit;

static llvm::Triple host() { return llvm::Triple(llvm::sys::getDefaultTargetTriple()); }
static std::string linkError(llvm::ArrayRef<Member> members, llvm::StringRef runtime,
                             const llvm::Triple &triple) {
  auto library = linkShared(members, runtime, "model", triple);
  return library ? "" : llvm::toString(library.takeError());
}

TEST(Library, ArchivesAreEqualForEqualMembers) {
  Member members[] = {{"a.o", "first"}, {"a-name-that-is-longer-than-the-header-has-room-for.o", "second"}};
  auto one = makeArchive(members), two = makeArchive(members);
  ASSERT_TRUE(bool(one) && bool(two));
  EXPECT_EQ(*one, *two);
  EXPECT_EQ(one->substr(0, 8), "!<arch>\n");
  EXPECT_NE(one->find("second"), std::string::npos);
}

TEST(Library, TheLinkerSaysWhatIsWrongAndLinksAgainAfterwards) {
  EXPECT_EQ(linkError({}, "absent.a", host()),
            "libmodel.so cannot be linked: cannot open absent.a: No such file or directory");
  const llvm::Triple other(host().isAArch64() ? "x86_64-linux-gnu" : "aarch64-linux-gnu");
  EXPECT_NE(linkError({}, RUNTIME, other).find("is incompatible with"), std::string::npos);
  for (int turn = 0; turn < 2; ++turn)
    EXPECT_EQ(linkError({}, RUNTIME, host()), "");
}

/// Where it finds no way on, the linker leaves its variables as they are.
TEST(Library, AfterADamagedFileTheLinkerRefusesToLinkAgain) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto linkTwice = [] {
    const Member text[] = {{"a.o", "no object file"}};
    const std::string first = linkError(text, RUNTIME, host()), second = linkError({}, RUNTIME, host());
    fprintf(stderr, "%s; %s\n", first.c_str(), second.c_str());
    exit(0);
  };
  EXPECT_EXIT(linkTwice(), testing::ExitedWithCode(0),
              "libmodel.so cannot be linked: .*a.o.*; libmodel.so cannot be linked: the linker failed before "
              "and cannot be "
              "used again in this process");
}

TEST(Library, SharedLibrariesAreEqualAndNeedTheCLibraryAlone) {
  auto one = linkShared({}, RUNTIME, "model", host()), two = linkShared({}, RUNTIME, "model", host());
  ASSERT_TRUE(bool(one) && bool(two));
  EXPECT_EQ(*one, *two);
  EXPECT_NE(one->find("GLIBC_2.34"), std::string::npos);
}

/// What a linker reads of a stub: names and their versions.
static std::map<std::string, std::string> symbolsOf(const SystemLibrary &library,
                                                    const llvm::Triple &triple) {
  const std::string bytes = stubOf(library, triple);
  auto file = llvm::cantFail(llvm::object::ObjectFile::createELFObjectFile({bytes, "stub"}));
  auto versions = llvm::cantFail(llvm::cast<llvm::object::ELFObjectFileBase>(*file).readDynsymVersions());
  std::map<std::string, std::string> result;
  size_t index = 0;
  for (const auto &symbol : llvm::cast<llvm::object::ELFObjectFileBase>(*file).getDynamicSymbolIterators())
    result[llvm::cantFail(symbol.getName()).str()] = versions[index++].Name;
  return result;
}

TEST(SystemLibrary, StubsHaveTheNamesAndVersionsOfEachMachine) {
  const llvm::Triple x86("x86_64-unknown-linux-gnu"), arm("aarch64-unknown-linux-gnu"),
      musl("aarch64-unknown-linux-musl");
  auto gnu = systemLibraries(x86);
  ASSERT_EQ(gnu.size(), 3u);
  EXPECT_EQ(gnu[0].soname, "libc.so.6");
  EXPECT_EQ(gnu[1].soname, "libm.so.6");
  EXPECT_EQ(gnu[2].soname, "ld-linux-x86-64.so.2");
  EXPECT_EQ(systemLibraries(arm)[2].soname, "ld-linux-aarch64.so.1");
  EXPECT_EQ(symbolsOf(gnu[0], x86)["memcpy"], "GLIBC_2.14");
  EXPECT_EQ(symbolsOf(gnu[0], x86)["free"], "GLIBC_2.2.5");
  EXPECT_EQ(symbolsOf(systemLibraries(arm)[0], arm)["memcpy"], "GLIBC_2.17");
  EXPECT_EQ(symbolsOf(systemLibraries(arm)[1], arm)["expf"], "GLIBC_2.27");
  ASSERT_EQ(systemLibraries(musl).size(), 1u);
  EXPECT_EQ(systemLibraries(musl)[0].soname, "libc.so");
  EXPECT_EQ(symbolsOf(systemLibraries(musl)[0], musl).at("expf"), "");
}

//===- KernelCacheTest.cpp - kernels that were compiled before ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/KernelCache.h"
#include "compiler/codegen/cpu/KernelObject.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <cstdlib>

using namespace llvm;
using dlc::codegen::KernelCache;

namespace {

/// A folder that goes at the end.
struct Folder {
  Folder() { sys::fs::createUniqueDirectory("dlc-kernels", path); }
  ~Folder() { sys::fs::remove_directories(path); }
  std::vector<std::string> files() const {
    std::vector<std::string> all;
    std::error_code failed;
    for (sys::fs::directory_iterator file(path, failed), end; file != end && !failed; file.increment(failed))
      if (!StringRef(file->path()).ends_with("timestamp"))
        all.push_back(file->path());
    return all;
  }
  SmallString<64> path;
};

void write(StringRef path, StringRef content) {
  std::error_code failed;
  raw_fd_ostream(path, failed) << content;
  ASSERT_FALSE(failed);
}

std::string read(StringRef path) {
  auto file = MemoryBuffer::getFile(path);
  return file ? (*file)->getBuffer().str() : "";
}

TEST(KernelCache, FindsWhatWasAdded) {
  Folder folder;
  KernelCache cache(folder.path.str().str());
  ASSERT_TRUE(cache.isOn()) << cache.trouble().str();
  EXPECT_FALSE(cache.find("ab"));
  cache.add("ab", "an object");
  cache.add("cd", "");
  EXPECT_EQ(cache.find("ab"), "an object");
  EXPECT_EQ(cache.find("cd"), "");
  EXPECT_EQ(KernelCache(folder.path.str().str()).find("ab"), "an object");
}

TEST(KernelCache, HasNothingInADamagedFile) {
  Folder folder;
  KernelCache cache(folder.path.str().str());
  cache.add("ab", "an object");
  ASSERT_EQ(folder.files().size(), 1u);
  const std::string file = folder.files().front(), whole = read(file);
  for (size_t i = 0; i < whole.size(); ++i) {
    std::string other = whole;
    other[i] ^= 1;
    write(file, other);
    EXPECT_FALSE(cache.find("ab")) << "byte " << i;
    write(file, StringRef(whole).take_front(i));
    EXPECT_FALSE(cache.find("ab")) << i << " bytes";
  }
  cache.add("ab", "an object"); // compiled again, it is whole again
  EXPECT_EQ(cache.find("ab"), "an object");
}

TEST(KernelCache, IsNotInAFolderThatOthersCanWriteTo) {
  Folder folder;
  for (auto permission : {sys::fs::others_write, sys::fs::group_write}) {
    sys::fs::setPermissions(folder.path, sys::fs::owner_all | permission);
    KernelCache cache(folder.path.str().str());
    EXPECT_FALSE(cache.isOn());
    EXPECT_NE(cache.trouble().find("it can be written by others than its user"), StringRef::npos) << cache.trouble().str();
    cache.add("ab", "an object");
    EXPECT_FALSE(cache.find("ab"));
    EXPECT_TRUE(folder.files().empty());
  }
}

TEST(KernelCache, SaysWhyThereIsNoFolder) {
  Folder folder;
  const std::string file = (folder.path + "/file").str();
  write(file, "");
  EXPECT_NE(KernelCache(file).trouble().find("is not used: it is no folder"), StringRef::npos);
  EXPECT_NE(KernelCache(file + "/below").trouble().find("it cannot be made"), StringRef::npos);
}

/// Compiles a function that adds a number, in the user's cache.
std::string compile(StringRef symbol, double number, StringRef cpu = "x86-64-v3", unsigned optLevel = 2) {
  auto target = dlc::CpuTarget::get("x86_64-unknown-linux-gnu", cpu);
  if (!target)
    return toString(target.takeError());
  LLVMContext context;
  Module module(symbol, context);
  auto *type = FunctionType::get(Type::getDoubleTy(context), {Type::getDoubleTy(context)}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  IRBuilder<> b(BasicBlock::Create(context, "", function));
  b.CreateRet(b.CreateFAdd(function->getArg(0), ConstantFP::get(b.getDoubleTy(), number)));
  dlc::codegen::ObjectOptions options;
  options.optLevel = optLevel;
  auto object = dlc::codegen::compileKernel(module, symbol, *target, options);
  return object ? *object : toString(object.takeError());
}

/// The functions that an object defines.
std::vector<std::string> functionsOf(StringRef object) {
  auto file = object::ObjectFile::createObjectFile(MemoryBufferRef(object, "object"));
  if (!file)
    return {toString(file.takeError())};
  std::vector<std::string> names;
  for (const object::SymbolRef &symbol : (*file)->symbols())
    if (cantFail(symbol.getType()) == object::SymbolRef::ST_Function)
      names.push_back(cantFail(symbol.getName()).str());
  return names;
}

using Names = std::vector<std::string>;

TEST(CompileKernel, KeepsOneObjectForAllNames) {
  Folder folder;
  setenv("DLC_CACHE", folder.path.c_str(), 1); // before the user's cache is opened, which happens once
  const std::string one = compile("one.add", 1), two = compile("two.add", 1), again = compile("one.add", 1);
  EXPECT_EQ(folder.files().size(), 1u);
  EXPECT_EQ(functionsOf(one), Names{"one.add"});
  EXPECT_EQ(functionsOf(two), Names{"two.add"});
  EXPECT_EQ(one, again);

  // What is other code, or code for other machines, is another object.
  compile("one.add", 2);
  EXPECT_EQ(folder.files().size(), 2u);
  compile("one.add", 1, "haswell"); // of as wide vectors
  EXPECT_EQ(folder.files().size(), 3u);
  compile("one.add", 1, "x86-64-v3", 0);
  EXPECT_EQ(folder.files().size(), 4u);

  // A damaged one is compiled again.
  for (const std::string &file : folder.files())
    write(file, "damaged");
  EXPECT_EQ(compile("one.add", 1), one);
}

} // namespace

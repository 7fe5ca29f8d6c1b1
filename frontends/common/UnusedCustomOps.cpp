//===- UnusedCustomOps.cpp - declarations that no operation uses -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/CustomOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace dlc::frontend {

static SmallVector<StringRef> sourcesOf(train::CustomFunctionOp function) {
  SmallVector<StringRef> sources;
  if (function.getSource())
    sources.push_back(*function.getSource());
  if (train::CustomCudaAttr code = function.getCudaAttr())
    sources.push_back(code.getSource());
  return sources;
}

bool dropUnusedCustomOps(train::ProgramOp program) {
  llvm::DenseSet<Attribute> used;
  llvm::StringSet<> sources;
  SmallVector<StringAttr> queue;
  program.walk([&](train::CustomOp op) { queue.push_back(op.getCalleeAttr().getAttr()); });
  while (!queue.empty()) {
    StringAttr name = queue.pop_back_val();
    auto function = dyn_cast_or_null<train::CustomFunctionOp>(SymbolTable::lookupSymbolIn(program, name));
    if (!function || !used.insert(name).second)
      continue;
    for (StringRef source : sourcesOf(function))
      sources.insert(source);
    if (function.getGradientAttr())
      queue.push_back(function.getGradientAttr().getAttr());
  }
  for (auto function : llvm::make_early_inc_range(program.getOps<train::CustomFunctionOp>()))
    if (llvm::none_of(sourcesOf(function), [&](StringRef source) { return sources.contains(source); }))
      function.erase();
  return !used.empty();
}

} // namespace dlc::frontend

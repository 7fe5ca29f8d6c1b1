//===- CustomCuda.cpp - train: users' functions for GPUs -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/CNames.h"
#include "dialects/train/Custom.h"

using namespace mlir;
using namespace train;

static StringRef textIn(DictionaryAttr entries, StringRef name) {
  auto text = dyn_cast_or_null<StringAttr>(entries.get(name));
  return text ? text.getValue() : "";
}

StringRef CustomCuda::getFunction() const { return textIn(entries, "function"); }
StringRef CustomCuda::getSource() const { return textIn(entries, "source"); }

int64_t CustomCuda::getBlock() const {
  auto block = dyn_cast_or_null<IntegerAttr>(entries.get("block"));
  return block && block.getType().isSignlessInteger(64) ? block.getInt() : 0;
}

SmallVector<StringRef> CustomCuda::getFactors() const {
  SmallVector<StringRef> factors;
  if (auto texts = dyn_cast_or_null<ArrayAttr>(entries.get(countsBlocks() ? "blocks" : "threads")))
    for (Attribute text : texts)
      factors.push_back(isa<StringAttr>(text) ? cast<StringAttr>(text).getValue() : "");
  return factors;
}

LogicalResult CustomCuda::verify(CustomFunctionOp function) const {
  constexpr int64_t mostThreads = 1024; // of a block, on every GPU
  StringRef name = getFunction();
  if (getSource().empty() || getSource().contains('\0'))
    return function.emitOpError("expects the name of a source file in cuda");
  // Kernels of dlc begin with dlc_.
  if (name.empty() || name.starts_with("_") || name.starts_with("dlc_") || dlc::cIdentifier(name) != name)
    return function.emitOpError("has the function '")
           << name << "' in cuda, expected an identifier of C that begins with neither '_' nor 'dlc_'";
  if (getBlock() < 1 || getBlock() > mostThreads)
    return function.emitOpError("has blocks of ")
           << getBlock() << " threads in cuda, expected 1 to " << mostThreads;
  SmallVector<StringRef> factors = getFactors(), names = function.sizeNames();
  if (factors.empty() || (entries.contains("blocks") && entries.contains("threads")))
    return function.emitOpError(
        "expects in cuda either threads or blocks, a list of numbers and names of sizes");
  for (StringRef text : factors) {
    CustomDim factor = CustomDim::parse(text);
    if (factor.size ? *factor.size < 1 : !llvm::is_contained(names, factor.name))
      return function.emitOpError("has '") << text << "' in " << (countsBlocks() ? "blocks" : "threads")
                                           << " of cuda, expected a positive number or the name of a size";
  }
  return success();
}

CustomCuda CustomFunctionOp::cudaCode() { return getCudaAttr(); }

StringRef CustomFunctionOp::codeName() { return getFunction() ? *getFunction() : cudaCode().getFunction(); }

//===- ModelDigest.cpp - which model a training began with -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ModelDigest.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Train.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/dlc/Digest.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace dlc::tool {

namespace {

/// What is printed goes into a digest.
class DigestStream : public llvm::raw_ostream {
public:
  explicit DigestStream(Digest &digest) : digest(digest) {}
  ~DigestStream() override { flush(); }

private:
  void write_impl(const char *bytes, size_t count) override {
    digest.add(bytes, count);
    position += count;
  }
  uint64_t current_pos() const override { return position; }

  Digest &digest;
  uint64_t position = 0;
};

/// Whether a checkpoint has the value.
bool isSaved(train::StateOp state) {
  return state.getKind() != train::StateKind::Constant && state.getKind() != train::StateKind::Hyperparameter;
}

} // namespace

std::string digestOf(ModuleOp module) {
  OwningOpRef<ModuleOp> copy = module.clone();
  Digest digest;
  copy->walk([](train::RecipeOp recipe) { recipe.erase(); }); // how it is trained does not make it another model
  copy->walk([&](Operation *operation) {
    if (auto state = dyn_cast<train::StateOp>(operation); state && isSaved(state))
      state.removeInitialAttr();
    auto function = dyn_cast<train::CustomFunctionOp>(operation);
    if (!function)
      return;
    if (auto source = function.getSource())
      digest.add(digestOfFile(source->str()));
    if (auto cuda = function.getCuda())
      digest.add(digestOfFile(cuda->getSource().str()));
  });
  {
    DigestStream stream(digest);
    // Without the places in files, which say nothing about what is computed.
    copy->print(stream, OpPrintingFlags().enableDebugInfo(false));
  }
  return digest.text();
}

} // namespace dlc::tool

//===- LoadedModel.cpp - a program compiled into this process ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/session/LoadedModel.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/session/Linked.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <deque>

using namespace mlir;

namespace dlc::session {

struct LoadedModel::Parts {
  std::unique_ptr<Linked> code;
  std::string manifest;
  dlc_model model;
  std::vector<dlc_symbol> symbols;       ///< those of the code, with their initial values
  std::deque<std::vector<char>> initial; ///< of those whose bytes stand nowhere else
};

LoadedModel::LoadedModel(std::unique_ptr<Parts> parts) : parts(std::move(parts)) {}
LoadedModel::~LoadedModel() = default;
const dlc_model *LoadedModel::model() const { return &parts->model; }
const std::string &LoadedModel::manifest() const { return parts->manifest; }

const void *LoadedModel::function(StringRef name) {
  StringRef suffix = name;
  if (!suffix.consume_front(parts->model.name) || !suffix.consume_front("_") || suffix.starts_with("create"))
    return nullptr;
  auto address = parts->code->lookup(name);
  if (address)
    return *address;
  llvm::consumeError(address.takeError());
  return nullptr;
}

/// Row-major bytes as the runtime reads them. They are not copied where the context has them in this form.
static const void *bytesOf(ElementsAttr values, std::deque<std::vector<char>> &copies) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values))
    return resource.getRawHandle().getBlob()->getData().data();
  auto dense = cast<DenseElementsAttr>(values);
  ArrayRef<char> raw = dense.getRawData();
  bool areBits = dense.getElementType().isInteger(1);
  if (!areBits && !dense.isSplat())
    return raw.data();
  std::vector<char> &copy = copies.emplace_back();
  if (areBits)
    copy.assign(dense.value_begin<bool>(), dense.value_end<bool>());
  else
    for (int64_t i = 0; i < dense.getNumElements(); ++i)
      copy.insert(copy.end(), raw.begin(), raw.end());
  return copy.data();
}

std::unique_ptr<LoadedModel> load(ModuleOp module, const pipeline::Options &options, bool functions) {
  auto report = [&](llvm::Error error) {
    emitError(UnknownLoc::get(module.getContext()), "the compiled model cannot be loaded: ")
        << llvm::toString(std::move(error));
    return nullptr;
  };
  auto objects = pipeline::compileToObjects(module, options, functions);
  if (failed(objects))
    return nullptr;
  auto parts = std::make_unique<LoadedModel::Parts>();
  auto code = Linked::create(objects->files);
  if (!code)
    return report(code.takeError());
  parts->code = std::move(*code);
  parts->manifest = std::move(objects->manifest);
  auto program = *module.getOps<train::ProgramOp>().begin();
  auto description = parts->code->lookup((program.getSymName() + ".model").str());
  if (!description)
    return report(description.takeError());

  parts->model = *static_cast<const dlc_model *>(*description);
  parts->symbols.assign(parts->model.symbols, parts->model.symbols + parts->model.symbol_count);
  for (auto [state, symbol] : llvm::zip_equal(program.getBody().getOps<train::StateOp>(), parts->symbols))
    if (symbol.in_weights_file) {
      symbol.initial = bytesOf(cast<ElementsAttr>(state.getInitialAttr()), parts->initial);
      symbol.in_weights_file = 0;
    }
  parts->model.symbols = parts->symbols.data();
  parts->model.weights_file = nullptr;
  return std::make_unique<LoadedModel>(std::move(parts));
}

} // namespace dlc::session

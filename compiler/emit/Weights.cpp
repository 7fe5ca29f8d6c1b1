//===- Weights.cpp - initial parameters as a safetensors file --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Weights.h"
#include "compiler/emit/Interface.h"
#include "compiler/support/Elements.h"
#include "compiler/support/MappedFile.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/EndianStream.h"
#include <nlohmann/json.hpp>

using namespace mlir;

namespace dlc::emit {

bool isInWeightsFile(train::StateOp state) {
  return state.getInitialAttr() && llvm::is_contained({train::StateKind::Parameter, train::StateKind::Buffer,
                                                       train::StateKind::Constant},
                                                      state.getKind());
}

/// Logical row-major values, as the attribute stores them (truth values as bytes).
static void writeValues(ElementsAttr values, llvm::raw_ostream &out) {
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(values)) {
    ArrayRef<char> data = resource.getRawHandle().getBlob()->getData();
    out << StringRef(data.data(), data.size());
    MappedFile::unload(data);
    return;
  }
  auto dense = cast<DenseElementsAttr>(values);
  if (dense.getElementType().isInteger(1)) {
    for (bool value : dense.getValues<bool>())
      out << char(value);
    return;
  }
  StringRef raw(dense.getRawData().data(), dense.getRawData().size());
  for (int64_t i = 0; i < (dense.isSplat() ? dense.getNumElements() : 1); ++i)
    out << raw;
}

void writeWeights(train::ProgramOp program, llvm::raw_ostream &out) {
  // Tensors with larger elements come first: then each begins at a multiple of its element's size.
  SmallVector<train::StateOp> states;
  for (int64_t size : {8, 4, 2, 1})
    for (auto state : program.getBody().getOps<train::StateOp>())
      if (isInWeightsFile(state) && elementBytes(state.getType()) == size)
        states.push_back(state);

  nlohmann::ordered_json header;
  header["__metadata__"] = {{"dlc.model", program.getSymName().str()}};
  int64_t offset = 0;
  for (train::StateOp state : states) {
    auto type = cast<RankedTensorType>(state.getType());
    int64_t bytes = type.getNumElements() * elementBytes(state.getType());
    header[state.getSymName().str()] = {{"dtype", llvm::StringRef(dtypeName(type.getElementType())).upper()},
                                        {"shape", std::vector<int64_t>(type.getShape())},
                                        {"data_offsets", {offset, offset + bytes}}};
    offset += bytes;
  }
  std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  text.append(llvm::offsetToAlignment(text.size(), llvm::Align(8)), ' ');
  llvm::support::endian::write<uint64_t>(out, text.size(), llvm::endianness::little);
  out << text;
  for (train::StateOp state : states)
    writeValues(state.getInitialAttr(), out);
}

} // namespace dlc::emit

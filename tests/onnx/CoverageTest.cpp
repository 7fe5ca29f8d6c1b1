//===- CoverageTest.cpp - every ONNX operator and attribute has a case ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each entry of the importer's tables, which is an operator from a version on, must be used by a case of this
// folder, with each of its attributes set, with all of its inputs and without the optional ones. The cases
// themselves are run by onnx-conformance.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/OperatorTables.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

namespace dlc::onnx {
namespace {

/// What the cases do with an operator.
struct Uses {
  std::set<std::string> attributes;
  std::set<int> inputs; ///< numbers of those that are given
};

int64_t opsetOf(const ::onnx::ModelProto &model) {
  for (const auto &set : model.opset_import())
    if (set.domain().empty() || set.domain() == "ai.onnx")
      return set.version();
  return 0;
}

std::map<const Operator *, Uses> findUses() {
  std::map<const Operator *, Uses> uses;
  for (const auto &entry : std::filesystem::recursive_directory_iterator(DLC_ONNX_CASES)) {
    // What exporters write has operators that only whole patterns of nodes give a meaning.
    bool isExported = entry.path().string().find("/exported/") != std::string::npos;
    if (entry.path().filename() != "model.onnx" || isExported)
      continue;
    ::onnx::ModelProto model;
    std::ifstream stream(entry.path(), std::ios::binary);
    EXPECT_TRUE(model.ParseFromIstream(&stream)) << entry.path();
    for (const ::onnx::NodeProto &node : model.graph().node()) {
      bool known = false;
      std::string op = node.domain().empty() ? node.op_type() : node.domain() + "." + node.op_type();
      const Operator *version = findOperator(op, opsetOf(model), known);
      EXPECT_TRUE(version) << entry.path() << ": " << node.op_type() << " is not supported";
      Uses &found = uses[version];
      for (const auto &attribute : node.attribute())
        found.attributes.insert(attribute.name());
      int given = 0;
      for (const std::string &input : node.input())
        given += !input.empty();
      found.inputs.insert(given);
    }
  }
  return uses;
}

TEST(OnnxCases, UseEveryOperatorAndAttribute) {
  std::map<const Operator *, Uses> uses = findUses();
  size_t versions = 0, attributes = 0;
  for (llvm::ArrayRef<Operator> table : operatorTables())
    for (const Operator &version : table) {
      ++versions;
      std::string name = std::string(version.op) + " of version " + std::to_string(version.since);
      auto found = uses.find(&version);
      if (found == uses.end()) {
        ADD_FAILURE() << name << " has no case: add it to tests/onnx/make_cases";
        continue;
      }
      llvm::SmallVector<llvm::StringRef> known;
      llvm::StringRef(version.attributes).split(known, ' ', -1, /*KeepEmpty=*/false);
      attributes += known.size();
      for (llvm::StringRef attribute : known)
        EXPECT_TRUE(found->second.attributes.count(attribute.str()))
            << name << ": no case sets '" << attribute.str() << "'";
      // Resize needs its scales or its sizes, both of which are optional.
      int fewest = version.requiredInputs + (llvm::StringRef(version.op) == "Resize" && version.since >= 13);
      // An optional input stands before ones that are required.
      if (llvm::StringRef(version.op) == "com.microsoft.EmbedLayerNormalization")
        fewest = 5;
      EXPECT_TRUE(found->second.inputs.count(fewest) || version.maxInputs == anyNumber)
          << name << ": no case leaves out all optional inputs";
      // Attention has keys of earlier calls or numbers of keys, not both.
      int most = version.maxInputs - (llvm::StringRef(version.op) == "Attention" && version.since >= 24);
      EXPECT_TRUE(found->second.inputs.count(most) || version.maxInputs == anyNumber)
          << name << ": no case has all " << version.maxInputs << " inputs";
    }
  RecordProperty("versions", std::to_string(versions));
  std::printf("%zu operators and versions, %zu attributes\n", versions, attributes);
}

} // namespace
} // namespace dlc::onnx

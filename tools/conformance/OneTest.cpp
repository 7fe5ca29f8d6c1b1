//===- OneTest.cpp - one test, in a process of its own
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The suite passes shapes, axes and the like as inputs. dlc compiles ahead of time and says which of them
// it must know: those become initializers, and the model is compiled again.
//===----------------------------------------------------------------------===//
#include "tools/conformance/OneTest.h"
#include "tools/conformance/CompiledModel.h"
#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>

namespace conformance {
namespace fs = std::filesystem;

/// Their expected outputs come from NumPy's random numbers.
static const std::set<std::string> randomTests = {"test_training_dropout",
                                                  "test_training_dropout_mask",
                                                  "test_training_dropout_default",
                                                  "test_training_dropout_default_mask",
                                                  "test_bernoulli",
                                                  "test_bernoulli_double",
                                                  "test_bernoulli_seed"};

std::string operatorOf(const fs::path &folder) {
  std::optional<Test> test = readTest(folder);
  if (!test)
    return "?";
  std::set<std::string> ops;
  for (const auto &node : test->model.graph().node())
    ops.insert((node.domain().empty() ? "" : node.domain() + ".") + node.op_type());
  return ops.size() == 1 ? *ops.begin() : "several";
}

/// The position of an input that the messages say must be known.
static std::optional<size_t> wantedInput(const std::string &messages, const std::vector<std::string> &names) {
  for (size_t i = 0; i < names.size(); ++i)
    if (messages.find("must be known at compile time, but '" + names[i] + "'") != std::string::npos)
      return i;
  return std::nullopt;
}

static std::string firstLine(std::string text) {
  size_t error = text.find("error: ");
  if (error != std::string::npos)
    text.erase(0, error + 7);
  return text.substr(0, text.find('\n'));
}

/// Compiles for this data and runs it.
static Result runDataSet(const Test &test, DataSet data, const std::string &dlc, const fs::path &scratch,
                         bool exported) {
  onnx::ModelProto model = test.model;
  fixShapes(model, data);
  fs::path file = scratch / "t.onnx";
  Compilation compilation;
  for (bool again = true; again;) {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    model.SerializeToOstream(&stream);
    stream.close();
    compilation = compile(dlc, file, scratch, exported);
    std::vector<std::string> names = inputNames(model);
    names.resize(std::min(names.size(), data.inputs.size()));
    std::optional<size_t> wanted =
        compilation.status ? wantedInput(compilation.messages, names) : std::nullopt;
    if ((again = wanted.has_value()))
      bindInput(model, data, *wanted);
  }
  if (compilation.status == 128 + SIGXCPU)
    return {"", "", Outcome::Failed, "dlc took too many seconds of the processor"};
  if (compilation.status > 1)
    return {"", "", Outcome::Failed, "dlc ended with status " + std::to_string(compilation.status)};
  if (compilation.status == 1)
    return {"", "", Outcome::Unsupported, firstLine(compilation.messages)};
  std::string difference = predictAndCompare(scratch, data);
  return {"", "", difference.empty() ? Outcome::Passed : Outcome::Failed, difference};
}

Result runTest(const fs::path &folder, const std::string &dlc, const fs::path &scratch, bool exported) {
  if (randomTests.count(folder.filename()))
    return {"", "", Outcome::Unsupported, "the expected output holds NumPy's random numbers"};
  std::optional<Test> test = readTest(folder);
  if (!test || test->dataSets.empty())
    return {"", "", Outcome::Unsupported, "the test has values that are no tensors"};
  for (const DataSet &data : test->dataSets)
    if (Result result = runDataSet(*test, data, dlc, scratch, exported); result.outcome != Outcome::Passed)
      return result;
  return {"", "", Outcome::Passed, ""};
}

} // namespace conformance

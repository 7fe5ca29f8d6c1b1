//===- Against.cpp - --against of dlc check and dlc verify -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Against.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <optional>

using namespace llvm;
using namespace llvm::sys;

namespace dlc::tool {

static int fail(const Twine &message) {
  errs() << "dlc: error: --against: " << message << '\n';
  return 2;
}

/// A file that is there for a while.
class TemporaryFile {
public:
  TemporaryFile() {
    if (fs::createTemporaryFile("dlc-against", "json", name))
      name.clear();
  }
  ~TemporaryFile() {
    if (!name.empty())
      fs::remove(name);
  }
  StringRef path() const { return name; }
  std::string text() const {
    auto buffer = MemoryBuffer::getFile(name, /*IsText=*/true);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }

private:
  SmallString<128> name;
};

/// The script below the folder that dlc is in, the build's or the one that it is installed in; "" without it.
static std::string findScript(StringRef executable) {
  SmallString<128> file(path::parent_path(path::parent_path(executable)));
  path::append(file, DLC_DATADIR, "dlc", "check_against.py");
  return fs::exists(file) ? file.str().str() : std::string();
}

/// What the options say of the model goes on to the comparison: which sizes, and what is read how.
static void addModelOptions(const Invocation &invocation, std::vector<std::string> &command) {
  if (invocation.batch)
    command.push_back("--batch=" + std::to_string(invocation.batch));
  for (const auto &[name, sizes] : invocation.dims)
    command.push_back("--dim=" + name + "=" + std::to_string(sizes.second));
  auto pass = [&](const std::string &option) { command.push_back("--option=" + option); };
  if (invocation.keepTies)
    pass("--keep-ties");
  if (invocation.maxTrips)
    pass("--max-trips=" + std::to_string(invocation.maxTrips));
  if (!invocation.runningVariance.empty())
    pass("--running-variance=" + invocation.runningVariance);
  if (!invocation.customOps.empty())
    pass("--custom-ops=" + invocation.customOps);
  for (const std::string &name : train::allOf(invocation.recipe, "train"))
    pass("--train=" + name);
  for (const std::string &name : train::allOf(invocation.recipe, "freeze"))
    pass("--freeze=" + name);
}

bool canCompare(const Invocation &invocation) {
  const StringRef file = invocation.file;
  if (file.ends_with(".onnx") || file.ends_with(".pt2"))
    return true;
  fail(
      "an ONNX file (.onnx) or a program of torch.export (.pt2) is compared with a module of PyTorch, not '" +
      file + "'");
  return false;
}

int checkAgainst(const Invocation &invocation, std::string *json) {
  if (!canCompare(invocation))
    return 2;
  std::string executable = fs::getMainExecutable(invocation.program.c_str(), (void *)&versionText);
  std::string script = findScript(executable);
  if (script.empty())
    return fail("'" DLC_DATADIR "/dlc/check_against.py' was not found beside the folder of '" + executable +
                "': install dlc whole");
  std::string wanted = invocation.python.empty() ? "python3" : invocation.python;
  auto python = findProgramByName(wanted);
  if (!python)
    return fail("there is no program '" + wanted + "'; give the Python that has torch" +
                (StringRef(invocation.file).ends_with(".onnx") ? " and onnx" : "") + " with --python");
  std::vector<std::string> command = {*python, script, invocation.file, invocation.against,
                                      "--dlc=" + executable};
  addModelOptions(invocation, command);
  std::optional<TemporaryFile> written;
  SmallVector<std::optional<StringRef>> streams;
  if (json) {
    written.emplace();
    if (written->path().empty())
      return fail("a temporary file cannot be written");
    command.push_back("--json");
    streams = {std::nullopt, written->path(), std::nullopt};
  }
  SmallVector<StringRef> arguments(command.begin(), command.end());
  outs().flush();
  std::string message;
  int status = ExecuteAndWait(*python, arguments, std::nullopt, streams, /*SecondsToWait=*/0,
                              /*MemoryLimit=*/0, &message);
  if (status < 0)
    return fail("'" + *python + "': " + message);
  if (json)
    *json = written->text();
  return std::min(status, 2);
}

} // namespace dlc::tool

//===- RunTune.cpp - dlc tune ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training steps of two perceptrons, which are matrix products of every kind, are compiled with each tile
// that the target could have, and timed. A candidate is handed over as the file that it would become.
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/machine/Tuning.h"
#include "dialects/train/Recipe.h"
#include "frontends/mlir/ReadText.h"
#include "tools/dlc/Commands.h"
#include "tools/dlc/profile/Turns.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/TargetParser/Host.h"

using namespace mlir;

namespace dlc::tool {
namespace {

constexpr int64_t batches[] = {64, 256};

constexpr const char *perceptron = R"(train.program @tune {{
  train.state parameter @v : tensor<768x256xf32> = dense<0.01>
  train.state parameter @w : tensor<256x128xf32> = dense<0.01>
  train.input @x : tensor<{0}x768xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : tensor<{0}x768xf32>
    %v = train.read @v : tensor<768x256xf32>
    %w = train.read @w : tensor<256x128xf32>
    %0 = nn.matmul %x, %v : tensor<{0}x768xf32>, tensor<768x256xf32>
    %1 = nn.relu %0 : tensor<{0}x256xf32>
    %2 = nn.matmul %1, %w : tensor<{0}x256xf32>, tensor<256x128xf32>
    %3 = nn.mul %2, %2 : tensor<{0}x128xf32>, tensor<{0}x128xf32>
    %loss = nn.mean %3 axes [0, 1] : tensor<{0}x128xf32>
    %one = nn.constant dense<1.0> : tensor<f32>
    train.loss %loss, %one : tensor<f32>, tensor<f32>
  }
}
)";

/// A folder for what is compiled; it goes with all that is in it.
struct TemporaryFolder {
  TemporaryFolder() { failed = bool(llvm::sys::fs::createUniqueDirectory("dlc-tune", path)); }
  ~TemporaryFolder() { llvm::sys::fs::remove_directories(path); }
  llvm::SmallString<128> path;
  bool failed;
};

/// The processor's own name for itself, or LLVM's.
std::string brand() {
  if (auto info = llvm::MemoryBuffer::getFileAsStream("/proc/cpuinfo")) {
    auto [before, after] = (*info)->getBuffer().split("model name");
    StringRef name = after.split('\n').first.ltrim("\t :").trim();
    if (!name.empty())
      return name.str();
  }
  return llvm::sys::getHostCPUName().str();
}

class Tuner {
public:
  Tuner(const Invocation &invocation, CpuTarget target)
      : invocation(invocation), target(std::move(target)), context(registry()),
        diagnostics(context, "dlc", /*remarks=*/false) {
    context.loadAllAvailableDialects();
  }
  /// The tuning that is best here; nullopt after an error, which has been printed.
  std::optional<Tuning> run();

private:
  static DialectRegistry registry() {
    DialectRegistry result;
    pipeline::registerDialects(result);
    return result;
  }
  std::vector<TileChoice> tiles() const;
  /// Times the choices, best first.
  std::optional<std::vector<Measurement>> measure(ArrayRef<TileChoice> choices);
  /// The manifest of a compiled perceptron; empty after an error.
  std::string compile(const TileChoice &choice, int64_t batch, StringRef folder);

  const Invocation &invocation;
  CpuTarget target;
  MLIRContext context;
  pipeline::Diagnostics diagnostics;
};

/// Tiles with at least half as many sums as registers: fewer do not hide the latency of a multiply-add.
std::vector<TileChoice> Tuner::tiles() const {
  std::vector<TileChoice> result;
  for (auto [rows, vectors] :
       {std::pair<int64_t, int64_t>{12, 1}, {6, 2}, {8, 2}, {12, 2}, {4, 3}, {8, 3}, {6, 4}})
    if (TileChoice choice{rows, vectors, target.costs.fetchRows};
        isPossible(target, choice) && rows * vectors >= target.registers / 2)
      result.push_back(choice);
  return result;
}

std::string Tuner::compile(const TileChoice &choice, int64_t batch, StringRef folder) {
  std::error_code code;
  llvm::sys::fs::create_directories(folder);
  std::string file = (folder + "/choice.json").str();
  {
    llvm::raw_fd_ostream out(file, code);
    out << toText(tuningOf(target, choice));
    out.close();
    if (out.error())
      code = out.error();
    out.clear_error();
  }
  if (code) {
    llvm::errs() << "dlc: error: cannot write to a temporary folder: " << code.message() << '\n';
    return "";
  }
  std::string text = llvm::formatv(perceptron, batch);
  auto module = text::parse(llvm::MemoryBuffer::getMemBufferCopy(text, "perceptron"), context);
  pipeline::Options options;
  options.cpu = invocation.options.cpu;
  options.tune = file;
  options.emit = pipeline::Stage::Shared;
  options.outputFolder = folder.str();
  options.libraryFolder = findLibraries(invocation.program);
  if (!module || failed(train::addToRecipe(*module->getOps<train::ProgramOp>().begin(), {{"optimizer", "adam"}})) ||
      failed(pipeline::compile(*module, options, llvm::nulls())))
    return "";
  return (folder + "/tune.json").str();
}

std::optional<std::vector<Measurement>> Tuner::measure(ArrayRef<TileChoice> choices) {
  std::vector<Measurement> result;
  for (const TileChoice &choice : choices)
    result.push_back({choice, {}});
  for (int64_t batch : batches) {
    TemporaryFolder folder;
    if (folder.failed) {
      llvm::errs() << "dlc: error: cannot make a temporary folder\n";
      return std::nullopt;
    }
    std::vector<std::string> manifests;
    for (auto [index, choice] : llvm::enumerate(choices)) {
      manifests.push_back(compile(choice, batch, llvm::formatv("{0}/{1}", folder.path, index).str()));
      if (manifests.back().empty())
        return std::nullopt;
    }
    std::vector<double> times = timeInTurn(manifests, digestForProfile, invocation.tuneSeconds);
    if (times.empty())
      return std::nullopt;
    for (auto [measurement, time] : llvm::zip_equal(result, times))
      measurement.nanoseconds.push_back(int64_t(time));
  }
  auto product = [](const Measurement &m) {
    double all = 1; // what makes one model a tenth faster weighs as much as what makes the other
    for (int64_t time : m.nanoseconds)
      all *= double(time);
    return all;
  };
  llvm::sort(result, [&](const Measurement &a, const Measurement &b) { return product(a) < product(b); });
  return result;
}

std::optional<Tuning> Tuner::run() {
  auto byTile = measure(tiles());
  if (!byTile)
    return std::nullopt;
  TileChoice best = byTile->front().choice, other = best;
  other.fetchRows = !best.fetchRows;
  auto byFetching = measure({best, other});
  if (!byFetching)
    return std::nullopt;
  Tuning tuning = tuningOf(target, byFetching->front().choice);
  tuning.cpu = brand();
  tuning.measured = std::move(*byTile);
  llvm::append_range(tuning.measured, *byFetching);
  return tuning;
}

} // namespace

int runTune(Invocation &invocation) {
  auto target = CpuTarget::get("", invocation.options.cpu);
  if (!target) {
    llvm::errs() << "dlc: error: " << llvm::toString(target.takeError()) << '\n';
    return 1;
  }
  // Known before a minute of measuring.
  if (StringRef folder = llvm::sys::path::parent_path(invocation.file);
      !folder.empty() && !llvm::sys::fs::is_directory(folder)) {
    llvm::errs() << invocation.file << ": error: there is no folder '" << folder
                 << "' to write the file to\n";
    return 1;
  }
  auto tuning = Tuner(invocation, *target).run();
  if (!tuning)
    return 1;
  for (const Measurement &m : tuning->measured) {
    llvm::outs() << llvm::formatv("{0,2} rows x {1} vectors, rows {2}:", m.choice.tileRows,
                                  m.choice.tileVectors,
                                  m.choice.fetchRows ? "fetched ahead    " : "not fetched ahead");
    for (auto [batch, time] : llvm::zip_equal(batches, m.nanoseconds))
      llvm::outs() << llvm::formatv("  {0,8:F1} us at batch {1}", double(time) * 1e-3, batch);
    llvm::outs() << '\n';
  }
  llvm::Error error = emit::writeFile(invocation.file, toText(*tuning));
  if (!error)
    return 0;
  llvm::errs() << "dlc: error: " << llvm::toString(std::move(error)) << '\n';
  return 1;
}

} // namespace dlc::tool

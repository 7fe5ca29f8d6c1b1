//===- Loader.h - a finished program in this process -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sessions want of the compiler. A frontend does not include it: tools/libdlc, where everything is put
// together, implements this.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_RECORD_LOADER_H
#define DLC_FRONTENDS_CPP_RECORD_LOADER_H

#include "frontends/cpp/record/Recorder.h"

struct dlc_model; // dlc/abi.h

namespace dlc::record {

struct LoadOptions {
  std::string cpu;
  std::optional<int64_t> memoryBudget;
  int64_t ranks = 1;        ///< processes that have a batch together
  bool anySize = true;      ///< of the named dims, in steps that train
  double maxGradNorm = 0;   ///< 0: what the description says
  bool gradNorm = false;    ///< each update tells the gradients' norm
  bool stepMetrics = false; ///< steps that train tell of their batch what evaluations do
  std::string precision = "fp32";
  double lossScale = 0; ///< 0: what the precision asks for
  uint64_t seed = 0;
  bool isForGpus = false;
  bool simt = false; ///< for GPUs: code of this machine, for the check without one
};

/// What a profile measures.
struct ProfileWanted {
  std::string function; ///< of the model's functions; empty: the one that trains, or predicts
  int64_t steps = 0;    ///< 0: a second of calls, at least 20
  int threads = 0;
  bool byNode = false; ///< lines are nodes of the model, not kernels
};
struct Profiled {
  struct Line {
    std::string name;
    int64_t launches;
    double nanoseconds;
  };
  double nanoseconds = 0; ///< of a call
  int64_t calls = 0;
  int threads = 0;
  std::vector<Line> lines;
  std::string text, trace;
};

/// Compiled code, which must live as long as the instances of its model.
class LoadedProgram {
public:
  virtual ~LoadedProgram() = default;
  virtual const dlc_model *model() const = 0;
  /// The loss, where no prediction is right or wrong by it: "mse", or "output" where the description computes
  /// one of its own. "" where evaluations count what is right.
  virtual const std::string &lossWithoutClasses() const = 0;
  /// How long its launches on a CPU take, in instances of its own.
  virtual Outcome<Profiled> profile(const ProfileWanted &wanted) const = 0;
};

Outcome<std::unique_ptr<LoadedProgram>> loadProgram(const Program &program, const LoadOptions &options);

} // namespace dlc::record

#endif // DLC_FRONTENDS_CPP_RECORD_LOADER_H

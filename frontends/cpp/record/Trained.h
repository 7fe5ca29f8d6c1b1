//===- Trained.h - what has become of the states of a description ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A module's tensors are states of the recording, and a session trains states of a program that was taken out
// of it. So that a module shows what was trained, the recording asks those who train: when it computes
// values, and when it makes another program. Sessions begin and end in any thread; the recording asks in its
// own.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_RECORD_TRAINED_H
#define DLC_FRONTENDS_CPP_RECORD_TRAINED_H

#include "frontends/cpp/record/Recorder.h"
#include <atomic>
#include <functional>

namespace dlc::record {

/// While it lives, the states of a program are in the hands of compiled code. What they are at its end is
/// kept for the recording.
class Training {
public:
  /// The elements that a state of the program has now; none where the code has no such state.
  using Source = std::function<Outcome<std::optional<Elements>>(const std::string &name)>;
  Training(const Program &program, Source source);
  ~Training();
  Training(const Training &) = delete;

  /// The states are other ones than before.
  void changed();

private:
  friend class TrainedStates;
  std::map<Id, std::string> names;
  Source source;
  std::atomic<uint64_t> change = 0; ///< the number of the last one; 0: there was none
};

/// All of them.
class TrainedStates {
public:
  static TrainedStates &get();

  /// A number above those of all changes so far.
  uint64_t next() { return ++changes; }
  /// The elements of the latest change of a state, if its number is above `seen`, which it becomes.
  Outcome<std::optional<Elements>> newer(Id state, uint64_t &seen);
  /// The states whose trainings have ended, and that were not asked for since.
  std::vector<Id> left();

  void begin(Training &training);
  void end(Training &training);

private:
  struct Implementation;
  TrainedStates();
  std::unique_ptr<Implementation> all;
  std::atomic<uint64_t> changes = 0;
};

} // namespace dlc::record

#endif // DLC_FRONTENDS_CPP_RECORD_TRAINED_H

//===- Ranks.h - processes that train one model together --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is collective must be reached by all ranks, or by none. So what can go wrong on one of them before the
// training begins is told to all at one place (begin); what goes wrong on one alone after it ends all of
// them.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_RANKS_H
#define DLC_TOOLS_DLC_TRAIN_RANKS_H

#include "dlc/collectives.h"
#include "tools/dlc/train/Arrays.h"
#include "tools/dlc/train/Train.h"

namespace dlc::tool::training {

/// A failure that all ranks know, and that rank 0 alone prints.
struct Agreed : Failure {
  using Failure::Failure;
};

class Ranks {
public:
  /// Opens libdlc-mpi where the options say that this is one of several, whose output goes nowhere but for
  /// that of rank 0.
  explicit Ranks(const TrainOptions &options);
  Ranks(const Ranks &) = delete;
  Ranks &operator=(const Ranks &) = delete;
  ~Ranks();

  bool areSeveral() const { return table.ranks > 1; }
  bool isFirst() const { return table.rank == 0; }
  ThisRank thisRank() const { return {table.rank, table.ranks}; }
  /// Threads of this process, where its machine has several and nobody says how many: its share.
  int32_t threads() const;
  const dlc_collectives &collectives() const { return table; }

  /// The options of this one of several ranks: only rank 0 reads and writes what the output folder has.
  TrainOptions own(const TrainOptions &options) const;

  /// Once, when a rank is ready to train: sees that all are, and that the lines, such as "--lr 0.1", are
  /// those of rank 0.
  void begin(const std::vector<std::string> &lines);
  /// Does something on rank 0, and fails on all where it does.
  void onFirst(const std::function<void()> &task);
  /// Adds up numbers of all ranks. Failure on all where `task`, which is done before, fails on one.
  void sum(double *values, int32_t count, const std::function<void()> &task);
  /// Whether it holds on a rank.
  bool any(bool holds);
  void share(void *data, size_t bytes) const;
  /// Throws with `sentence` where a call on the runtime has failed, which all ranks have made with this
  /// result.
  void check(dlc_status status, const char *sentence) const;
  /// Ends the training for something that all ranks find: only the first one prints the sentence.
  [[noreturn]] void fail(const std::string &sentence) const;

  /// Where an exception ends the training: says what all have to know. The sentence to print; "": nothing.
  std::string leave(const std::exception &problem);

private:
  void open(const std::string &folder);
  void agree(const std::string *problem, double *sums = nullptr, int32_t count = 0);
  [[noreturn]] void lose() const;

  dlc_collectives table = {};
  bool hasBegun = false;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_RANKS_H

//===- dlc/lbfgs.hpp - L-BFGS around a session ------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// torch.optim.LBFGS for a dlc::Session: each step computes loss and gradient of one batch several times. The
// optimizer of the program is not used. Programs in C have dlc/lbfgs.h.
//===----------------------------------------------------------------------===//
#ifndef DLC_LBFGS_HPP
#define DLC_LBFGS_HPP

#include "dlc/session.h"

struct dlc_lbfgs;

namespace dlc {

/// Trains the parameters that are not frozen, of one session.
class DLC_API LBFGS {
public:
  /// PyTorch's settings and their defaults.
  struct Options {
    double lr = 1;     ///< how far a step goes without a line search, and where a search begins
    int max_iter = 20; ///< iterations of a step, at most
    std::optional<int> max_eval = {}; ///< evaluations that end a step; five quarters of max_iter
    double tolerance_grad = 1e-7;     ///< ends a step where no element of the gradient is larger
    double tolerance_change = 1e-9;   ///< ends a step where loss or values change by less
    int history_size = 100;           ///< changes of the gradient that are remembered
    bool strong_wolfe = false;        ///< line_search_fn="strong_wolfe"
  };
  explicit LBFGS(const Options &options);
  LBFGS() : LBFGS(Options()) {}
  ~LBFGS();
  LBFGS(const LBFGS &) = delete;

  /// Several iterations, with inputs and targets as Session::train_step has them; the loss before.
  double step(Session &session, const std::vector<View> &batch, Where where = Where::current());

  /// Writes what is remembered between two steps to a safetensors file, whole or not at all. An error before
  /// the first step.
  void save(const std::string &path, Where where = Where::current()) const;
  /// Reads such a file: steps go on with the bits that they would have had, where the session has loaded its
  /// checkpoint of that time, and the options are the same.
  void load(Session &session, const std::string &path, Where where = Where::current());

private:
  void begin(size_t numbers, Where where);

  Options options;
  dlc_lbfgs *lbfgs = nullptr; ///< since the first step, when the number of parameters is known
  size_t count = 0;
};

} // namespace dlc

#endif // DLC_LBFGS_HPP

//===- Signals.h - Ctrl-C between two steps --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_SIGNALS_H
#define DLC_TOOLS_DLC_TRAIN_SIGNALS_H

namespace dlc::tool::training {

/// While it lives, the first SIGINT, SIGTERM or SIGUSR1 is remembered; a second one ends the process. SIGUSR1 is how
/// launchers ask all their processes to stop: Slurm's --signal, and mpirun that gets it.
class Signals {
public:
  Signals();
  ~Signals();
  Signals(const Signals &) = delete;
  Signals &operator=(const Signals &) = delete;

  /// The signal that came, 0 if none did.
  int received() const;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_SIGNALS_H

//===- Fibres.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads that take turns in one thread of the operating system: each runs until it lets go.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_SIMT_FIBRES_H
#define DLC_TOOLS_SIMT_FIBRES_H

#include <csetjmp>
#include <cstdint>
#include <memory>
#include <vector>

namespace dlc::simt {

class Fibres {
public:
  /// What a fibre does; called again and again with the fibre's number, once for each `start`.
  using Body = void (*)(void *context, uint32_t fibre);

  /// Makes `count` fibres ready to run `body`. Those that an earlier start left unfinished are forgotten.
  void start(uint32_t count, Body body, void *context);
  /// Runs a fibre until it calls `pause` or its body ends.
  void resume(uint32_t fibre);
  /// In a fibre: back to whoever has resumed it.
  void pause();
  bool isDone(uint32_t fibre) const { return fibres[fibre]->done; }
  /// Whether the address is on the stack of the fibre that runs.
  bool isOnStack(const void *address) const;

  ~Fibres();

private:
  struct Fibre {
    unsigned char *stack = nullptr;
    jmp_buf state;
    bool made = false, done = true;
  };
  static void enter();
  void make(Fibre &fibre);

  std::vector<std::unique_ptr<Fibre>> fibres;
  Body body = nullptr;
  void *context = nullptr;
  uint32_t running = 0;
  jmp_buf scheduler;
};

} // namespace dlc::simt

#endif

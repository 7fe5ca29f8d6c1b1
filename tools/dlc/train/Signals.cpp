//===- Signals.cpp - Ctrl-C between two steps ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Signals.h"
#include <csignal>

namespace dlc::tool::training {

namespace {

volatile std::sig_atomic_t signalNumber = 0;

extern "C" void rememberSignal(int number) { signalNumber = number; }

void handle(void (*handler)(int), int flags) {
  struct sigaction action = {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
}

} // namespace

Signals::Signals() {
  signalNumber = 0;
  handle(rememberSignal, SA_RESETHAND | SA_RESTART);
}

Signals::~Signals() { handle(SIG_DFL, 0); }

int Signals::received() const { return signalNumber; }

} // namespace dlc::tool::training

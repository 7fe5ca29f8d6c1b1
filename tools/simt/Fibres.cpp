//===- Fibres.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stack comes from makecontext; afterwards setjmp and longjmp change between stacks, which is faster, as
// they leave the signal mask alone. A fibre outlives its body's end, waiting for the next start.
//===----------------------------------------------------------------------===//
#undef _FORTIFY_SOURCE // its longjmp takes jumps between stacks for errors
#include "tools/simt/Fibres.h"

#include <new>
#include <sys/mman.h>
#include <ucontext.h>

namespace dlc::simt {

// Large kernels come without optimization: all of their values lie on the stack.
constexpr size_t stackBytes = 2 << 20, guardBytes = 256 << 10;
static Fibres *entering; // makecontext's functions take numbers only

Fibres::~Fibres() {
  for (auto &fibre : fibres)
    munmap(fibre->stack, stackBytes);
}

void Fibres::enter() {
  Fibres &all = *entering;
  Fibre &self = *all.fibres[all.running];
  for (;;) {
    all.body(all.context, all.running);
    self.done = true;
    all.pause();
  }
}

void Fibres::make(Fibre &fibre) {
  if (!fibre.stack) {
    void *memory =
        mmap(nullptr, stackBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      throw std::bad_alloc();
    fibre.stack = static_cast<unsigned char *>(memory);
    mprotect(fibre.stack, guardBytes, PROT_NONE); // a stack that is too small ends the program
  }
  fibre.made = false;
}

void Fibres::start(uint32_t count, Body newBody, void *newContext) {
  body = newBody;
  context = newContext;
  while (fibres.size() < count)
    fibres.push_back(std::make_unique<Fibre>());
  for (uint32_t i = 0; i < count; ++i) {
    if (!fibres[i]->stack || !fibres[i]->done)
      make(*fibres[i]);
    fibres[i]->done = false;
  }
}

void Fibres::resume(uint32_t number) {
  Fibre &fibre = *fibres[number];
  running = number;
  if (_setjmp(scheduler) != 0)
    return;
  if (fibre.made)
    _longjmp(fibre.state, 1);
  fibre.made = true;
  entering = this;
  ucontext_t fresh;
  getcontext(&fresh);
  fresh.uc_stack.ss_sp = fibre.stack;
  fresh.uc_stack.ss_size = stackBytes;
  fresh.uc_link = nullptr;
  makecontext(&fresh, enter, 0);
  setcontext(&fresh);
}

void Fibres::pause() {
  if (_setjmp(fibres[running]->state) == 0)
    _longjmp(scheduler, 1);
}

bool Fibres::isOnStack(const void *address) const {
  const unsigned char *stack = fibres[running]->stack;
  return address >= stack && address < stack + stackBytes;
}

} // namespace dlc::simt

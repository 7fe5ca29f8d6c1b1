// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the layering test: the runtime has no LLVM, and its core knows no threads.
#include "core/Error.h"
#include "llvm/ADT/StringRef.h"
#include "runtime/cpu/ThreadPool.h"

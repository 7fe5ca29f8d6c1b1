//===- dlc/dlc.h - models as C++ programs -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Includes everything that describes a model (docs/cpp.md). Programs that train a compiled model include its
// own header and dlc/runtime.h instead.
//===----------------------------------------------------------------------===//
#ifndef DLC_DLC_H
#define DLC_DLC_H

#include "dlc/autograd.h"
#include "dlc/custom.h"
#include "dlc/functions.h"
#include "dlc/loops.h"
#include "dlc/nn.h"
#include "dlc/program.h"

#endif // DLC_DLC_H

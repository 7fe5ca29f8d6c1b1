// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the layering test: stages speak through IR.
#include "compiler/backward/Functions.h"
#include "dialects/nn/NN.h"

// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// For the layering test: a dialect may not know a stage.
#include "compiler/fuse/Fuse.h"

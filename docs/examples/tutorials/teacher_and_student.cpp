// The two models of two_models.h, for `dlc compile` and `dlc export`, whose --model chooses one.
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "two_models.h"

DLC_MODEL(teacher) {
  dlc::manual_seed(0);
  return two_models::teacher();
}

DLC_MODEL(student) {
  dlc::manual_seed(0);
  return two_models::student();
}

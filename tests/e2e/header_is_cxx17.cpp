// Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A generated header is C++17 as well, with C linkage.
#include "mlp.h"

#include <type_traits>

static_assert(std::is_same<decltype(&mlp_train_step),
                           dlc_status (*)(mlp *, const float *, const int64_t *, float *)>::value,
              "the types of the model's inputs");

dlc_status headerIsCxx17(mlp **model) {
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  return mlp_create(&options, model);
}

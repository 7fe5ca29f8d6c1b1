/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A generated header is strict C11, needs no other include before it and can be included twice. */
#include "mlp.h"
#include "mlp.h"

_Static_assert(MLP_BATCH == 64, "the batch size that the model was compiled for");
_Static_assert(MLP_ARENA_BYTES % 64 == 0, "whole cache lines");

dlc_status header_is_c11(mlp *model, const float *images, const int64_t *labels, float *loss) {
  return mlp_train_step(model, images, labels, loss);
}

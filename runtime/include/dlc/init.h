/*===-- dlc/init.h - new initial values of parameters ----------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A model begins with the values that it was compiled with. These functions make others, to train it again from another
 * beginning: a program gives them to <model>_parameter_write before the first step. The same seed gives the same values
 * on every machine; they are not those of PyTorch's generator.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_INIT_H
#define DLC_INIT_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dlc_init_kind {
  DLC_INIT_ALIKE = 0,           /* as the values before: drawn with their mean and deviation, uniform where they look so,
                                   else normal. Values that are all equal, as scales and many biases are, stay */
  DLC_INIT_CONSTANT = 1,        /* `a` */
  DLC_INIT_UNIFORM = 2,         /* from `a` to `b` */
  DLC_INIT_NORMAL = 3,          /* of mean `a` and deviation `b` */
  DLC_INIT_XAVIER_UNIFORM = 4,  /* Glorot and Bengio 2010, times `a` (0: 1): as torch.nn.init's functions, for matrices */
  DLC_INIT_XAVIER_NORMAL = 5,   /* and the weights of convolutions */
  DLC_INIT_KAIMING_UNIFORM = 6, /* He et al. 2015, for ReLU: by the inputs of a neuron */
  DLC_INIT_KAIMING_NORMAL = 7
} dlc_init_kind;

typedef struct dlc_init {
  dlc_init_kind kind;
  int32_t reserved;
  double a, b;
} dlc_init;

/* Replaces `values`, row-major, of the parameter (DLC_F32 or DLC_F64): before, they are what <model>_parameter_read
 * gives. Which values it draws follows from the seed and from the parameter's name alone. DLC_INVALID_ARGUMENT: another
 * dtype, numbers that are not finite, a deviation below 0, xavier or kaiming of a parameter of less than two dimensions. */
dlc_status dlc_init_values(const dlc_init *how, uint64_t seed, const dlc_parameter_info *parameter, void *values);

#ifdef __cplusplus
}
#endif
#endif

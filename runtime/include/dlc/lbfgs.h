/*===-- dlc/lbfgs.h - L-BFGS around a model --------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The limited-memory method of Broyden, Fletcher, Goldfarb and Shanno asks for loss and gradient several
 * times in each step, and decides from them where to ask next. So it is a loop around <model>_grad_step, and
 * no part of a compiled step. It is for few parameters and for all the data in one batch. Source of the
 * formulas: torch.optim.LBFGS of PyTorch 2.13; all is computed in double precision.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_LBFGS_H
#define DLC_LBFGS_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dlc_lbfgs_options {
  double learning_rate; /* 1: how far a step goes without a line search, and where a line search begins */
  double gradient_tolerance; /* 1e-7: ends a step where no element of the gradient is larger */
  double change_tolerance;   /* 1e-9: ends a step where loss or values change by less */
  int32_t iterations;        /* 20: at most, in a step */
  int32_t evaluations;       /* 25: no iteration begins in a step after so many */
  int32_t history; /* 100: changes of the gradient that are remembered, each as large as the values, twice */
  int32_t strong_wolfe; /* 0; 1: looks along each direction for a length that fulfils the strong Wolfe
                           conditions (line_search_fn="strong_wolfe") */
} dlc_lbfgs_options;

/* The numbers above, which are PyTorch's. */
dlc_lbfgs_options dlc_lbfgs_defaults(void);

/* Writes the loss at `values`, and the gradient of it. Anything but DLC_OK ends the step. */
typedef dlc_status (*dlc_lbfgs_function)(void *context, const double *values, double *loss, double *gradient);

typedef struct dlc_lbfgs dlc_lbfgs;

/* For `count` values. NULL options: the defaults. Errors: DLC_INVALID_ARGUMENT: a number out of range;
 * DLC_OUT_OF_MEMORY. */
dlc_status dlc_lbfgs_create(int64_t count, const dlc_lbfgs_options *options, dlc_lbfgs **out);
void dlc_lbfgs_destroy(dlc_lbfgs *lbfgs);

/* One step of several iterations, which changes `values` [count]. `loss`, which may be NULL, receives the
 * loss before. Errors: that of `evaluate`; DLC_NOT_FINITE: loss or gradient are not, at `values` or where a
 * step without a line search leads. Then `values` are as before the step, and what was remembered is
 * forgotten. */
dlc_status dlc_lbfgs_step(dlc_lbfgs *lbfgs, double *values, dlc_lbfgs_function evaluate, void *context,
                          double *loss);

/* Writes what is remembered between two steps to a safetensors file, beside a checkpoint; until all is
 * written, whatever was at `path` stays. Another dlc_lbfgs of the same count, and with a history that is not
 * shorter, reads it, and goes on with the same bits on the same machine. The file is checked before anything
 * changes. `error` (may be NULL) receives a sentence that names the file. */
dlc_status dlc_lbfgs_save(dlc_lbfgs *lbfgs, const char *path, char *error, size_t error_bytes);
dlc_status dlc_lbfgs_load(dlc_lbfgs *lbfgs, const char *path, char *error, size_t error_bytes);

#ifdef __cplusplus
}
#endif
#endif

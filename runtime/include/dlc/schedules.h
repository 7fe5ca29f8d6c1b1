/*===-- dlc/schedules.h - learning rates as functions of the step --------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * A schedule gives the learning rate of a step from the rate to begin with, `base`, and the number of the step,
 * from 0:
 *
 *   mlp_set_learning_rate(model, dlc_schedule_cosine(1e-3, mlp_step_count(model), steps, 0));
 *
 * They are pure functions, so that training which goes on from a checkpoint has the same rates, and a step may as
 * well be an epoch. Source of the formulas: torch.optim.lr_scheduler of PyTorch 2.13, whose closed forms these
 * are; the results are equal to rounding. Settings that make no sense (a period below 1, a step below 0) give NaN,
 * which <model>_set_learning_rate refuses.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_SCHEDULES_H
#define DLC_SCHEDULES_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* base * factor in the first `steps` steps, then base (ConstantLR). */
double dlc_schedule_constant(double base, int64_t step, double factor, int64_t steps);
/* base * gamma^(step / size), rounded down (StepLR). */
double dlc_schedule_step(double base, int64_t step, int64_t size, double gamma);
/* base * gamma^(number of milestones that are not above the step) (MultiStepLR). Milestones rise. */
double dlc_schedule_multi_step(double base, int64_t step, const int64_t *milestones, int32_t count, double gamma);
/* base * gamma^step (ExponentialLR). */
double dlc_schedule_exponential(double base, int64_t step, double gamma);
/* base * (first + (last - first) * min(step, steps) / steps) (LinearLR). */
double dlc_schedule_linear(double base, int64_t step, double first, double last, int64_t steps);
/* base * (1 - min(step, steps) / steps)^power (PolynomialLR). */
double dlc_schedule_polynomial(double base, int64_t step, int64_t steps, double power);
/* least + (base - least) * (1 + cos(pi * step / steps)) / 2 (CosineAnnealingLR): down to `least` at `steps`, then up
 * again to base. */
double dlc_schedule_cosine(double base, int64_t step, int64_t steps, double least);
/* The same, but each time that `least` is near, base again: the first period has `steps` steps, each further one
 * `factor` times as many, factor at least 1 (CosineAnnealingWarmRestarts). */
double dlc_schedule_warm_restarts(double base, int64_t step, int64_t steps, int64_t factor, double least);
/* base * min(1, (step + 1) / steps): the first step moves already (LambdaLR of that function). For a warm-up from
 * another factor take dlc_schedule_linear. */
double dlc_schedule_warm_up(double base, int64_t step, int64_t steps);
/* base * factor(step, context) (LambdaLR). */
double dlc_schedule_lambda(double base, int64_t step, double (*factor)(int64_t step, void *context), void *context);
/* base * factor(1, context) * ... * factor(step, context) (MultiplicativeLR). It takes as long as there are steps. */
double dlc_schedule_multiplicative(double base, int64_t step, double (*factor)(int64_t step, void *context),
                                   void *context);
/* From base to `last` in so many steps, along half a cosine or, if linear is not 0, in a straight line; then it stays
 * (SWALR, whose swa_lr is `last`). For what a rate falls to while parameters are averaged. */
double dlc_schedule_swa(double base, int64_t step, double last, int64_t steps, int32_t linear);

typedef enum dlc_cycle_shape {
  DLC_TRIANGULAR = 0,  /* all cycles reach `highest` */
  DLC_TRIANGULAR2 = 1, /* each cycle is half as high as the one before */
  DLC_EXP_RANGE = 2    /* the height is gamma^step */
} dlc_cycle_shape;
typedef struct dlc_cycle {
  double highest;
  int64_t steps_up, steps_down;
  int32_t shape; /* dlc_cycle_shape */
  double gamma;  /* of DLC_EXP_RANGE */
} dlc_cycle;
/* From base up to `highest` and down again, in straight lines (CyclicLR). */
double dlc_schedule_cyclic(double base, int64_t step, const dlc_cycle *cycle);
/* A momentum, or beta1, that goes the other way: from `high` down to `low` and up again (cycle_momentum of CyclicLR;
 * PyTorch: 0.8 and 0.9). */
double dlc_schedule_cyclic_momentum(int64_t step, const dlc_cycle *cycle, double low, double high);

typedef struct dlc_one_cycle {
  int64_t steps;       /* of the whole training; from the last on the rate stays */
  double rising;       /* the part of the steps in which the rate rises; PyTorch: 0.3 */
  double divisor;      /* the first rate is base / divisor; PyTorch: 25 */
  double last_divisor; /* the last rate is the first / last_divisor; PyTorch: 1e4 */
  int32_t linear;      /* 1: straight lines, 0: half cosines */
  int32_t three_phase; /* 1: falls to the first rate in as many steps as it rose, then to the last */
} dlc_one_cycle;
/* Up to base, and down again (OneCycleLR, whose max_lr is base). */
double dlc_schedule_one_cycle(double base, int64_t step, const dlc_one_cycle *cycle);
/* A momentum, or beta1, that is `low` where the rate is base, and `high` at both ends (cycle_momentum of OneCycleLR;
 * PyTorch: 0.85 and 0.95). */
double dlc_schedule_one_cycle_momentum(int64_t step, const dlc_one_cycle *cycle, double low, double high);

/* A schedule of yours, or one of those above with its settings. */
typedef struct dlc_schedule {
  double (*rate)(double base, int64_t step, const void *settings);
  const void *settings;
} dlc_schedule;
/* Each schedule's rate is the next one's base (ChainedScheduler, for schedules that multiply). */
double dlc_schedule_chained(double base, int64_t step, const dlc_schedule *schedules, int32_t count);
/* One after the other: schedule k, counting from 0, begins at milestones[k - 1] with its own step 0 (SequentialLR).
 * There are count - 1 milestones, which rise. */
double dlc_schedule_sequential(double base, int64_t step, const dlc_schedule *schedules, int32_t count,
                               const int64_t *milestones);

/* The decay of a moving average (<model>_set_ema_decay, with --ema-decay) with which it is the mean of the parameters after
 * the steps start, start + every, start + 2 * every ... (AveragedModel of torch.optim.swa_utils): 1 in steps between them,
 * which leave it as it is, and 0 before. */
double dlc_schedule_swa_decay(int64_t step, int64_t start, int64_t every);

/* The rate falls where a metric gets no better (ReduceLROnPlateau). This depends on what was, which the struct
 * keeps: set what you want of the settings, zero the rest, and save it with your checkpoints. */
typedef struct dlc_plateau {
  double rate;      /* the learning rate now */
  double factor;    /* above 0, below 1; PyTorch: 0.1 */
  double threshold; /* what counts as better: by this part of the best, PyTorch: 1e-4 */
  double least;     /* the rate never falls below */
  double smallest_change; /* smaller ones are not made; PyTorch: 1e-8 */
  int64_t patience; /* so many calls without a better metric are waited for; PyTorch: 10 */
  int64_t cooldown; /* calls after a change that do not count */
  int32_t larger_is_better;
  int32_t absolute; /* 1: threshold is a difference, not a part of the best */
  /* What it remembers: */
  double best;
  int64_t has_best, bad_calls, cooling;
} dlc_plateau;
/* Takes the metric of an epoch, such as the loss on other data, and gives the new rate. */
double dlc_plateau_step(dlc_plateau *plateau, double metric);

#ifdef __cplusplus
}
#endif
#endif

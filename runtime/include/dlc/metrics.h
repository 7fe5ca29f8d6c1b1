/*===-- dlc/metrics.h - what predictions are worth ------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Metrics of predictions and targets in arrays, and decisions that follow from a metric. <model>_eval_step counts
 * correct predictions itself; these are for what it does not count. They are computed in double precision. Scores
 * are [rows][classes]; labels that are no class, such as -100, do not count. Where several scores are equal, the
 * first counts as the largest. A metric of nothing (no rows, no row of a class) is NaN. Definitions: those of
 * scikit-learn's functions of the same names.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_METRICS_H
#define DLC_METRICS_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The part of the rows whose label is among the k classes of the largest scores; k = 1: accuracy. */
double dlc_top_k_accuracy(const float *scores, const int64_t *labels, int64_t rows, int64_t classes, int64_t k);

/* Adds the rows to `matrix` [classes][classes], which begins as zeros: matrix[label][class of the largest score]. */
void dlc_confusion_add(int64_t *matrix, const float *scores, const int64_t *labels, int64_t rows, int64_t classes);

/* The same of decisions between the classes 0 and 1, for which each row has one score: above `threshold`, which is 0
 * for logits and 0.5 for probabilities, it is 1. `matrix` is [2][2]; dlc_report_class(matrix, 2, 1) is what binary
 * metrics are about. */
void dlc_confusion_add_binary(int64_t *matrix, const float *scores, const int64_t *labels, int64_t rows,
                              double threshold);

/* What a confusion matrix says of one class. */
typedef struct dlc_class_report {
  double precision; /* rows of the class, of those that were predicted to be */
  double recall;    /* rows that were predicted to be of the class, of those that are */
  double f1;        /* 2 precision recall / (precision + recall) */
  int64_t support;  /* rows of the class */
} dlc_class_report;
dlc_class_report dlc_report_class(const int64_t *matrix, int64_t classes, int64_t which);
/* The mean over the classes that were predicted or are there; support is the sum. A quotient of nothing counts as 0,
 * as it does in scikit-learn. */
dlc_class_report dlc_report_mean(const int64_t *matrix, int64_t classes);
/* The part of all rows that is on the diagonal. */
double dlc_report_accuracy(const int64_t *matrix, int64_t classes);

/* The area under the ROC curve (roc_auc_score): the chance that a row with label 1 has a larger score than one with
 * label 0, equal scores counting half. NaN where a label is missing. Errors: DLC_OUT_OF_MEMORY;
 * DLC_INVALID_ARGUMENT: a score is NaN. */
dlc_status dlc_auc(const float *scores, const int64_t *labels, int64_t rows, double *area);

/* The mean of |prediction - target| (mean_absolute_error). */
double dlc_mean_absolute_error(const float *predictions, const float *targets, int64_t count);
/* 1 - sum (target - prediction)^2 / sum (target - mean of targets)^2 (r2_score); NaN where all targets are equal. */
double dlc_r2(const float *predictions, const float *targets, int64_t count);

/* What numbers are like, such as a gradient that <model>_gradient_read gave: a norm that explodes or vanishes, and values
 * that are not finite, show in it. Of no finite number all but the counts are 0. */
typedef struct dlc_statistics {
  int64_t count, finite; /* all numbers, and those that are finite, which the rest is about */
  double mean, deviation, least, largest;
  double norm;           /* the root of the sum of squares */
} dlc_statistics;
dlc_statistics dlc_statistics_of(const float *values, int64_t count);

/* Stops where a metric gets no better: set the settings, zero the rest, and save it with your checkpoints. */
typedef struct dlc_early_stop {
  double least_change; /* what counts as better is better by more than this */
  int64_t patience;    /* calls without a better metric before the first that stops */
  int32_t larger_is_better;
  int32_t has_best;    /* the rest is what it remembers */
  double best;
  int64_t calls, best_call, bad_calls; /* best_call: the number, from 1, of the call with the best metric */
} dlc_early_stop;
/* 1: stop. Takes the metric of an epoch; NaN is never better. */
int32_t dlc_early_stop_step(dlc_early_stop *stop, double metric);

/* Finds a learning rate (Smith 2017): the rate rises exponentially from `lowest` to `highest` over `steps` steps, and
 * the loss is looked at. Set the settings, zero the rest; train each step with dlc_rate_finder_rate and give its loss
 * to dlc_rate_finder_add. Afterwards load the state from before. Losses are smoothed, by 0.95. */
typedef struct dlc_rate_finder {
  double lowest, highest; /* e.g. 1e-7 and 1 */
  int64_t steps;          /* at least 2, e.g. 100 */
  int64_t done;           /* the rest is what it remembers */
  double smooth, weight, before; /* sum and weight of the losses so far, and the last smoothed one */
  double best, best_rate;        /* the lowest one, and the rate there */
  double slope, rate;            /* the steepest fall below all that was before, and the rate there */
} dlc_rate_finder;
double dlc_rate_finder_rate(const dlc_rate_finder *finder);
/* 1: that is all: all steps are done, or the loss is four times the lowest, or no number. */
int32_t dlc_rate_finder_add(dlc_rate_finder *finder, double loss);
/* The rate at which the loss fell most steeply along the logarithm of the rate, but at most a tenth of the one at
 * which it was lowest, as it rises from there on. A loss that falls back after it has risen has not fallen: only what is
 * lower than all before counts. NaN where the loss never fell. */
double dlc_rate_finder_suggestion(const dlc_rate_finder *finder);

#ifdef __cplusplus
}
#endif
#endif

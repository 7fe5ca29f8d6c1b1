/*===-- dlc/collectives.h - training in several processes ------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Processes that train one model together, the *ranks*, each have a part of every batch. What they say to each
 * other goes through a table of functions, which an engine fills in: dlc/mpi.h has the one of MPI. The runtime
 * itself links none.
 *
 * A function of the table is *collective*: every rank calls the same ones in the same order, and none returns
 * before its result is there. Calls come from one thread at a time. After any status but DLC_OK the ranks have
 * lost each other: nothing but `failure`, `abort` and `destroy` may follow.
 *===----------------------------------------------------------------------===*/
#ifndef DLC_COLLECTIVES_H
#define DLC_COLLECTIVES_H

#include "dlc/runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Functions are only ever added at the end: struct_size says which of them an engine has. */
typedef struct dlc_collectives {
  size_t struct_size;
  int32_t rank, ranks;             /* this process, from 0, and how many there are */
  int32_t local_rank, local_ranks; /* the same among those on its machine */
  void *context;                   /* the engine's own: the first argument of all functions */

  /* Adds up `count` numbers of all ranks, in place: every rank has the same sums, to the bit. `dtype` is DLC_F32 or
   * DLC_F64, and `count` the same on all ranks. The sum of two ranks is that of their numbers; with more, the order
   * is the engine's. */
  dlc_status (*all_reduce)(void *context, int32_t dtype, void *values, int64_t count);
  /* Gives all ranks the `bytes` bytes that rank `from` has at `data`. */
  dlc_status (*broadcast)(void *context, void *data, size_t bytes, int32_t from);
  /* Adds up `count` numbers, at most DLC_AGREE_MOST, as all_reduce does but in the order of the ranks, and gives all
   * of them the worst status: `*status` is that of each rank before, and afterwards the largest one, `*of_rank` the
   * first rank that has it. `*before` is the first number's sum over the ranks in front of this one: 0 on rank 0, and
   * where there are no numbers. A rank that does not come within the engine's limit of time is named by `failure`. */
  dlc_status (*agree)(void *context, double *sums, int32_t count, double *before, int32_t *status, int32_t *of_rank);

  /* A sentence about what has failed, valid until the next call; NULL where nothing has. */
  const char *(*failure)(void *context);
  /* Ends all ranks, this process too, where one of them cannot go on. */
  void (*abort)(void *context);
  /* Frees what the engine has; collective, where nothing has failed. */
  void (*destroy)(void *context);
} dlc_collectives;

#define DLC_AGREE_MOST 16

/* ---- models in memory ------------------------------------------------------------------------ */

/* For an instance of dlc/abi.h whose program was compiled for ranks, on a CPU. All are collective. Where a rank
 * refuses, all answer with its status, and with the sentence "rank 1: ..."; each has the state that it had, and the
 * next call works. Where the ranks have lost each other the status is DLC_DEVICE_FAILED, the sentence that of
 * `failure`, and the instance can only be destroyed. */
struct dlc_instance;

/* Once, before the first step and after a rank has loaded a checkpoint: sees that all ranks have the same model in
 * the same form, and gives all the state of rank 0: parameters, buffers, the optimizer's, hyperparameters, random
 * numbers, the count of steps. DLC_INVALID_ARGUMENT: a rank has another model. DLC_UNAVAILABLE: the program was not
 * compiled for ranks, or runs on a GPU. */
dlc_status dlc_instance_join_ranks(struct dlc_instance *instance, const dlc_collectives *collectives);

/* One training step of all ranks: that of one process on a batch which has the rows of all. `rows` are this rank's, 0
 * to the bound of the batch, and `inputs` theirs; a rank without rows takes part, and its inputs are not looked at. The
 * whole batch has rank 0's rows first, then rank 1's, and so on: random numbers, as dropout's, are those of the place.
 * `loss` (may be NULL) receives the loss of the whole batch, `metrics` (may be NULL) its sums, as eval_step has them,
 * where the program tells any: the same on all ranks. */
dlc_status dlc_instance_rank_step(struct dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                                  const void *const *inputs, float *loss, dlc_metrics *metrics);

/* The same in two: the gradients of a batch, and the update with them. Between them `rank_accumulate` adds those of
 * further batches, where the program was compiled with `--accumulate`: each rank keeps what its rows give, and nothing
 * is added up over the ranks before rank_apply. */
dlc_status dlc_instance_rank_grad_step(struct dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                                       const void *const *inputs, float *loss, dlc_metrics *metrics);
dlc_status dlc_instance_rank_accumulate(struct dlc_instance *instance, const dlc_collectives *collectives, int64_t rows,
                                        const void *const *inputs, float *loss, dlc_metrics *metrics);
dlc_status dlc_instance_rank_apply(struct dlc_instance *instance, const dlc_collectives *collectives);

#ifdef __cplusplus
}
#endif
#endif

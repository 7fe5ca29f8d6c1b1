/* Steps of several ranks, which are threads here, beside those of one on all rows.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The engine below has the table of dlc/collectives.h for threads. It notes which calls ranks make, and what they
 * disagree in: other functions or other sizes are an error. */
#include "dlc/abi.h"
#include "dlc/collectives.h"
#include "ranked.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most_ranks = 4, batch = 24, features = 3, values = 40 };

#define CHECK(holds)                                                                                                  \
  do {                                                                                                                \
    if (!(holds)) {                                                                                                   \
      fprintf(stderr, "rank_steps.c:%d: %s\n", __LINE__, #holds);                                                     \
      exit(1);                                                                                                        \
    }                                                                                                                 \
  } while (0)

/* ---- threads as ranks ------------------------------------------------------------------------- */

typedef struct team {
  pthread_barrier_t barrier;
  int ranks, fails_at;      /* the call, from 1, that finds the others gone; 0: none does */
  const void *shown[most_ranks];
  long sizes[most_ranks];
} team;

typedef struct member {
  team *of;
  int rank, calls;
} member;

/* What all ranks show each other, each at the same call. */
static int meet(member *self, const void *data, long size) {
  team *of = self->of;
  if (++self->calls == of->fails_at)
    return 1;
  of->shown[self->rank] = data;
  of->sizes[self->rank] = size;
  pthread_barrier_wait(&of->barrier);
  for (int rank = 0; rank < of->ranks; ++rank)
    CHECK(of->sizes[rank] == size);
  return 0;
}

static void leave(member *self) { pthread_barrier_wait(&self->of->barrier); }

static dlc_status all_reduce(void *context, int32_t dtype, void *values, int64_t count) {
  member *self = context;
  CHECK(dtype == DLC_F32);
  if (meet(self, values, 1000 + (long)count))
    return DLC_DEVICE_FAILED;
  float *sums = malloc((size_t)count * sizeof *sums);
  memcpy(sums, self->of->shown[0], (size_t)count * sizeof *sums);
  for (int rank = 1; rank < self->of->ranks; ++rank)
    for (int64_t i = 0; i < count; ++i)
      sums[i] += ((const float *)self->of->shown[rank])[i];
  leave(self); /* all have read */
  memcpy(values, sums, (size_t)count * sizeof *sums);
  free(sums);
  return DLC_OK;
}

static dlc_status broadcast(void *context, void *data, size_t bytes, int32_t from) {
  member *self = context;
  if (meet(self, data, -1000 - (long)bytes))
    return DLC_DEVICE_FAILED;
  if (self->rank != from)
    memcpy(data, self->of->shown[from], bytes);
  leave(self);
  return DLC_OK;
}

static dlc_status agree(void *context, double *sums, int32_t count, double *before, int32_t *status,
                        int32_t *of_rank) {
  member *self = context;
  double own[1 + DLC_AGREE_MOST] = {*status};
  if (count)
    memcpy(own + 1, sums, (size_t)count * sizeof *sums);
  if (meet(self, own, count))
    return DLC_DEVICE_FAILED;
  double all[1 + DLC_AGREE_MOST] = {0};
  *of_rank = 0;
  for (int rank = 0; rank < self->of->ranks; ++rank) {
    const double *theirs = self->of->shown[rank];
    if (rank == self->rank)
      *before = all[1];
    if (theirs[0] > all[0]) {
      all[0] = theirs[0];
      *of_rank = rank;
    }
    for (int32_t i = 1; i <= count; ++i)
      all[i] += theirs[i];
  }
  leave(self);
  *status = (int32_t)all[0];
  for (int32_t i = 0; i < count; ++i)
    sums[i] = all[1 + i];
  return DLC_OK;
}

static const char *failure(void *context) {
  (void)context;
  return "the other ranks are gone";
}

static void nothing(void *context) { (void)context; }

/* ---- what a rank does -------------------------------------------------------------------------- */

typedef struct rank_work {
  member self;
  dlc_collectives table;
  ranked *model;
  int64_t rows[8];        /* of each step; a negative number ends them */
  const float *x[8];
  const int64_t *labels[8];
  dlc_status status[8];
  float loss[8];
  dlc_metrics metrics[8];
  char sentence[8][300];
  float values[values];
} rank_work;

static void read_values(ranked *model, float *into) {
  const struct { const char *name; int count; } all[] = {{"w1", 12}, {"w2", 12},  {"scale", 4},
                                                         {"shift", 4}, {"mean", 4}, {"variance", 4}};
  for (int i = 0; i < 6; into += all[i++].count)
    CHECK(ranked_parameter_read(model, all[i].name, into, (size_t)all[i].count * sizeof *into) == DLC_OK);
}

static void *work(void *argument) {
  rank_work *self = argument;
  struct dlc_instance *instance = (struct dlc_instance *)self->model;
  if (self->self.rank > 0) { /* joining makes it rank 0's */
    const float other[12] = {0};
    CHECK(ranked_parameter_write(self->model, "w1", other, sizeof other) == DLC_OK);
  }
  CHECK(dlc_instance_join_ranks(instance, &self->table) == DLC_OK);
  /* There is nothing to update with yet, and the model was not compiled to join batches. */
  CHECK(dlc_instance_rank_apply(instance, &self->table) == DLC_UNAVAILABLE);
  CHECK(dlc_instance_rank_accumulate(instance, &self->table, 0, NULL, NULL, NULL) == DLC_UNAVAILABLE);
  CHECK(strstr(ranked_last_error(self->model), "--accumulate"));
  for (int step = 0; self->rows[step] >= 0; ++step) {
    const void *inputs[] = {self->x[step], self->labels[step]};
    const int is_last = self->rows[step + 1] < 0; /* in two */
    self->status[step] = (is_last ? dlc_instance_rank_grad_step : dlc_instance_rank_step)(
        instance, &self->table, self->rows[step], inputs, &self->loss[step], &self->metrics[step]);
    if (is_last && self->status[step] == DLC_OK) {
      self->status[step] = dlc_instance_rank_apply(instance, &self->table);
      CHECK(self->status[step] != DLC_OK || dlc_instance_rank_apply(instance, &self->table) == DLC_UNAVAILABLE);
    }
    snprintf(self->sentence[step], sizeof self->sentence[step], "%s", ranked_last_error(self->model));
    read_values(self->model, self->values);
  }
  return NULL;
}

/* Steps of so many ranks; step i goes over the first `rows[i]` rows, of which rank r has those from
 * rows * r / ranks on. `wrong`, if not negative: a label of this row is out of range in step 1. */
static void train(int ranks, const int64_t *rows, int steps, int64_t wrong, int fails_at, rank_work *works) {
  static float x[batch * features];
  static int64_t labels[batch], wrong_labels[batch];
  for (int i = 0; i < batch * features; ++i)
    x[i] = (float)((i * 37 + 11) % 64) / 32 - 1;
  for (int i = 0; i < batch; ++i) /* of the first third few count */
    wrong_labels[i] = labels[i] = i < batch / 3 && i % 4 ? -100 : (i * 5 + 1) % 3;
  if (wrong >= 0)
    wrong_labels[wrong] = 7;
  team of = {.ranks = ranks, .fails_at = fails_at};
  pthread_barrier_init(&of.barrier, NULL, (unsigned)ranks);
  pthread_t threads[most_ranks];
  memset(works, 0, (size_t)ranks * sizeof *works);
  for (int rank = 0; rank < ranks; ++rank) {
    rank_work *self = &works[rank];
    self->self = (member){&of, rank, 0};
    self->table = (dlc_collectives){sizeof self->table, rank, ranks, rank, ranks, &self->self, all_reduce,
                                    broadcast, agree, failure, nothing, nothing};
    dlc_create_options options = {.struct_size = sizeof options, .threads = 1};
    CHECK(ranked_create(&options, &self->model) == DLC_OK);
    for (int step = 0; step < steps; ++step) {
      const int64_t begin = rows[step] * rank / ranks;
      self->rows[step] = rows[step] * (rank + 1) / ranks - begin;
      self->x[step] = x + begin * features;
      self->labels[step] = (step == 1 ? wrong_labels : labels) + begin;
    }
    self->rows[steps] = -1;
  }
  for (int rank = 0; rank < ranks; ++rank)
    CHECK(pthread_create(&threads[rank], NULL, work, &works[rank]) == 0);
  for (int rank = 0; rank < ranks; ++rank)
    pthread_join(threads[rank], NULL);
  for (int rank = 0; rank < ranks; ++rank)
    ranked_destroy(works[rank].model);
  pthread_barrier_destroy(&of.barrier);
}

static double distance(const float *a, const float *b) {
  double sum = 0;
  for (int i = 0; i < values; ++i)
    sum += ((double)a[i] - b[i]) * ((double)a[i] - b[i]);
  return sqrt(sum);
}

int main(void) {
  static rank_work one[1], several[most_ranks];
  alarm(120); /* ranks that wait for each other for ever */
  const int64_t rows[] = {8, 8, 5, 2, 8};
  train(1, rows, 5, -1, 0, one);
  for (int ranks = 2; ranks <= most_ranks; ++ranks) {
    train(ranks, rows, 5, -1, 0, several); /* of 2 rows, some ranks have none */
    for (int rank = 0; rank < ranks; ++rank) {
      CHECK(memcmp(several[rank].values, several[0].values, sizeof several[0].values) == 0);
      for (int step = 0; step < 5; ++step) {
        CHECK(several[rank].status[step] == DLC_OK);
        CHECK(fabsf(several[rank].loss[step] - one->loss[step]) < 1e-6f);
        const dlc_metrics *found = &several[rank].metrics[step], *expected = &one->metrics[step];
        CHECK(found->correct == expected->correct && found->count == expected->count);
        CHECK(found->loss_weight == expected->loss_weight);
        CHECK(fabs(found->loss_sum - expected->loss_sum) < 1e-5);
      }
    }
    CHECK(distance(several[0].values, one->values) < 1e-6);
  }

  /* Parts that are full beside parts that are not, and full ones alone, have other functions. */
  const int64_t large[] = {23, 24, 23};
  float fewer_ranks[values];
  train(3, large, 3, -1, 0, several);
  memcpy(fewer_ranks, several[0].values, sizeof fewer_ranks);
  for (int rank = 0; rank < 3; ++rank)
    CHECK(memcmp(several[rank].values, fewer_ranks, sizeof fewer_ranks) == 0);
  train(4, large, 3, -1, 0, several);
  CHECK(distance(several[0].values, fewer_ranks) < 1e-6);

  /* A label out of range in a row of the last rank: all answer, nothing changes, and the next steps work. */
  const int64_t fewer[] = {8, 8, 8, 8};
  const int64_t without[] = {8, 8, 8};
  train(2, without, 3, -1, 0, several);
  float expected[values];
  memcpy(expected, several[0].values, sizeof expected);
  train(2, fewer, 4, 7, 0, several);
  for (int rank = 0; rank < 2; ++rank) {
    CHECK(several[rank].status[1] == DLC_INDEX_OUT_OF_RANGE);
    CHECK(strncmp(several[rank].sentence[1], "rank 1: ", 8) == 0 && strstr(several[rank].sentence[1], "'labels'"));
    CHECK(several[rank].status[2] == DLC_OK && several[rank].status[3] == DLC_OK);
    CHECK(memcmp(several[rank].values, expected, sizeof expected) == 0);
  }

  /* Whatever a step says to the others, among it the sums in the middle of both passes, finds them gone. */
  const int calls = several[0].self.calls;
  for (int last = 0; last < 8; ++last) {
    train(2, fewer, 4, 7, calls - last, several);
    for (int rank = 0; rank < 2; ++rank) {
      CHECK(several[rank].status[2] == DLC_OK && several[rank].status[3] == DLC_DEVICE_FAILED);
      CHECK(strstr(several[rank].sentence[3], "the other ranks are gone"));
      CHECK(several[rank].self.calls == calls - last); /* and nobody asks for them again */
    }
  }
  puts("steps of 2, 3 and 4 ranks are those of one");
  return 0;
}

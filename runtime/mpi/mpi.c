/*===-- mpi.c - collectives of MPI --------------------------------------------===
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * All calls are those that return at once, and are looked at until they are done: so that a rank that never comes is
 * an error after some time, and not a program that hangs. Who is missing is known where ranks send to rank 0 one by
 * one, which is in `agree`; a step begins with that.
 *===----------------------------------------------------------------------===*/
#include <mpi.h>

#include "dlc/mpi.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct engine {
  MPI_Comm all;
  int rank, ranks;
  int starts_mpi;   /* and so ends it */
  int has_failed;
  double seconds;   /* for which another rank is waited for */
  char failure[512];
  double *gathered; /* on rank 0: what each rank brings to agree, and then its answer */
  MPI_Request *requests;
} engine;

/* A message has the status, then the sums; the answer has behind them the rank, and what ranks before have brought. */
enum { message_tag = 1, answer_tag = 2, added = 2, most_of_message = DLC_AGREE_MOST + 1 + added };

/* ---- waiting ---------------------------------------------------------------------------------- */

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static dlc_status fail(engine *self, const char *sentence) {
  self->has_failed = 1;
  snprintf(self->failure, sizeof self->failure, "%s", sentence);
  return DLC_DEVICE_FAILED;
}

static dlc_status check(engine *self, int code) {
  if (code == MPI_SUCCESS)
    return DLC_OK;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  char sentence[sizeof self->failure];
  snprintf(sentence, sizeof sentence, "MPI has failed: %.400s", text);
  return fail(self, sentence);
}

/* Whether a request is done, until `deadline`. Ranks may share cores, so that waiting long must not take one: after
 * some turns it sleeps. (To yield is worse: who yields comes behind all that compute, who wakes up before them.) */
static dlc_status finish(engine *self, MPI_Request *request, double deadline, int *done) {
  *done = 0;
  for (long turn = 0; !*done; ++turn) {
    const dlc_status status = check(self, MPI_Test(request, done, MPI_STATUS_IGNORE));
    if (status != DLC_OK || *done)
      return status;
    if (turn < 2000)
      continue;
    if (now() > deadline)
      return DLC_OK;
    const struct timespec pause = {0, 20000};
    nanosleep(&pause, NULL);
  }
  return DLC_OK;
}

static dlc_status wait_for(engine *self, MPI_Request *request, const char *what) {
  int done;
  const dlc_status status = finish(self, request, now() + self->seconds, &done);
  if (status != DLC_OK || done)
    return status;
  char sentence[sizeof self->failure];
  snprintf(sentence, sizeof sentence,
           "%s is not done after %g s: another rank has ended or hangs (DLC_COLLECTIVE_SECONDS sets the limit)", what,
           self->seconds);
  return fail(self, sentence);
}

/* ---- what the table has ------------------------------------------------------------------------ */

/* MPI counts in int. */
static const int64_t most_at_once = 1 << 28;

static dlc_status all_reduce(void *context, int32_t dtype, void *values, int64_t count) {
  engine *self = context;
  if (dtype != DLC_F32 && dtype != DLC_F64)
    return fail(self, "sums are of F32 and F64 only");
  const MPI_Datatype type = dtype == DLC_F32 ? MPI_FLOAT : MPI_DOUBLE;
  const size_t size = dtype == DLC_F32 ? 4 : 8;
  for (int64_t done = 0; done < count; done += most_at_once) {
    const int64_t now_many = count - done < most_at_once ? count - done : most_at_once;
    MPI_Request request;
    dlc_status status =
        check(self, MPI_Iallreduce(MPI_IN_PLACE, (char *)values + (size_t)done * size, (int)now_many, type, MPI_SUM,
                                   self->all, &request));
    if (status == DLC_OK)
      status = wait_for(self, &request, "a sum over all ranks");
    if (status != DLC_OK)
      return status;
  }
  return DLC_OK;
}

static dlc_status broadcast(void *context, void *data, size_t bytes, int32_t from) {
  engine *self = context;
  for (size_t done = 0; done < bytes; done += (size_t)most_at_once) {
    const size_t now_many = bytes - done < (size_t)most_at_once ? bytes - done : (size_t)most_at_once;
    MPI_Request request;
    dlc_status status =
        check(self, MPI_Ibcast((char *)data + done, (int)now_many, MPI_BYTE, from, self->all, &request));
    if (status == DLC_OK)
      status = wait_for(self, &request, "what one rank sends to all");
    if (status != DLC_OK)
      return status;
  }
  return DLC_OK;
}

static dlc_status miss(engine *self, int rank) {
  char sentence[sizeof self->failure];
  snprintf(sentence, sizeof sentence,
           "rank %d has not answered for %g s: it has ended or hangs (DLC_COLLECTIVE_SECONDS sets the limit)", rank,
           self->seconds);
  return fail(self, sentence);
}

/* On rank 0, when requests to all others have been started: the one whose is not done in time has failed. */
static dlc_status finish_all(engine *self) {
  const double deadline = now() + self->seconds;
  for (int rank = 1; rank < self->ranks; ++rank) {
    int done;
    const dlc_status status = finish(self, &self->requests[rank], deadline, &done);
    if (status != DLC_OK)
      return status;
    if (!done)
      return miss(self, rank);
  }
  return DLC_OK;
}

/* On rank 0: the messages of all others, which come in any order. */
static dlc_status gather(engine *self, int count) {
  for (int rank = 1; rank < self->ranks; ++rank) {
    const dlc_status status =
        check(self, MPI_Irecv(self->gathered + (size_t)rank * most_of_message, count, MPI_DOUBLE, rank, message_tag,
                              self->all, &self->requests[rank]));
    if (status != DLC_OK)
      return status;
  }
  return finish_all(self);
}

static dlc_status answer(engine *self, int count) {
  for (int rank = 1; rank < self->ranks; ++rank) {
    const dlc_status status =
        check(self, MPI_Isend(self->gathered + (size_t)rank * most_of_message, count, MPI_DOUBLE, rank, answer_tag,
                              self->all, &self->requests[rank]));
    if (status != DLC_OK)
      return status;
  }
  return finish_all(self);
}

/* On the others: a message of so many numbers to rank 0, and its answer. */
static dlc_status ask(engine *self, double *message, int count) {
  MPI_Request sent, received;
  double reply[most_of_message] = {0};
  dlc_status status =
      check(self, MPI_Irecv(reply, count + added, MPI_DOUBLE, 0, answer_tag, self->all, &received));
  if (status == DLC_OK)
    status = check(self, MPI_Isend(message, count, MPI_DOUBLE, 0, message_tag, self->all, &sent));
  const double deadline = now() + self->seconds;
  MPI_Request *requests[] = {&sent, &received};
  for (int i = 0; i < 2 && status == DLC_OK; ++i) {
    int done;
    status = finish(self, requests[i], deadline, &done);
    if (status == DLC_OK && !done)
      status = miss(self, 0);
  }
  memcpy(message, reply, (size_t)(count + added) * sizeof *message);
  return status;
}

/* On rank 0, when all have been heard: `message`, its own, becomes its answer, and so do those of the others. */
static void add_up(engine *self, double *message, int32_t count) {
  for (int rank = 1; rank < self->ranks; ++rank) {
    double *theirs = self->gathered + (size_t)rank * most_of_message;
    if (theirs[0] > message[0]) {
      message[0] = theirs[0];
      message[1 + count] = rank;
    }
    theirs[2 + count] = count ? message[1] : 0;
    for (int32_t i = 0; i < count; ++i)
      message[1 + i] += theirs[1 + i];
  }
  for (int rank = 1; rank < self->ranks; ++rank)
    memcpy(self->gathered + (size_t)rank * most_of_message, message, (size_t)(count + 2) * sizeof *message);
}

static dlc_status agree(void *context, double *sums, int32_t count, double *before, int32_t *worst,
                        int32_t *of_rank) {
  engine *self = context;
  if (count < 0 || count > DLC_AGREE_MOST)
    return fail(self, "ranks agree on 16 numbers at most");
  double message[most_of_message] = {0};
  message[0] = *worst;
  for (int32_t i = 0; i < count; ++i)
    message[1 + i] = sums[i];
  dlc_status status = DLC_OK;
  if (self->rank != 0) {
    status = ask(self, message, count + 1);
  } else if ((status = gather(self, count + 1)) == DLC_OK) {
    add_up(self, message, count);
    status = answer(self, count + 1 + added);
  }
  if (status != DLC_OK)
    return status;
  *worst = (int32_t)message[0];
  *of_rank = (int32_t)message[1 + count];
  *before = message[2 + count];
  for (int32_t i = 0; i < count; ++i)
    sums[i] = message[1 + i];
  return DLC_OK;
}

static const char *failure(void *context) {
  const engine *self = context;
  return self->has_failed ? self->failure : NULL;
}

static void abort_all(void *context) {
  const engine *self = context;
  MPI_Abort(self->all, 1);
}

static void destroy(void *context) {
  engine *self = context;
  if (!self->has_failed) {
    MPI_Comm_free(&self->all);
    if (self->starts_mpi)
      MPI_Finalize();
  }
  free(self->gathered);
  free(self->requests);
  free(self);
}

/* ---- making one -------------------------------------------------------------------------------- */

static dlc_status refuse(dlc_status status, const char *sentence, char *error, size_t bytes) {
  if (error && bytes)
    snprintf(error, bytes, "%s", sentence);
  return status;
}

/* The environment's limit; 0 where it is none. */
static double limit_of_time(void) {
  const char *text = getenv("DLC_COLLECTIVE_SECONDS");
  if (!text || !*text)
    return 600;
  char *end;
  errno = 0;
  const double seconds = strtod(text, &end);
  return !*end && !errno && seconds >= 0.1 && seconds <= 1e7 ? seconds : 0;
}

static dlc_status make(MPI_Comm communicator, int starts_mpi, dlc_collectives *out, char *error, size_t bytes) {
  memset(out, 0, sizeof *out);
  const double seconds = limit_of_time();
  if (seconds == 0)
    return refuse(DLC_INVALID_ARGUMENT,
                  "DLC_COLLECTIVE_SECONDS in the environment: expected a number of seconds from 0.1 to 10000000",
                  error, bytes);
  engine *self = calloc(1, sizeof *self);
  if (!self)
    return refuse(DLC_OUT_OF_MEMORY, "no memory for what MPI is called with", error, bytes);
  self->seconds = seconds;
  self->starts_mpi = starts_mpi;
  MPI_Comm local = MPI_COMM_NULL;
  int local_rank = 0, local_ranks = 1;
  if (MPI_Comm_dup(communicator, &self->all) != MPI_SUCCESS || MPI_Comm_rank(self->all, &self->rank) != MPI_SUCCESS ||
      MPI_Comm_size(self->all, &self->ranks) != MPI_SUCCESS ||
      MPI_Comm_split_type(self->all, MPI_COMM_TYPE_SHARED, self->rank, MPI_INFO_NULL, &local) != MPI_SUCCESS) {
    free(self);
    return refuse(DLC_UNAVAILABLE, "MPI has no communicator of the processes", error, bytes);
  }
  MPI_Comm_rank(local, &local_rank);
  MPI_Comm_size(local, &local_ranks);
  MPI_Comm_free(&local);
  MPI_Comm_set_errhandler(self->all, MPI_ERRORS_RETURN);
  self->gathered = calloc((size_t)self->ranks * most_of_message, sizeof *self->gathered);
  self->requests = calloc((size_t)self->ranks, sizeof *self->requests);
  *out = (dlc_collectives){sizeof *out, self->rank, self->ranks, local_rank, local_ranks, self,    all_reduce,
                           broadcast,   agree,      failure,     abort_all,  destroy};
  if (self->gathered && self->requests)
    return DLC_OK;
  destroy(self);
  memset(out, 0, sizeof *out);
  return refuse(DLC_OUT_OF_MEMORY, "no memory for the messages of all ranks", error, bytes);
}

dlc_status dlc_mpi_collectives(MPI_Comm communicator, dlc_collectives *out, char *error, size_t error_bytes) {
  return make(communicator, /*starts_mpi=*/0, out, error, error_bytes);
}

dlc_status dlc_mpi_world(dlc_collectives *out, char *error, size_t error_bytes) {
  memset(out, 0, sizeof *out);
  int is_running = 0, has_ended = 0, level = MPI_THREAD_FUNNELED;
  MPI_Initialized(&is_running);
  MPI_Finalized(&has_ended);
  if (has_ended)
    return refuse(DLC_UNAVAILABLE, "MPI_Finalize has been called, and MPI does not start again", error, error_bytes);
  const int failed = is_running ? MPI_Query_thread(&level) : MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
  if (failed != MPI_SUCCESS || level < MPI_THREAD_FUNNELED)
    return refuse(DLC_UNAVAILABLE, "MPI does not start in a program of several threads (MPI_THREAD_FUNNELED)", error,
                  error_bytes);
  return make(MPI_COMM_WORLD, !is_running, out, error, error_bytes);
}

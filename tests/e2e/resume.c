/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Training that is killed and resumed from its last save ends with the same bits as training that is not:
 * three processes, of which one ends by SIGKILL. usage: resume DATA_FOLDER */
#include "training.h"

#include <signal.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

/* An emulated machine does fewer (tests/cross). */
#ifndef STEPS
#define STEPS 300
#endif
enum { saved = STEPS / 2, killed = STEPS * 2 / 3, end = STEPS };

static void uninterrupted(const data_set *data) {
  mlp *model = create(1);
  train(model, data, 0, end);
  check(mlp_save(model, "uninterrupted.safetensors"), model, "save");
  mlp_destroy(model);
}

static void interrupted(const data_set *data) {
  mlp *model = create(2);
  train(model, data, 0, saved);
  check(mlp_save(model, "interrupted.safetensors"), model, "save");
  train(model, data, saved, killed);
  raise(SIGKILL);
}

static void resumed(const data_set *data) {
  mlp *model = create(1);
  check(mlp_load(model, "interrupted.safetensors"), model, "load");
  if (mlp_step_count(model) != saved)
    fail("step_count", "is not that of the file");
  train(model, data, mlp_step_count(model), end);
  check(mlp_save(model, "resumed.safetensors"), model, "save");
  mlp_destroy(model);
}

/* Runs `body` in a process of its own: threads do not survive a fork, so models are created in there. */
static int in_child(void (*body)(const data_set *), const data_set *data) {
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    body(data);
    _exit(0);
  }
  int status;
  if (child < 0 || waitpid(child, &status, 0) != child)
    fail("fork", "no child");
  return status;
}

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  data_set data = read_data(argv[1]);
  int status = in_child(uninterrupted, &data);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail("uninterrupted training", "failed");
  status = in_child(interrupted, &data);
  if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGKILL)
    fail("interrupted training", "was not killed");
  status = in_child(resumed, &data);
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
    fail("resumed training", "failed");
  expect_same_files("uninterrupted.safetensors", "resumed.safetensors", "save, kill, resume");
  if (same_files("interrupted.safetensors", "resumed.safetensors"))
    fail("the comparison", "half of the steps and all of them give the same state");
  free_data(&data);
  return 0;
}

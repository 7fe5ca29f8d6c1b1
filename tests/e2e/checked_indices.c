/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Indices that a model computes: with --check-indices a call in which one is out of range fails and changes
 * nothing; without it the nearest row is taken. */
#include "checked.h"
#include "unchecked.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(int holds, const char *what) {
  printf("%s %s\n", holds ? "ok  " : "FAIL", what);
  if (!holds)
    exit(1);
}

static checked *model;
static const float target[CHECKED_BATCH * 3];

/* Everything that is saved: the table and the step count. */
static int state_is(const float *table, int64_t steps) {
  float now[8 * 3];
  return checked_parameter_read(model, "table", now, sizeof now) == DLC_OK &&
         memcmp(now, table, sizeof now) == 0 && checked_step_count(model) == steps;
}

int main(void) {
  dlc_create_options options = {.struct_size = sizeof options, .threads = 1};
  /* In the table of 8 rows: ids + 1 from -8 to 7. */
  const int64_t good[] = {-9, 6, 0, -1}, above[] = {0, 7, 1, 2}, below[] = {0, 1, 2, -10},
                far[] = {INT64_MIN, 0, 0, 0};
  const int64_t *bad[] = {above, below, far};
  static float before[8 * 3], rows[CHECKED_BATCH * 3];
  float loss;
  dlc_metrics metrics;
  expect(checked_create(&options, &model) == DLC_OK, "create");
  expect(checked_train_step(model, good, target, &loss) == DLC_OK, "train_step");
  expect(checked_grad_step(model, good, target, &loss) == DLC_OK, "grad_step");
  expect(checked_eval_step(model, 4, good, target, &metrics) == DLC_OK, "eval_step");
  expect(checked_predict(model, 4, good, rows) == DLC_OK, "predict");
  checked_parameter_read(model, "table", before, sizeof before);
  for (int i = 0; i < 3; ++i) {
    expect(checked_train_step(model, bad[i], target, &loss) == DLC_INDEX_OUT_OF_RANGE,
           "refused by train_step");
    printf("     %s\n", checked_last_error(model));
    expect(strstr(checked_last_error(model), "'embed.indices'") != NULL, "which names the operation");
    expect(strstr(checked_last_error(model), "expected -8 to 7") != NULL, "and says what was expected");
    expect(checked_grad_step(model, bad[i], target, &loss) == DLC_INDEX_OUT_OF_RANGE, "refused by grad_step");
    expect(checked_accumulate(model, bad[i], target, &loss) == DLC_INDEX_OUT_OF_RANGE,
           "refused by accumulate");
    expect(checked_eval_step(model, 4, bad[i], target, &metrics) == DLC_INDEX_OUT_OF_RANGE,
           "refused by eval_step");
    expect(checked_predict(model, 4, bad[i], rows) == DLC_INDEX_OUT_OF_RANGE, "refused by predict");
    expect(state_is(before, 1), "the state is as it was");
  }
  expect(checked_predict(model, 3, below, rows) == DLC_OK, "rows that are not part of the call do not count");
  expect(checked_apply(model) == DLC_OK, "the gradients of before can still be applied");
  expect(checked_step_count(model) == 2, "which is a second update");
  checked_destroy(model);

  unchecked *clamped;
  float table[8 * 3];
  expect(unchecked_create(&options, &clamped) == DLC_OK, "create without checks");
  for (int i = 0; i < 8 * 3; ++i)
    table[i] = (float)i;
  unchecked_parameter_write(clamped, "table", table, sizeof table);
  expect(unchecked_predict(clamped, 4, above, rows) == DLC_OK, "without checks nothing is refused");
  expect(rows[3] == 21 && rows[5] == 23, "and the nearest row is taken");
  unchecked_destroy(clamped);
  return 0;
}

/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * The other end of Emulator.h: linked with a compiled model for another machine and run by an emulator, it
 * calls the model's functions as requests on standard input say, and answers on standard output. Numbers are
 * as in memory: both machines are little-endian. All memory that it hands on is guarded (tests/guarded.h). */
#include "tests/guarded.h"

#include <stdio.h>
#include <stdlib.h>

/* Of the functions in the wrapper, a model has those that it can. */
#define FUNCTIONS(X)                                                                                         \
  X(test_create)                                                                                             \
  X(test_destroy) X(test_error) X(test_predict) X(test_grad_step) X(test_gradient) X(test_train_step)        \
      X(test_eval_step) X(test_read) X(test_write)
#define DECLARE(name) extern void name(void) __attribute__((weak));
FUNCTIONS(DECLARE)

typedef void (*function)(void);
/* Whole numbers and pointers are all alike to the calling convention. */
typedef int64_t (*call)(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, int64_t);

enum { most_arguments = 8, most_buffers = 4096 };
enum { a_number, a_buffer, an_array };
enum { gives_status, gives_pointer, gives_text };

static void fail(const char *why) {
  fprintf(stderr, "emulated: %s\n", why);
  exit(1);
}
static void get(void *to, size_t bytes) {
  if (bytes && fread(to, bytes, 1, stdin) != 1)
    fail("a request ends early");
}
static void put(const void *from, size_t bytes) {
  if (bytes && fwrite(from, bytes, 1, stdout) != 1)
    fail("nobody reads the answer");
}
static uint64_t get_number(void) {
  uint64_t number;
  get(&number, sizeof number);
  return number;
}

static guarded buffers[most_buffers];
static size_t buffer_count;

static void *get_buffer(void) {
  uint64_t bytes = get_number();
  guarded made = guarded_make(bytes, 0);
  if (!made.data || buffer_count == most_buffers)
    fail("no memory for an argument");
  get(made.data, bytes);
  buffers[buffer_count++] = made;
  return made.data;
}

static function find(const char *name) {
#define ENTRY(function) {#function, function},
  static const struct {
    const char *name;
    function code;
  } all[] = {FUNCTIONS(ENTRY)};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (!strcmp(all[i].name, name) && all[i].code)
      return all[i].code;
  fail(name);
  return NULL;
}

static void answer(uint64_t result, call code, const int64_t *x) {
  int64_t returned = code(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]);
  if (result == gives_text) {
    const char *text = (const char *)returned;
    uint64_t length = strlen(text);
    put(&length, sizeof length);
    put(text, length);
    return;
  }
  if (result == gives_status)
    returned = (int32_t)returned;
  put(&returned, sizeof returned);
}

int main(void) {
  static void *arrays[most_buffers];
  int first;
  while ((first = getchar()) != EOF) {
    char name[64] = {(char)first};
    get(name + 1, sizeof name - 1);
    uint64_t result = get_number(), count = get_number();
    if (count > most_arguments)
      fail("too many arguments");
    int64_t arguments[most_arguments] = {0};
    size_t used = 0;
    buffer_count = 0;
    for (uint64_t i = 0; i < count; ++i)
      switch (get_number()) {
      case a_number:
        arguments[i] = (int64_t)get_number();
        break;
      case a_buffer:
        arguments[i] = (int64_t)get_buffer();
        break;
      case an_array:
        arguments[i] = (int64_t)(arrays + used);
        for (uint64_t left = get_number(); left > 0; --left)
          arrays[used++] = get_buffer();
        break;
      }
    answer(result, (call)find(name), arguments);
    for (size_t i = 0; i < buffer_count; ++i) {
      if (!guarded_intact(&buffers[i]))
        fail("something was written before the memory given");
      put(buffers[i].data, buffers[i].bytes);
      guarded_free(&buffers[i]);
    }
    fflush(stdout);
  }
  return 0;
}

/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Memory to hand to compiled code, C and C++. It ends where a page begins that nobody may touch, so that
 * reading or writing one element too many ends the program at once; before it lie bytes that must stay as
 * they are. */
#ifndef DLC_TESTS_GUARDED_H
#define DLC_TESTS_GUARDED_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct guarded {
  unsigned char *begin; /* of the mapping */
  unsigned char *data;  /* the caller's: `bytes` of them */
  size_t bytes;
} guarded;

static inline size_t guarded_page(void) { return (size_t)sysconf(_SC_PAGESIZE); }

/* Of the data and of what lies before: at least a page. */
static inline size_t guarded_room(size_t bytes) { return (bytes / guarded_page() + 2) * guarded_page(); }

/* Filled with `filling`, and what lies before with something else. `data` is NULL if there is no memory. */
static inline guarded guarded_make(size_t bytes, int filling) {
  guarded made = {NULL, NULL, bytes};
  size_t room = guarded_room(bytes);
  void *begin = mmap(NULL, room + guarded_page(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (begin == MAP_FAILED)
    return made;
  made.begin = (unsigned char *)begin;
  made.data = made.begin + room - bytes;
  memset(made.begin, 0x5a, room - bytes);
  memset(made.data, filling, bytes);
  if (mprotect(made.begin + room, guarded_page(), PROT_NONE) != 0)
    made.data = NULL;
  return made;
}

/* Whether nobody has written before the data. */
static inline int guarded_intact(const guarded *memory) {
  for (const unsigned char *at = memory->begin; at < memory->data; ++at)
    if (*at != 0x5a)
      return 0;
  return 1;
}

static inline void guarded_free(guarded *memory) {
  if (memory->begin)
    munmap(memory->begin, guarded_room(memory->bytes) + guarded_page());
  memory->begin = memory->data = NULL;
}

#endif

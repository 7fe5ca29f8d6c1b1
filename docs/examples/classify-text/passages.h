/* Passages as tokens: a token is a word in small letters, or one of four that stand for no word.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef CLASSIFY_TEXT_PASSAGES_H
#define CLASSIFY_TEXT_PASSAGES_H

#include <stdint.h>

enum { PADDING, UNKNOWN, FIRST, MASK, FIRST_WORD }; /* tokens; those of words begin at FIRST_WORD */
enum { CLASSES = 2 };

typedef struct passage {
  int64_t tokens[WINDOW]; /* FIRST, the words, PADDING */
  int64_t mask[WINDOW];   /* 1 before the padding */
  int64_t label;
} passage;

typedef struct passages {
  passage *rows;
  int64_t count, training; /* those that are trained on come first; every fifth of the file is not */
  const char *names[CLASSES];
} passages;

/* Reads lines of a class, a tab and a text. The vocabulary is made of what is most frequent in those that are
 * trained on. Ends the program with a sentence where that fails. */
passages read_passages(const char *path);

#endif

/* Characters as tokens: the different characters of a text, in the order of their codes.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GPT_TEXT_H
#define GPT_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct alphabet {
  int size;                 /* different characters */
  unsigned char letter[256]; /* of each token */
  int token[256];            /* of each character; -1: not in the text */
} alphabet;

/* Reads a text and writes its tokens, two bytes each, to the file that dlc_tokens_open reads. Ends the program with
 * a sentence where that fails. */
alphabet write_tokens(const char *text_path, const char *tokens_path);

#endif

/* Characters as tokens (text.h).
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void fail(const char *path) {
  fprintf(stderr, "gpt: %s: %s\n", path, errno ? strerror(errno) : "cannot be read or written");
  exit(1);
}

alphabet write_tokens(const char *text_path, const char *tokens_path) {
  alphabet a = {0};
  int c;
  FILE *text = fopen(text_path, "rb");
  if (!text)
    fail(text_path);
  char seen[256] = {0};
  while ((c = getc(text)) != EOF)
    seen[c] = 1;
  for (c = 0; c < 256; ++c) {
    a.token[c] = seen[c] ? a.size : -1;
    if (seen[c])
      a.letter[a.size++] = (unsigned char)c;
  }
  FILE *tokens = fopen(tokens_path, "wb");
  if (!tokens)
    fail(tokens_path);
  rewind(text);
  while ((c = getc(text)) != EOF) {
    putc(a.token[c], tokens); /* a token below 256: its high byte is 0 */
    putc(0, tokens);
  }
  int wrong = ferror(text) | ferror(tokens);
  fclose(text);
  if (fclose(tokens) | wrong)
    fail(tokens_path);
  return a;
}

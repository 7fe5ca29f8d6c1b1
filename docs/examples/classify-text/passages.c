/* Passages as tokens (passages.h).
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "passages.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct word {
  const char *text;
  int64_t count;
} word;

typedef struct line {
  const char *name;
  const char *words[WINDOW]; /* NULL after the last */
} line;

static void fail(const char *path, const char *why) {
  fprintf(stderr, "classify-text: %s: %s\n", path, why);
  exit(1);
}

static void *allocate(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  if (!memory)
    fail("passages", "out of memory");
  return memory;
}

static char *read_file(const char *path) {
  FILE *file = fopen(path, "rb");
  if (!file)
    fail(path, strerror(errno));
  size_t used = 0, size = 1 << 20;
  char *text = malloc(size);
  while (text && (used += fread(text + used, 1, size - used - 1, file)) == size - 1)
    text = realloc(text, size *= 2);
  if (!text || ferror(file))
    fail(path, text ? strerror(errno) : "out of memory");
  fclose(file);
  text[used] = 0;
  return text;
}

/* Cuts the words of a text apart, in place; those that are too many are left out. */
static void cut_words(char *text, const char **words) {
  int count = 0;
  while (*text && count < WINDOW - 1) {
    while (*text && !isalpha((unsigned char)*text))
      ++text;
    if (*text)
      words[count++] = text;
    for (; isalpha((unsigned char)*text) || *text == '\''; ++text)
      *text = (char)tolower((unsigned char)*text);
    if (*text)
      *text++ = 0;
  }
}

static int by_text(const void *a, const void *b) {
  return strcmp(((const word *)a)->text, ((const word *)b)->text);
}

static int by_count(const void *a, const void *b) {
  const word *x = a, *y = b;
  return x->count != y->count ? (x->count < y->count) - (x->count > y->count) : by_text(a, b);
}

/* The most frequent words of the lines that are trained on, in the order of the alphabet; how many there are.
 */
static size_t make_vocabulary(const line *lines, int64_t count, word *words) {
  size_t all = 0, different = 0;
  for (int64_t i = 0; i < count; ++i)
    for (const char *const *w = lines[i].words; i % 5 != 4 && *w; ++w)
      words[all++] = (word){*w, 1};
  qsort(words, all, sizeof *words, by_text);
  for (size_t i = 0; i < all; ++i)
    if (different && !strcmp(words[different - 1].text, words[i].text))
      ++words[different - 1].count;
    else
      words[different++] = words[i];
  qsort(words, different, sizeof *words, by_count);
  if (different > VOCABULARY - FIRST_WORD)
    different = VOCABULARY - FIRST_WORD;
  qsort(words, different, sizeof *words, by_text);
  return different;
}

static int64_t class_of(const char *path, passages *all, const char *name) {
  for (int64_t i = 0; i < CLASSES; ++i) {
    if (!all->names[i])
      all->names[i] = name;
    if (!strcmp(all->names[i], name))
      return i;
  }
  fail(path, "more classes than the model was made for");
  return 0;
}

static passage as_tokens(const line *l, int64_t label, const word *vocabulary, size_t size) {
  passage s = {.tokens = {FIRST}, .mask = {1}, .label = label};
  for (int i = 0; l->words[i]; ++i) {
    word wanted = {l->words[i], 0};
    const word *known = bsearch(&wanted, vocabulary, size, sizeof *vocabulary, by_text);
    s.tokens[i + 1] = known ? FIRST_WORD + (known - vocabulary) : UNKNOWN;
    s.mask[i + 1] = 1;
  }
  return s;
}

passages read_passages(const char *path) {
  char *text = read_file(path);
  int64_t count = 0, most = 0;
  for (const char *c = text; *c; ++c)
    most += *c == '\n';
  line *lines = allocate((size_t)most, sizeof *lines);
  for (char *begin = text, *end; (end = strchr(begin, '\n')); begin = end + 1) {
    char *tab = memchr(begin, '\t', (size_t)(end - begin));
    if (!tab)
      fail(path, "expected a class, a tab and a text in each line");
    *tab = *end = 0;
    lines[count].name = begin;
    cut_words(tab + 1, lines[count++].words);
  }
  word *vocabulary = allocate((size_t)count * WINDOW, sizeof *vocabulary);
  size_t size = make_vocabulary(lines, count, vocabulary);
  passages all = {.rows = allocate((size_t)count, sizeof *all.rows), .count = count};
  for (int testing = 0; testing < 2; ++testing) {
    for (int64_t i = 0, row = testing ? all.training : 0; i < count; ++i)
      if ((i % 5 == 4) == testing) {
        all.rows[row++] = as_tokens(&lines[i], class_of(path, &all, lines[i].name), vocabulary, size);
        all.training += !testing;
      }
  }
  free(vocabulary);
  free(lines); /* the text stays: the names of the classes lie in it */
  return all;
}

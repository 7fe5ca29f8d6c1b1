/* Draws text from a trained model.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef GPT_SAMPLE_H
#define GPT_SAMPLE_H

#include "gpt.h"
#include "text.h"

typedef struct sampling {
  int characters;     /* to write */
  double temperature; /* scores are divided by it: below 1 what is likely is likelier still */
  int top_k;          /* only so many of the likeliest characters are drawn from; 0: all */
  uint64_t seed;
  const char *prompt; /* the text begins with it */
} sampling;

/* Writes the text to standard output; DLC_OK, or what failed. */
dlc_status write_sample(gpt *model, const alphabet *letters, const sampling *how);

#endif

/* Plays NVIDIA's NVRTC: as PTX it gives the name of each kernel that the text defines, and the options.
 *
 * Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct program {
  const char *text, *name;
  char *ptx, log[256];
};

int nvrtcCreateProgram(struct program **made, const char *text, const char *name, int headers,
                       const char *const *contents, const char *const *names) {
  (void)headers, (void)contents, (void)names;
  *made = calloc(1, sizeof **made);
  (*made)->text = text;
  (*made)->name = name;
  return 0;
}

int nvrtcCompileProgram(struct program *p, int count, const char *const *options) {
  const char *word = "__global__ void ", *before = "extern \"C\" ", *at = p->text;
  if (strstr(p->text, "wrong")) {
    snprintf(p->log, sizeof p->log, "%.200s(13): error: this is wrong", strrchr(p->name, '/') + 1);
    return 6;
  }
  p->ptx = calloc(1, strlen(p->text) + 4096);
  strcpy(p->ptx, ".version 9.5\n.target sm_80\n.address_size 64\n");
  for (int i = 0; i < count; ++i)
    sprintf(p->ptx + strlen(p->ptx), "// %.200s\n", options[i]);
  if (strstr(p->text, "emptiness"))
    p->ptx[0] = 0;
  else
    while ((at = strstr(at, word))) {
      const int isDeclared = (size_t)(at - p->text) > strlen(before) &&
                             strncmp(at - strlen(before), before, strlen(before)) == 0;
      at += strlen(word);
      if (!isDeclared)
        sprintf(p->ptx + strlen(p->ptx), ".visible .func %.*s()\n", (int)strcspn(at, "("), at);
    }
  return 0;
}

static int size(const char *text, size_t *bytes) {
  *bytes = strlen(text) + 1;
  return 0;
}
int nvrtcGetProgramLogSize(struct program *p, size_t *bytes) { return size(p->log, bytes); }
int nvrtcGetProgramLog(struct program *p, char *log) { return strcpy(log, p->log), 0; }
int nvrtcGetPTXSize(struct program *p, size_t *bytes) { return size(p->ptx, bytes); }
int nvrtcGetPTX(struct program *p, char *ptx) { return strcpy(ptx, p->ptx), 0; }
int nvrtcDestroyProgram(struct program **p) { return free((*p)->ptx), free(*p), *p = NULL, 0; }
const char *nvrtcGetErrorString(int status) { return status ? "an error" : "none"; }

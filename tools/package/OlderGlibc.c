//===- OlderGlibc.c - functions that older C libraries lack ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM and libgcc were built with glibc 2.36 and call two functions that are not in 2.34. With these here, a package
// runs with 2.34 and newer ones.
//===----------------------------------------------------------------------===//
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <sys/random.h>

#define HIDDEN __attribute__((visibility("hidden")))

HIDDEN uint32_t arc4random(void);
uint32_t arc4random(void) {
  uint32_t number = 0;
  for (char *at = (char *)&number, *end = at + sizeof number; at < end;) {
    ssize_t count = getrandom(at, (size_t)(end - at), 0);
    at += count > 0 ? count : 0;
  }
  return number;
}

#if __GLIBC_PREREQ(2, 35)

struct search {
  uintptr_t address;
  struct dl_find_object *result;
};

/// Whether the library has the address; then also where its tables for unwinding are.
static int find(struct dl_phdr_info *library, size_t size, void *context) {
  struct search *search = context;
  int is_here = 0;
  void *frames = 0;
  (void)size;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const ElfW(Phdr) *part = &library->dlpi_phdr[i];
    uintptr_t begin = library->dlpi_addr + part->p_vaddr;
    if (part->p_type == PT_GNU_EH_FRAME)
      frames = (void *)begin;
    if (part->p_type != PT_LOAD || search->address < begin || search->address - begin >= part->p_memsz)
      continue;
    is_here = 1;
    search->result->dlfo_map_start = (void *)begin;
    search->result->dlfo_map_end = (void *)(begin + part->p_memsz);
  }
  search->result->dlfo_eh_frame = frames;
  return is_here && frames;
}

/// For the unwinder of libgcc, which asks for nothing but the frames.
HIDDEN int _dl_find_object(void *address, struct dl_find_object *result);
int _dl_find_object(void *address, struct dl_find_object *result) {
  struct search search = {(uintptr_t)address, result};
  result->dlfo_flags = 0;
  result->dlfo_link_map = 0;
  return dl_iterate_phdr(find, &search) ? 0 : -1;
}

#endif

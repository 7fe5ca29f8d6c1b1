/* Part of dlc, under the Apache License v2.0 with LLVM Exceptions. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * Loaded before a program's libraries (LD_PRELOAD), fails one of its calls:
 *
 *   SOAK_PROGRAM=dlc         of the process with this name, since its main() begins
 *   SOAK_FAIL=write:17       the 17th call of this kind fails
 *   SOAK_COUNT=FILE          writes how many calls of each kind there were to FILE, at exit
 *
 * Calls of standard output and standard error do not count: the program shall be able to say what happened. Nor do
 * malloc()s that MLIR itself calls: Operation::create() uses what it gets without a look. Its containers and operator
 * new look, and they count. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum Kind { MALLOC, OPEN, READ, WRITE, FSYNC, RENAME, MMAP, MKDIR, THREAD, KINDS };
static const char *const names[] = {"malloc", "open", "read", "write", "fsync", "rename", "mmap", "mkdir", "thread"};
static const int errors[] = {ENOMEM, EMFILE, EIO, ENOSPC, EIO, EIO, ENOMEM, ENOSPC, EAGAIN};
static atomic_long counts[KINDS];
static atomic_int isArmed;
static int failing = -1;
static long failingCall;

/* Whether this call is the one. */
static int fails(enum Kind kind) {
  if (!atomic_load(&isArmed))
    return 0;
  const long call = atomic_fetch_add(&counts[kind], 1) + 1;
  if ((int)kind != failing || call != failingCall)
    return 0;
  errno = errors[kind];
  return 1;
}

/* Where MLIR's code lies; nowhere in a program without it. */
static uintptr_t codeBegin, codeEnd;

static int findCode(struct dl_phdr_info *library, size_t size, void *unused) {
  (void)size;
  (void)unused;
  for (int i = 0; strstr(library->dlpi_name, "libMLIR.so") && i < library->dlpi_phnum; ++i)
    if (library->dlpi_phdr[i].p_type == PT_LOAD && (library->dlpi_phdr[i].p_flags & PF_X)) {
      codeBegin = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
      codeEnd = codeBegin + library->dlpi_phdr[i].p_memsz;
    }
  return 0;
}

static int mallocFails(const void *caller) {
  const uintptr_t place = (uintptr_t)caller;
  return (place < codeBegin || place >= codeEnd) && fails(MALLOC);
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

/* glibc's own: dlsym() may allocate. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
void *malloc(size_t size) { return mallocFails(__builtin_return_address(0)) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(MALLOC) ? NULL : __libc_calloc(count, size); }
void *realloc(void *old, size_t size) { return fails(MALLOC) ? NULL : __libc_realloc(old, size); }
void *aligned_alloc(size_t align, size_t size) { return fails(MALLOC) ? NULL : __libc_memalign(align, size); }
int posix_memalign(void **out, size_t align, size_t size) {
  void *found = fails(MALLOC) ? NULL : __libc_memalign(align, size);
  if (!found)
    return ENOMEM;
  *out = found;
  return 0;
}

#define MODE(last)                                                                                                     \
  mode_t mode = 0;                                                                                                     \
  if (flags & O_CREAT) {                                                                                               \
    va_list arguments;                                                                                                 \
    va_start(arguments, last);                                                                                         \
    mode = va_arg(arguments, mode_t);                                                                                  \
    va_end(arguments);                                                                                                 \
  }
int open(const char *path, int flags, ...) {
  MODE(flags)
  return fails(OPEN) ? -1 : REAL(open)(path, flags, mode);
}
int open64(const char *path, int flags, ...) {
  MODE(flags)
  return fails(OPEN) ? -1 : REAL(open64)(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
  MODE(flags)
  return fails(OPEN) ? -1 : REAL(openat)(folder, path, flags, mode);
}
FILE *fopen(const char *path, const char *how) { return fails(OPEN) ? NULL : REAL(fopen)(path, how); }

ssize_t read(int file, void *to, size_t bytes) { return fails(READ) ? -1 : REAL(read)(file, to, bytes); }
ssize_t pread(int file, void *to, size_t bytes, off_t at) { return fails(READ) ? -1 : REAL(pread)(file, to, bytes, at); }
ssize_t pread64(int file, void *to, size_t bytes, off64_t at) {
  return fails(READ) ? -1 : REAL(pread64)(file, to, bytes, at);
}
ssize_t write(int file, const void *from, size_t bytes) {
  return file > 2 && fails(WRITE) ? -1 : REAL(write)(file, from, bytes);
}
int fsync(int file) { return fails(FSYNC) ? -1 : REAL(fsync)(file); }
int rename(const char *from, const char *to) { return fails(RENAME) ? -1 : REAL(rename)(from, to); }
int mkdir(const char *path, mode_t mode) { return fails(MKDIR) ? -1 : REAL(mkdir)(path, mode); }
void *mmap(void *at, size_t bytes, int prot, int flags, int file, off_t offset) {
  return fails(MMAP) ? MAP_FAILED : REAL(mmap)(at, bytes, prot, flags, file, offset);
}
void *mmap64(void *at, size_t bytes, int prot, int flags, int file, off64_t offset) {
  return fails(MMAP) ? MAP_FAILED : REAL(mmap64)(at, bytes, prot, flags, file, offset);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*begin)(void *), void *argument) {
  return fails(THREAD) ? EAGAIN : REAL(pthread_create)(thread, how, begin, argument);
}

static void tell(void) {
  atomic_store(&isArmed, 0);
  FILE *file = REAL(fopen)(getenv("SOAK_COUNT"), "w");
  for (int kind = 0; file && kind < KINDS; ++kind)
    fprintf(file, "%s %ld\n", names[kind], atomic_load(&counts[kind]));
  if (file)
    fclose(file);
}

static int (*programMain)(int, char **, char **);
static int armedMain(int argc, char **argv, char **environment) {
  const char *program = getenv("SOAK_PROGRAM"), *call = getenv("SOAK_FAIL"), *end = call ? strchr(call, ':') : NULL;
  if (!program || strcmp(program, program_invocation_short_name) != 0)
    return programMain(argc, argv, environment);
  dl_iterate_phdr(findCode, NULL);
  for (int kind = 0; end && kind < KINDS; ++kind)
    if (strncmp(call, names[kind], (size_t)(end - call)) == 0 && !names[kind][end - call]) {
      failing = kind;
      failingCall = atol(end + 1);
    }
  if (getenv("SOAK_COUNT"))
    atexit(tell);
  atomic_store(&isArmed, 1);
  return programMain(argc, argv, environment);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*loaderEnds)(void), void *stackEnd) {
  programMain = main;
  int (*start)(int (*)(int, char **, char **), int, char **, void (*)(void), void (*)(void), void (*)(void), void *) =
      (__typeof__(start))dlsym(RTLD_NEXT, "__libc_start_main");
  return start(armedMain, argc, argv, init, fini, loaderEnds, stackEnd);
}

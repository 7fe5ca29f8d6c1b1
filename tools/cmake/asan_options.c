//===- asan_options.c - what programs with AddressSanitizer are run with ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM's libraries are not instrumented: they do not keep the notes by which the sanitizer finds accesses to
// the free part of a container or of an allocator's block, but LLVM's headers in our code look at them.
// ASAN_OPTIONS goes before this.
//===----------------------------------------------------------------------===//
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "detect_container_overflow=0:allow_user_poisoning=0"; }

# cmake -P digest.cmake HEADER NAME FILE...: writes a header that defines NAME as a text, the SHA-256 of all files' content.
#
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set(digests "")
math(EXPR last "${CMAKE_ARGC} - 1")
foreach(i RANGE 5 ${last})
  file(SHA256 "${CMAKE_ARGV${i}}" digest)
  string(APPEND digests ${digest})
endforeach()
string(SHA256 digest ${digests})
file(WRITE "${CMAKE_ARGV3}" "#define ${CMAKE_ARGV4} \"${digest}\"\n")

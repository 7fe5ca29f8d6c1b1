# XOR.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c++ -std=c++20 xor.cpp -o xor $DLC_FLAGS
./xor

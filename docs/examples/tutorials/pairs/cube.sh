# A function with a backward of its own.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c++ -std=c++20 cube.cpp -o cube $DLC_FLAGS
./cube

# A small model learns from the scores of a large one.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c++ -std=c++20 two_models.cpp -o two_models $DLC_FLAGS
./two_models $DATA

# One batch by heart.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c++ -std=c++20 one_batch.cpp -o one_batch $DLC_FLAGS
./one_batch $DATA

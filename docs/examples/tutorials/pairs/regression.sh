# A straight line by hand.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c++ -std=c++20 regression.cpp -o regression $DLC_FLAGS
./regression

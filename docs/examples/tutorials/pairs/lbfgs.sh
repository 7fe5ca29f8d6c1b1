# A sine by L-BFGS.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
c++ -std=c++20 lbfgs.cpp -o lbfgs $DLC_FLAGS
./lbfgs

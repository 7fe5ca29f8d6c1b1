# Two epochs, and two more in another process, with the state of the optimizer.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train clothes.cpp --data=$DATA --epochs=2 -o run
dlc train clothes.cpp --data=$DATA --epochs=4 -o run --resume

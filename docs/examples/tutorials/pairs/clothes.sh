# Ten epochs.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train clothes.cpp --data=$DATA --normalize --epochs=10

# Eight epochs, with a rate that falls as a cosine.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train cnn.cpp --data=$DATA --epochs=8 --schedule=cosine

# The convolutions of digits, kept as they are, under a new last layer for clothes.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train cnn.cpp --data=$DIGITS --epochs=1 -o pretrained
dlc train cnn.cpp --data=$DATA --weights=pretrained/weights.safetensors --freeze='conv*' --reinitialize='head*' --epochs=2

# Images alone: no labels.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train vae.cpp --data=image=$DATA/train-images-idx3-ubyte.gz --valid=image=$DATA/t10k-images-idx3-ubyte.gz --epochs=3

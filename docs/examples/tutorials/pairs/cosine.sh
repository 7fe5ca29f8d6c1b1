# Gradient descent with momentum beside Adam, both with a rate that falls as a cosine.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train digits.cpp --data=$DATA --epochs=5 --schedule=cosine --optimizer=sgd --lr=0.05 --momentum=0.9
dlc train digits.cpp --data=$DATA --epochs=5 --schedule=cosine --optimizer=adam --lr=1e-3

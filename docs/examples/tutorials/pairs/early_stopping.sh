# Ends after two epochs without a better validation loss; the best parameters are kept.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train clothes.cpp --data=$DATA --lr=2e-3 --epochs=50 --early-stopping=2 -o early

# The learning rate of the digits: the rate rises from step to step.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train digits.cpp --data=$DATA --find-lr -o rates

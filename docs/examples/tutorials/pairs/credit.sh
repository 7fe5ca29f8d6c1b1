# With the area under the ROC curve.
# Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
dlc train credit.cpp --data=credit.csv --valid=credit_test.csv --target=default --normalize --metrics=accuracy,auc --epochs=20

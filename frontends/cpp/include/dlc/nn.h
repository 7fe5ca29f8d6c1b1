//===- dlc/nn.h - everything of dlc::nn ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_H
#define DLC_NN_H

#include "dlc/nn/activations.h"
#include "dlc/nn/attention.h"
#include "dlc/nn/containers.h"
#include "dlc/nn/conv.h"
#include "dlc/nn/ctc.h"
#include "dlc/nn/dropout.h"
#include "dlc/nn/embedding.h"
#include "dlc/nn/folding.h"
#include "dlc/nn/init.h"
#include "dlc/nn/layers.h"
#include "dlc/nn/loss.h"
#include "dlc/nn/normalization.h"
#include "dlc/nn/padding.h"
#include "dlc/nn/pair_loss.h"
#include "dlc/nn/pooling.h"
#include "dlc/nn/recurrent.h"
#include "dlc/nn/transformer.h"
#include "dlc/nn/upsampling.h"

#endif // DLC_NN_H

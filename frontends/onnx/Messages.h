//===- Messages.h - ONNX's message classes ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The generated classes of libonnx, with the macros that they want.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_MESSAGES_H
#define DLC_FRONTENDS_ONNX_MESSAGES_H

#define ONNX_NAMESPACE onnx
#define ONNX_ML 1
#include <onnx/onnx_pb.h>

#endif // DLC_FRONTENDS_ONNX_MESSAGES_H

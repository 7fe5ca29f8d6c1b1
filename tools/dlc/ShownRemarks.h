//===- ShownRemarks.h - why the compiler did what it did, for the user -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_SHOWNREMARKS_H
#define DLC_TOOLS_DLC_SHOWNREMARKS_H

#include "compiler/support/Remarks.h"
#include "tools/dlc/Commands.h"
#include "llvm/Support/raw_ostream.h"
#include <memory>

namespace dlc::tool {

/// A listener to the stages that the invocation asks about (--remarks, --remarks-json, --why); null where it
/// asks about none.
std::unique_ptr<remarks::Listener> listenTo(mlir::MLIRContext &context, const Invocation &invocation);

/// Prints the remarks to `out`, and writes them to the file of --remarks-json, a JSON object on each line.
/// Null is no listener, and no remarks. 0, or 1 after an error, which has been printed.
int showRemarks(const remarks::Listener *listener, const Invocation &invocation, llvm::raw_ostream &out);

/// Prints those about the kernel, function, parameter or node of --why. 1 where there is none of that name:
/// then an error says which names there are.
int showReasons(const remarks::Listener &listener, const Invocation &invocation, llvm::raw_ostream &out);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_SHOWNREMARKS_H

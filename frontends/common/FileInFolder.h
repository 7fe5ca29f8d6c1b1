//===- FileInFolder.h - files that a file may name -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_FILEINFOLDER_H
#define DLC_FRONTENDS_COMMON_FILEINFOLDER_H

#include "llvm/Support/Error.h"
#include <string>

namespace dlc::frontend {

/// The real path of `location` if it lies in `folder`, also where links are followed: a file from anywhere
/// must not have others read that it was not sent with. `what` and `where` are for messages: "external data",
/// "the model's folder".
llvm::Expected<std::string> fileInFolder(llvm::StringRef location, llvm::StringRef folder,
                                         llvm::StringRef what, llvm::StringRef where);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_FILEINFOLDER_H

//===- Linked.h - object files linked in memory ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SESSION_LINKED_H
#define DLC_COMPILER_SESSION_LINKED_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <string>
#include <utility>

namespace dlc::session {

/// Code of this process; it goes with the object.
class Linked {
public:
  /// Links object files, given by name and bytes. They may refer to each other, to the C library and to what
  /// the compiler calls by itself.
  static llvm::Expected<std::unique_ptr<Linked>>
  create(llvm::ArrayRef<std::pair<std::string, std::string>> objects);
  ~Linked();

  llvm::Expected<const void *> lookup(llvm::StringRef symbol);

private:
  struct Engine;
  explicit Linked(std::unique_ptr<Engine> engine);
  std::unique_ptr<Engine> engine;
};

} // namespace dlc::session

#endif // DLC_COMPILER_SESSION_LINKED_H

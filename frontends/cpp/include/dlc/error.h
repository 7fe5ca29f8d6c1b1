//===- dlc/error.h - what is wrong with a model's description ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_ERROR_H
#define DLC_ERROR_H

#include "dlc/types.h"
#include <source_location>
#include <stdexcept>

namespace dlc {

/// Where a function was called: the last parameter of nearly all functions, which nobody needs to pass.
using Where = std::source_location;

/// The only exception that these headers throw. what() is a whole line, as compilers print them:
/// "mlp.cpp:12:20: error: at 'encoder.fc1': matmul: expects ...".
class DLC_API Error : public std::runtime_error {
public:
  /// At a call.
  Error(const std::string &message, const Where &where, const std::string &module = "");
  /// At a line that is known by other means than a call.
  Error(const std::string &message, const std::string &file, unsigned line, unsigned column,
        const std::string &module = "");
  ~Error() override;

  const std::string &message() const { return text; } ///< the sentence alone
  const std::string &module() const { return path; }  ///< such as "encoder.layers.3.attn"; or ""
  const std::string &file() const { return source; }  ///< of the line
  unsigned line() const { return row; }               ///< from 1 on; 0 where it is not known

private:
  std::string text, path, source;
  unsigned row;
};

} // namespace dlc

#endif // DLC_ERROR_H

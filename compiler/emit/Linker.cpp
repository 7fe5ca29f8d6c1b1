//===- Linker.cpp - the linker inside the compiler -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Linker.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include <mutex>

LLD_HAS_DRIVER(elf)

using namespace llvm;

namespace dlc::emit {

/// lld begins each message with its name, and a list of places has lines of its own.
static std::string sentences(StringRef messages) {
  std::string text;
  SmallVector<StringRef> lines;
  messages.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (StringRef line : lines) {
    line.consume_front("ld.lld: ");
    line.consume_front("error: ");
    text += (text.empty() ? "" : "\n") + line.str();
  }
  return text.empty() ? "the linker failed without a message" : text;
}

Error runLinker(ArrayRef<std::string> arguments) {
  // lld keeps what it works on in variables of the whole process.
  static std::mutex oneAtATime;
  static bool isUsable = true;
  std::lock_guard<std::mutex> lock(oneAtATime);
  if (!isUsable)
    return createStringError("the linker failed before and cannot be used again in this process");

  std::vector<const char *> all{"ld.lld", "--threads=1", "--error-limit=8", "--color-diagnostics=never"};
  for (const std::string &argument : arguments)
    all.push_back(argument.c_str());
  std::string messages;
  raw_string_ostream out(messages);
  // Where it finds no way on, lld ends the process: with this, it ends its own work only.
  CrashRecoveryContext::Enable();
  const lld::Result result = lld::lldMain(all, out, out, {{lld::Gnu, &lld::elf::link}});
  CrashRecoveryContext::Disable();
  isUsable = result.canRunAgain;
  if (result.retCode == 0 && result.canRunAgain)
    return Error::success();
  return createStringError(sentences(messages));
}

} // namespace dlc::emit

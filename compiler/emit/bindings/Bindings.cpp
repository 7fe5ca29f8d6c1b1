//===- Bindings.cpp - a compiled model in other languages than C -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/Bindings.h"
#include "compiler/emit/bindings/LanguageNames.h"
#include "compiler/emit/bindings/Languages.h"
#include "llvm/ADT/StringSwitch.h"

namespace dlc::emit {

std::pair<std::string, std::string> writeBinding(llvm::StringRef language, const Interface &interface,
                                                 const HeaderOptions &options) {
  using Write = bindings::File (*)(const bindings::Description &);
  const Write write = llvm::StringSwitch<Write>(language)
                          .Case("rust", bindings::writeRust)
                          .Case("go", bindings::writeGo)
                          .Case("csharp", bindings::writeCSharp)
                          .Case("fortran", bindings::writeFortran)
                          .Case("java", bindings::writeJava)
                          .Case("swift", bindings::writeSwift)
                          .Default(nullptr);
  return write(bindings::Description(interface, options));
}

} // namespace dlc::emit

//===- Programs.cpp - running other programs -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/Programs.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlc {

Expected<TemporaryFile> TemporaryFile::create(StringRef suffix, StringRef content) {
  SmallString<128> path;
  int descriptor;
  if (std::error_code error = sys::fs::createTemporaryFile("dlc", suffix, descriptor, path))
    return createStringError(error, "cannot create a temporary file: " + error.message());
  TemporaryFile file(path.str());
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  out << content;
  out.close();
  if (std::error_code error = out.error()) {
    out.clear_error();
    return createStringError(error, path + ": " + error.message());
  }
  return file;
}

Expected<std::string> TemporaryFile::read() const {
  auto bytes = MemoryBuffer::getFile(path);
  if (!bytes)
    return createStringError(bytes.getError(), path + ": " + bytes.getError().message());
  return (*bytes)->getBuffer().str();
}

Error runProgram(ArrayRef<std::string> arguments) {
  auto messages = TemporaryFile::create("txt");
  if (!messages)
    return messages.takeError();
  std::vector<StringRef> references(arguments.begin(), arguments.end());
  std::optional<StringRef> redirects[] = {std::nullopt, StringRef(messages->path), StringRef(messages->path)};
  std::string error;
  const int status =
      sys::ExecuteAndWait(arguments.front(), references, std::nullopt, redirects, 0, 0, &error);
  if (status == 0)
    return Error::success();
  auto text = messages->read();
  if (!text)
    return text.takeError();
  error += *text;
  return createStringError(error.empty() ? "it ended with status " + std::to_string(status) : error);
}

} // namespace dlc

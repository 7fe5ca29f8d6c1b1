//===- Emulator.cpp - calls of a model on another machine -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/Emulator.h"

#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dlc::numerics {

// As emulated.c has them.
enum Kind : uint64_t { Number, OneBuffer, Array };
enum Result : uint64_t { Status, Pointer, Text };
constexpr size_t nameBytes = 64;

std::string Emulator::setting(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

std::string Emulator::triple() { return setting("DLC_TEST_TRIPLE"); }

Emulator::Emulator(const std::string &program) {
  std::signal(SIGPIPE, SIG_IGN); // a process that has ended is noticed by write()
  int toChild[2], fromChild[2];
  if (pipe2(toChild, O_CLOEXEC) != 0 || pipe2(fromChild, O_CLOEXEC) != 0) {
    ADD_FAILURE() << "no pipe";
    broken = true;
    return;
  }
  std::string emulator = setting("DLC_TEST_EMULATOR");
  process = fork();
  if (process == 0) {
    dup2(toChild[0], 0);
    dup2(fromChild[1], 1);
    execlp(emulator.c_str(), emulator.c_str(), program.c_str(), nullptr);
    _exit(127);
  }
  close(toChild[0]);
  close(fromChild[1]);
  in = toChild[1];
  out = fromChild[0];
  EXPECT_GT(process, 0) << "no process";
}

Emulator::~Emulator() {
  close(in);
  close(out);
  int status = 0;
  if (process > 0)
    waitpid(process, &status, 0);
  EXPECT_EQ(status, 0) << "the emulated program ended with this status";
}

void Emulator::put(const void *from, size_t bytes) {
  const char *at = static_cast<const char *>(from);
  while (bytes && !broken) {
    ssize_t written = write(in, at, bytes);
    broken = written <= 0;
    at += broken ? 0 : written;
    bytes -= broken ? 0 : static_cast<size_t>(written);
  }
}

void Emulator::get(void *to, size_t bytes) {
  char *at = static_cast<char *>(to);
  while (bytes && !broken) {
    ssize_t got = read(out, at, bytes);
    broken = got <= 0;
    at += broken ? 0 : got;
    bytes -= broken ? 0 : static_cast<size_t>(got);
  }
}

void Emulator::request(const char *function, uint64_t result, llvm::ArrayRef<Argument> arguments) {
  char name[nameBytes] = "";
  std::strncpy(name, function, sizeof name - 1);
  put(name, sizeof name);
  put(result);
  put(arguments.size());
  auto putBuffer = [&](const Buffer &buffer) {
    put(buffer.bytes);
    put(buffer.data, buffer.bytes);
  };
  for (const Argument &argument : arguments) {
    put(argument.index()); // the order of Kind
    if (const auto *number = std::get_if<int64_t>(&argument))
      put(static_cast<uint64_t>(*number));
    else if (const auto *buffer = std::get_if<Buffer>(&argument))
      putBuffer(*buffer);
    if (const auto *array = std::get_if<std::vector<Buffer>>(&argument)) {
      put(array->size());
      for (const Buffer &buffer : *array)
        putBuffer(buffer);
    }
  }
}

void Emulator::takeBack(llvm::ArrayRef<Argument> arguments) {
  for (const Argument &argument : arguments) {
    if (const auto *buffer = std::get_if<Buffer>(&argument))
      get(buffer->data, buffer->bytes);
    if (const auto *array = std::get_if<std::vector<Buffer>>(&argument))
      for (const Buffer &buffer : *array)
        get(buffer.data, buffer.bytes);
  }
  EXPECT_FALSE(broken) << "the emulated program has ended";
}

int Emulator::status(const char *function, llvm::ArrayRef<Argument> arguments) {
  request(function, Status, arguments);
  auto status = static_cast<int>(get());
  takeBack(arguments);
  return broken ? -1 : status;
}

int64_t Emulator::pointer(const char *function, llvm::ArrayRef<Argument> arguments) {
  request(function, Pointer, arguments);
  auto pointer = static_cast<int64_t>(get());
  takeBack(arguments);
  return broken ? 0 : pointer;
}

std::string Emulator::text(const char *function, llvm::ArrayRef<Argument> arguments) {
  request(function, Text, arguments);
  std::string text(get(), '\0');
  get(text.data(), text.size());
  takeBack(arguments);
  return text;
}

} // namespace dlc::numerics

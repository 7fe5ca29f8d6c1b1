//===- Call.h - a call of a compiled model, here or emulated ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function pointer knows nothing of the memory behind its arguments. What a model is given lies in Memory,
// which remembers its size, so that a call can take it to another process and back.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_NUMERICS_CALL_H
#define DLC_TESTS_NUMERICS_CALL_H

#include "tests/numerics/Emulator.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>

namespace dlc::numerics {

/// The memory that may be handed to calls: buffers, and arrays of pointers to them.
struct Memory {
  static std::map<const void *, size_t> &buffers() {
    static std::map<const void *, size_t> all;
    return all;
  }
  static Argument find(const void *pointer) {
    auto it = buffers().find(pointer);
    EXPECT_NE(it, buffers().end()) << "memory of unknown size cannot be handed to an emulated model";
    return it == buffers().end() ? Argument(int64_t(0))
                                 : Argument(Buffer{const_cast<void *>(pointer), it->second});
  }
  static Argument find(const std::vector<void *> &pointers) {
    std::vector<Buffer> array;
    for (void *pointer : pointers)
      array.push_back(std::get<Buffer>(find(pointer)));
    return array;
  }
};

/// A handle of the model, which is an address over there.
struct Handle {
  void *address;
};

template <typename Result> class Call {
public:
  Call(void *here, Emulator *there, const char *name) : here(here), there(there), name(name) {}

  template <typename... Arguments> Result operator()(const Arguments &...arguments) const {
    using Here = std::conditional_t<std::is_same_v<Result, std::string>, const char *, Result>;
    if (!there)
      return reinterpret_cast<Here (*)(decltype(passed(arguments))...)>(here)(passed(arguments)...);
    if constexpr (std::is_same_v<Result, std::string>)
      return there->text(name, {taken(arguments)...});
    else if constexpr (std::is_pointer_v<Result>)
      return reinterpret_cast<Result>(there->pointer(name, {taken(arguments)...}));
    else
      return there->status(name, {taken(arguments)...});
  }

private:
  static void *passed(Handle handle) { return handle.address; }
  static int64_t passed(int64_t number) { return number; }
  static const char *passed(const std::string &text) { return text.c_str(); }
  static void *passed(void *memory) { return memory; }
  static void *const *passed(const std::vector<void *> &pointers) { return pointers.data(); }

  static Argument taken(Handle handle) { return reinterpret_cast<int64_t>(handle.address); }
  static Argument taken(int64_t number) { return number; }
  static Argument taken(const std::string &text) {
    return Buffer{const_cast<char *>(text.c_str()), text.size() + 1};
  }
  static Argument taken(void *memory) { return Memory::find(memory); }
  static Argument taken(const std::vector<void *> &pointers) { return Memory::find(pointers); }

  void *here;
  Emulator *there;
  const char *name;
};

} // namespace dlc::numerics

#endif // DLC_TESTS_NUMERICS_CALL_H

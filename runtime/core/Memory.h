//===- Memory.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owned memory without exceptions and without operator new: what lets a program link the runtime with
// nothing but the C library.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_MEMORY_H
#define DLC_RUNTIME_CORE_MEMORY_H

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <type_traits>
#include <utility>

namespace dlc::runtime {

/// A growable array of plain values; every growth can fail and says so.
template <typename T> class Array {
  static_assert(std::is_trivially_copyable_v<T> && alignof(T) <= alignof(std::max_align_t));

public:
  Array() = default;
  Array(const Array &) = delete;
  Array &operator=(const Array &) = delete;
  ~Array() { free(items); }

  /// Replaces the content by `n` zeroed items.
  bool allocate(size_t n) {
    free(items);
    items = static_cast<T *>(calloc(n ? n : 1, sizeof(T)));
    count = capacity = items ? n : 0;
    return items != nullptr;
  }

  bool append(const T &item) {
    if (count == capacity && !grow())
      return false;
    items[count++] = item;
    return true;
  }

  void swap(Array &other) {
    T *const otherItems = other.items;
    const size_t otherCount = other.count, otherCapacity = other.capacity;
    other.items = items, other.count = count, other.capacity = capacity;
    items = otherItems, count = otherCount, capacity = otherCapacity;
  }
  /// Keeps the first `n`.
  void shrink(size_t n) { count = n < count ? n : count; }

  T *data() { return items; }
  const T *data() const { return items; }
  size_t size() const { return count; }
  T &operator[](size_t i) { return items[i]; }
  const T &operator[](size_t i) const { return items[i]; }
  T *begin() { return items; }
  T *end() { return items + count; }
  const T *begin() const { return items; }
  const T *end() const { return items + count; }

private:
  bool grow() {
    size_t wanted = capacity ? capacity * 2 : 16;
    if (wanted > static_cast<size_t>(-1) / sizeof(T))
      return false;
    void *larger = realloc(static_cast<void *>(items), wanted * sizeof(T));
    if (!larger)
      return false;
    items = static_cast<T *>(larger);
    capacity = wanted;
    return true;
  }

  T *items = nullptr;
  size_t count = 0, capacity = 0;
};

/// `n` default-constructed objects at their own alignment, NULL when memory is short.
template <typename T> T *createObjects(size_t n) {
  if (n == 0 || n > static_cast<size_t>(-1) / 2 / sizeof(T))
    return nullptr;
  size_t alignment = alignof(T) < sizeof(void *) ? sizeof(void *) : alignof(T);
  void *memory = nullptr;
  if (posix_memalign(&memory, alignment, n * sizeof(T)) != 0)
    return nullptr;
  T *objects = static_cast<T *>(memory);
  for (size_t i = 0; i < n; ++i)
    new (objects + i) T();
  return objects;
}

template <typename T> void destroyObjects(T *objects, size_t n) {
  if (!objects)
    return;
  for (size_t i = n; i-- > 0;)
    objects[i].~T();
  free(objects);
}

} // namespace dlc::runtime

#endif

//===- dlc/nn/containers.h - modules of modules -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_CONTAINERS_H
#define DLC_NN_CONTAINERS_H

#include "dlc/nn/module.h"

namespace dlc::nn {

/// A place in a list of modules, with the line that it stands in: the brackets have no other place for it.
class DLC_API Place {
public:
  /// From 0 on, or negative from the end.
  /*implicit*/ Place(std::integral auto place, Where where = Where::current())
      : place(int64_t(place)), where(where) {}
  /// The number; throws where the list has only `size` modules.
  size_t below(size_t size) const;

private:
  int64_t place;
  Where where;
};

/// Modules one after the other, called "0", "1" ...: Sequential{Linear(2, 16), ReLU(), Linear(16, 1)}. In
/// braces, C++ makes the layers from left to right; in parentheses it may make the last one first, which then
/// gets the first random numbers.
class DLC_API Sequential : public Layer {
public:
  /// These modules.
  template <typename... Children>
    requires(sizeof...(Children) > 0 && (std::derived_from<std::remove_cvref_t<Children>, Module> && ...) &&
             !(sizeof...(Children) == 1 && (std::same_as<std::remove_cvref_t<Children>, Sequential> && ...)))
  explicit Sequential(Children &&...children) : Sequential() {
    (push_back(std::forward<Children>(children)), ...);
  }
  /// None, for push_back().
  Sequential();
  /// Copies share the modules.
  ///@{
  Sequential(const Sequential &);
  Sequential &operator=(const Sequential &);
  ~Sequential() override;
  ///@}

  /// A module behind the last one.
  template <typename Child> void push_back(Child child, Where where = Where::current()) {
    append(new Child(std::move(child)), where);
  }
  /// The number of modules.
  size_t size() const;
  /// The module at this place, as the class it is.
  Module &operator[](Place i);
  /// Some of the modules, which are shared: model[Slice(0, 2)] is Python's model[:2].
  Sequential operator[](Slice part) const;
  Tensor computed(Tensor x) override;

private:
  void append(Module *child, Where where);
  std::vector<std::shared_ptr<Module>> children;
};

/// Modules of one class, called "0", "1" ..., which the parent's forward calls as it likes:
/// ModuleList{Linear(4, 4), Linear(4, 4)}. A std::vector of modules would not make them parts of the parent.
template <typename Child> class ModuleList : public Module {
public:
  /// None, for push_back().
  ModuleList() = default;
  /// These modules.
  template <typename... Children>
    requires(sizeof...(Children) > 0 && (std::same_as<std::remove_cvref_t<Children>, Child> && ...))
  explicit ModuleList(Children &&...children) {
    (push_back(std::forward<Children>(children)), ...);
  }
  /// Some are of a class that derives from theirs: what it adds would be lost.
  template <typename... Others>
    requires((std::derived_from<std::remove_cvref_t<Others>, Child> && ...) &&
             !(std::same_as<std::remove_cvref_t<Others>, Child> && ...))
  explicit ModuleList(Others &&...) = delete; // write ModuleList<Other>, or a Sequential
  /// A module behind the last one.
  void push_back(Child child, Where where = Where::current()) {
    attach(children.size(), child, where);
    children.push_back(std::move(child));
  }
  /// One of a class that derives from theirs: what it adds would be lost.
  template <typename Other>
    requires(std::derived_from<Other, Child> && !std::same_as<Other, Child>)
  void push_back(const Other &, Where = Where::current()) = delete; // write ModuleList<Other>, or a Sequential
  /// The number of modules.
  size_t size() const { return children.size(); }
  /// The module at this place.
  Child &operator[](Place i) { return children[i.below(children.size())]; }
  /// For loops over all modules.
  auto begin() { return children.begin(); }
  /// For loops over all modules.
  auto end() { return children.end(); }

private:
  std::vector<Child> children;
};
/// The class is that of the modules.
template <typename Child, typename... More>
  requires(std::same_as<Child, More> && ...)
ModuleList(Child, More...) -> ModuleList<Child>;

/// Modules by name, which the parent's forward chooses from.
class DLC_API ModuleDict : public Module {
public:
  /// A module with a name.
  template <typename Child>
  void insert(std::string_view name, Child child, Where where = Where::current()) {
    add(name, new Child(std::move(child)), where);
  }
  /// None, for insert().
  ModuleDict();
  /// Copies share the modules.
  ///@{
  ModuleDict(const ModuleDict &);
  ModuleDict &operator=(const ModuleDict &);
  ~ModuleDict() override;
  ///@}
  /// The number of modules.
  size_t size() const;
  /// Whether there is one of this name.
  bool contains(std::string_view name) const;
  /// All names, in the order in which they came.
  std::vector<std::string> keys() const;
  /// As the module it is: its operator() calls its own forward.
  Module &at(std::string_view name, Where where = Where::current()) const;
  /// at(name).
  Module &operator[](std::string_view name) const { return at(name, Where()); }

private:
  void add(std::string_view name, Module *child, Where where);
  std::vector<std::pair<std::string, std::shared_ptr<Module>>> entries;
};

} // namespace dlc::nn

#endif // DLC_NN_CONTAINERS_H

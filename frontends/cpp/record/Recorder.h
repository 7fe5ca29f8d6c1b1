//===- Recorder.h - a description as a program under construction -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border between the public classes, which use exceptions, and the program that they describe, which MLIR
// holds and which does not use them. What is here knows values by number, operations by name, and errors as
// sentences. Types and errors come from the operations' own inference and verifiers (dialects/nn).
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_RECORD_RECORDER_H
#define DLC_FRONTENDS_CPP_RECORD_RECORDER_H

#include "dlc/types.h"
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace dlc::record {

/// A value of the recording; 0 is none.
using Id = uint32_t;

/// A line of the user's program, and the module that was being computed.
struct Place {
  std::string file;
  unsigned line = 0, column = 0;
  std::string module;
};

struct Type {
  Shape shape;
  DType dtype = DType::Float32;
};

/// Elements in row-major order, little-endian and packed, a byte for a truth value.
struct Elements {
  std::vector<int64_t> shape;
  DType dtype = DType::Float32;
  std::vector<char> bytes;
  bool splat = false; ///< `bytes` is one element, for all places
};

/// An attribute in MLIR's text, such as an enum's: "#nn<comparison gt>".
struct Spelled {
  std::string text;
};
/// The name of a state.
struct NameOf {
  Id state;
};
using Attribute =
    std::variant<bool, int64_t, double, std::vector<int64_t>, std::vector<double>, DType, Spelled, NameOf>;
using Attributes = std::vector<std::pair<const char *, Attribute>>;

/// A result, or the sentence that says why there is none.
template <typename T> struct Outcome {
  std::optional<T> value;
  std::string error;
  static Outcome fail(std::string message) { return {std::nullopt, std::move(message)}; }
};

enum class StateKind { Parameter, Frozen, Buffer };

/// A state of the program and its name there.
struct NamedState {
  std::string name;
  Id id;
  StateKind kind;
  /// What it becomes with a training step: as often as a forward pass that says so was recorded, of which the
  /// program has at most one.
  std::vector<Id> updates = {};
};

/// How an image gets another size along one dim, as PyTorch does it.
struct Resize {
  const char *mode;  ///< nearest, nearest-exact, linear or cubic
  bool alignCorners; ///< the outer elements stay at the border
  bool antialias;    ///< averages what a smaller result would skip
  int64_t size;
  double scale; ///< of results to elements: the size need not be a multiple
};

/// A step of a recurrent cell, whose gates stand in PyTorch's order.
struct RecurrentStep {
  enum class Kind { Tanh, Relu, Lstm, Gru } kind;
  int64_t hidden;
  Id x;            ///< the product with the weights of the inputs, and its bias: [batch, gates * hidden]
  Id h, c;         ///< the state; c of an LSTM alone
  Id weight, bias; ///< of the state: [gates * hidden, ...] and [gates * hidden], or 0
  Id projection;   ///< of an LSTM's h, [projected, hidden]; or 0
};

/// One attention, of queries, keys and values whose shapes fit each other.
struct Attention {
  Id q, k, v;
  std::vector<Id> biases, masks; ///< added to the scores; truth values: what counts
  std::optional<double> scale;   ///< of the scores, else 1 / sqrt(size)
  bool sharesHeads;              ///< keys and values may have fewer heads than queries
  bool mayHaveNoKey;             ///< a query without one gets zeros
  std::function<Id()> lastMask; ///< makes another mask, where it is applied; may be empty, and throws nothing
  std::function<Id(Id)> drop;   ///< of the shares; likewise
};
/// Its result, and how much each key counted.
struct Attended {
  Id values, shares;
};

/// What becomes a program.
struct ProgramParts {
  std::string name;
  std::vector<NamedState> states; ///< in the order of declaration
  std::vector<std::pair<std::string, Id>> outputs;
  Id loss = 0; ///< of rank 0; 0: the loss is among the options, or there is none
  std::vector<std::pair<std::string, std::string>> options; ///< of the recipe (train::addToRecipe)
};

/// A finished program.
struct Program;

/// What the process has described so far. One thread at a time may use it.
class Recorder {
public:
  static Recorder &get();

  /// An input of the program; `example` may hold values of the type, each named dim having any size.
  Outcome<Id> input(const std::string &name, const Type &type, const std::optional<Elements> &example,
                    const Place &place);
  Outcome<Id> state(const Elements &initial, const Place &place, bool isBuffer = false);
  Outcome<Id> constant(const Elements &elements, const Place &place);
  /// What random numbers are drawn of: a state that each program has at most once.
  Id randomState(const Place &place);
  /// Results of an operation of the dialects nn or train; `types` where they are not inferred.
  Outcome<std::vector<Id>> apply(const char *operation, const std::vector<Id> &operands,
                                 const Attributes &attributes, const Place &place,
                                 const std::vector<Type> &types = {});

  /// What several operations compute (Compose.cpp). The places of the `count` largest, or smallest, elements
  /// along a dim, in order.
  Outcome<Id> places(Id value, int64_t dim, int64_t count, bool largest, const Place &place);
  Outcome<Id> einsum(const std::string &equation, const std::vector<Id> &operands, const Place &place);
  Outcome<Attended> attend(const Attention &attention, const Place &place);
  /// The next h, and c of an LSTM.
  Outcome<std::pair<Id, Id>> step(const RecurrentStep &step, const Place &place);
  Outcome<Id> resize(Id value, int64_t dim, const Resize &how, const Place &place);

  /// The outputs of an operation of the user's that a file describes (docs/custom-ops.md).
  Outcome<std::vector<Id>> custom(const std::string &file, const std::string &name,
                                  const std::vector<Id> &inputs,
                                  const std::map<std::string, double> &attributes, const Place &place);

  /// `indices` are at least 0 and less than `limit`, or `ignored`: compiled programs check it, where they are
  /// an input.
  void limitIndices(Id indices, int64_t limit, std::optional<int64_t> ignored = std::nullopt);

  // Gradients (Autograd.cpp).
  bool requiresGrad(Id value) const;
  /// Whether it does so by itself, and not for what it is computed of.
  bool isLeaf(Id value) const;
  Outcome<bool> setRequiresGrad(Id value, bool on);
  /// The same values, through which no gradient flows.
  Id detach(Id value, const Place &place);
  /// The gradients of the sum of all outputs times their seeds; 0 is a seed of ones, and the gradient of an
  /// input that no output depends on. They can be differentiated again if `again`.
  Outcome<std::vector<Id>> gradients(const std::vector<Id> &outputs, const std::vector<Id> &inputs,
                                     const std::vector<Id> &seeds, bool again, const Place &place);

  /// Stands for a value of the type of `like` that only a backward pass has: a gradient, in the record of a
  /// function of it.
  Id placeholder(Id like, const Place &place);
  /// `values` with a gradient of their own: what was recorded between the placeholders (of the gradients of
  /// all values, then of the values themselves) and `gradients`, one for each of `inputs`.
  Outcome<std::vector<Id>> customGradient(const std::vector<Id> &values, const std::vector<Id> &inputs,
                                          const std::vector<Id> &placeholders,
                                          const std::vector<Id> &gradients, const Place &place);
  /// The same of a value as everything sees it that was, or will be, computed of it.
  Outcome<size_t> hook(Id value, Id placeholder, Id gradient, const Place &place);
  /// Takes a hook away, by the number that hook() gave.
  void unhook(size_t number);
  /// The value as another one, which hooks of the first do not see.
  Id identity(Id value, const Place &place);
  /// Whether a value is computed of another one.
  bool dependsOn(Id value, Id other) const;
  /// What requires gradients by itself, of what a value is computed of, or is among `also`.
  std::vector<Id> leavesUnder(Id value, const std::vector<Id> &also) const;
  /// Has a number stand for another value.
  void alias(Id id, Id other);

  Type typeOf(Id value) const;
  /// "relu", or "input", "parameter", "buffer"; and where.
  std::string originOf(Id value) const;
  /// Whether it is one, and not what was computed of one.
  bool isParameter(Id value) const;
  Place placeOf(Id value) const;
  /// The states that the values depend on.
  std::vector<Id> statesUnder(const std::vector<Id> &values) const;

  /// The name of an input that the value depends on; "" where it depends on none.
  std::string inputUnder(Id value) const;

  /// Whether some elements are left out by chance on the way to the value.
  bool isDropped(Id value) const;

  /// The elements of a value, where all inputs that it depends on have examples; of states those that
  /// sessions have trained. Of what a dropout leaves out, it is one draw.
  Outcome<Elements> valueOf(Id value);
  /// Where something was computed of a state, if anything was.
  std::optional<Place> useOf(Id state) const;
  /// Replaces the values of a state; those of another type where nothing was computed of it yet.
  Outcome<bool> setState(Id state, const Elements &elements);

  Outcome<std::shared_ptr<Program>> program(const ProgramParts &parts, const Place &place);

  struct State;

private:
  Recorder();
  ~Recorder();
  std::unique_ptr<State> recording;
};

/// Parameters that would be trained, but no gradient reaches them.
const std::vector<std::string> &unreachedOf(const Program &program);
/// The program as MLIR text, for people.
std::string textOf(const Program &program);
/// Writes the program with all values and locations (MLIR bytecode); a sentence where that fails, else "".
std::string writeTo(const Program &program, const std::string &path);

} // namespace dlc::record

#endif // DLC_FRONTENDS_CPP_RECORD_RECORDER_H

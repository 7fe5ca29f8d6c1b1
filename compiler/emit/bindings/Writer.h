//===- Writer.h - what writers of all languages share ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_WRITER_H
#define DLC_COMPILER_EMIT_BINDINGS_WRITER_H

#include "compiler/emit/HeaderArguments.h"
#include "compiler/emit/bindings/Description.h"
#include "compiler/emit/bindings/Text.h"
#include <map>

namespace dlc::emit::bindings {

class Writer {
public:
  virtual ~Writer() = default;
  virtual std::string write() = 0;

protected:
  Writer(const Description &model, const NameRules &rules, llvm::StringRef alsoTaken = "");

  /// Adds a pattern, in which "@name@" and the like stand for what is known of the model, and for `more`.
  void add(llvm::StringRef pattern, const Values &more = {});
  /// How a name is called in this file.
  const std::string &nameOf(const TensorInterface &tensor) const { return tensors.at(&tensor); }
  const std::string &nameOf(const DimInterface &dim) const { return dims.at(&dim); }

  /// An extent of a tensor in a call of `step`: "64", "rows", "2 * rows * seq".
  std::string extent(const nn::Dim &dim, const Step &step) const;
  /// All extents, in the model's order.
  std::vector<std::string> extents(const TensorInterface &tensor, const Step &step) const;
  /// "64, 784", of what is `extents`.
  static std::string joined(llvm::ArrayRef<std::string> parts, llvm::StringRef separator = ", ");
  /// The parameters of C that are numbers, behind the model: rows and sizes.
  struct Size {
    std::string name;
    int64_t largest;
  };
  std::vector<Size> sizes(const Step &step) const;
  /// The numbers that C is given behind the model: each has the name of a size or is a literal.
  struct Number {
    std::string name, literal;
  };
  std::vector<Number> numbersOf(const Step &step) const;
  /// How many elements an array of the function has to have: `choice`, in which "@" stands for the number
  /// with trainable_only and "#" for the other, or the one number that there is.
  std::string countOf(const Function &function, llvm::StringRef choice) const;
  /// One of three texts.
  static std::string by(Result result, llvm::StringRef loss, llvm::StringRef metrics,
                        llvm::StringRef nothing);
  /// What stands for a function's result: a text, metrics or a number.
  static std::string by(const Function &function, const std::string &text, const std::string &metrics,
                        const std::string &number);
  /// What a function is, a line each.
  static std::vector<std::string> about(const Function &function);
  /// What a step and its arguments are, a line each.
  std::vector<std::string> about(const Step &step) const;
  /// "64 x 784 of f32".
  static std::string shapeText(const StateInterface &state);
  /// "MAX_SEQ", as the header has it behind the model's name.
  static std::string constantOf(const DimInterface &dim, const Interface &interface);

  const Description &model;
  const Interface &interface;
  const std::string &name; ///< of the model
  Values values;
  std::string text; ///< of the file so far
  Names names;

private:
  std::map<const TensorInterface *, std::string> tensors;
  std::map<const DimInterface *, std::string> dims;
};

} // namespace dlc::emit::bindings

#endif // DLC_COMPILER_EMIT_BINDINGS_WRITER_H

//===- Model.h - what stands in the model.json of a .pt2 archive ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of PyTorch's schema of exported programs (torch/_export/serde/schema.py, major version 8) that a
// graph is made of. Names of fields are those of the schema.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_MODEL_H
#define DLC_FRONTENDS_PT2_MODEL_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"
#include <memory>
#include <optional>
#include <vector>

namespace dlc::frontend {
class CheckedJson;
}
namespace llvm::json {
class Object;
}

namespace dlc::pt2 {

/// The version of the schema that is read.
constexpr int64_t schemaVersion = 8;

/// PyTorch's numbers of dtypes, as far as dlc has them.
enum class DType : int64_t {
  Byte = 1, // uint8
  Int = 4,
  Long = 5,
  Half = 6,
  Float = 7,
  Double = 8,
  Bool = 12,
  BFloat16 = 13
};
/// "float16", "int8", "dtype 99": also of those that dlc has not.
std::string dtypeName(int64_t dtype);

/// A size: a number, or an expression of symbols as SymPy prints it.
struct Size {
  int64_t number = 0;
  std::string expression; ///< empty: `number`
};

struct TensorMeta {
  int64_t dtype = 0, layout = 0;
  std::vector<Size> sizes, strides;
  Size offset;
  bool requiresGrad = false;
};

struct Graph;

/// An element of a list: a number, or the name of a value.
struct Element {
  std::string name;
  int64_t integer = 0;
  double number = 0;
};

struct Argument {
  enum class Kind {
    None,
    Tensor,  ///< `text` is its name
    Tensors, ///< `elements`; those without a name are None
    Int,
    Ints, ///< `elements`, some perhaps with names of sizes
    Float,
    Floats,
    Bool, ///< `integer`
    String,
    SymInt,     ///< `text` is the name of a size
    SymNumber,  ///< `text` is the name of another number that is computed
    ScalarType, ///< `integer`
    Graph,
    Other ///< `field` says what
  };
  Kind kind = Kind::None;
  std::string text, field;
  int64_t integer = 0;
  double number = 0;
  std::vector<Element> elements;
  std::shared_ptr<Graph> graph;
};

struct NamedArgument {
  std::string name;
  Argument value;
};

struct NodeInfo {
  std::string target; ///< "torch.ops.aten.linear.default"
  std::string name;
  std::string stackTrace;
  std::vector<NamedArgument> inputs;
  std::vector<Argument> outputs;
};

struct Graph {
  std::vector<Argument> inputs, outputs;
  std::vector<NodeInfo> nodes;
  llvm::StringMap<TensorMeta> tensors;
};

/// An input of the graph: what it is for.
struct InputSpec {
  enum class Kind { User, Parameter, Buffer, Constant, Other };
  Kind kind = Kind::Other;
  Argument arg;
  std::string target; ///< "layers.0.weight"; of an Other: what it is
};

struct OutputSpec {
  enum class Kind { User, BufferMutation, Other };
  Kind kind = Kind::Other;
  Argument arg;
  std::string target; ///< the buffer; of an Other: what it is
};

/// The sizes for which the program was exported.
struct Range {
  std::optional<int64_t> low, high;
};

struct Model {
  Graph graph;
  std::vector<InputSpec> inputs;
  std::vector<OutputSpec> outputs;
  llvm::StringMap<Range> ranges;        ///< by symbol
  std::vector<std::string> outputNames; ///< where the module returns a dictionary: its keys, in order
  std::string torchVersion;
};

/// A tensor in the archive.
struct Payload {
  std::string path; ///< within the folder of its kind
  TensorMeta meta;
};

llvm::Expected<Model> parseModel(llvm::StringRef json);
/// A model_weights_config.json or model_constants_config.json: tensors by their names.
llvm::Expected<llvm::StringMap<Payload>> parsePayloads(llvm::StringRef json);

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_MODEL_H

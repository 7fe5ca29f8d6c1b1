//===- Model.cpp - what stands in the model.json of a .pt2 archive ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Model.h"
#include "frontends/common/CheckedJson.h"
#include "llvm/ADT/StringSwitch.h"
#include <limits>

using namespace llvm;
using dlc::frontend::CheckedJson;

namespace dlc::pt2 {

/// A graph of a hundred thousand nodes has less.
static constexpr frontend::JsonLimits limits{uint64_t(1) << 29, 64};

std::string dtypeName(int64_t dtype) {
  static constexpr StringLiteral names[] = {
      "an unknown dtype", "uint8",   "int8",      "int16",     "int32",      "int64", "float16",
      "float32",          "float64", "complex32", "complex64", "complex128", "bool",  "bfloat16"};
  if (dtype >= 0 && size_t(dtype) < std::size(names))
    return names[dtype].str();
  return "dtype " + std::to_string(dtype);
}

namespace {

/// Numbers that JSON has not are texts.
std::optional<double> numberOf(const json::Value &value) {
  if (std::optional<double> number = value.getAsNumber())
    return number;
  std::optional<StringRef> text = value.getAsString();
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (text == "Infinity")
    return infinity;
  if (text == "-Infinity")
    return -infinity;
  if (text == "NaN")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

/// Reads the parts of the schema. What is wrong is in `json`.
class Reader {
public:
  Expected<Model> readModel(const json::Value &file);
  Expected<StringMap<Payload>> readPayloads(const json::Value &file);

private:
  Error failure() const { return createStringError(inconvertibleErrorCode(), json.problem()); }
  void readGraph(const json::Object &object, const std::string &where, Graph &graph);
  NodeInfo readNode(const json::Object &object, const std::string &where);
  Argument readArgument(const json::Object &object, const std::string &where);
  void readElements(const json::Value &value, const std::string &where, Argument &argument);
  Element readElement(const json::Value &value, const std::string &where);
  TensorMeta readMeta(const json::Object &object, const std::string &where);
  Size readSize(const json::Object &object, const std::string &where);
  std::vector<Size> readSizes(const json::Object &object, StringRef key, const std::string &where);
  std::vector<Argument> readArguments(const json::Object &object, StringRef key, const std::string &where);
  InputSpec readInput(const json::Object &object, const std::string &where);
  OutputSpec readOutput(const json::Object &object, const std::string &where);
  void readVersion(const json::Object &file);
  void readRanges(const json::Object &file, Model &model);
  void readOutputNames(const json::Object &module, Model &model);

  CheckedJson json;
};

Size Reader::readSize(const json::Object &object, const std::string &where) {
  Size size;
  if (const json::Object *expression = json.object(object, "as_expr", where, /*needed=*/false))
    size.expression = json.text(*expression, "expr_str", where);
  else
    size.number = json.integer(object, "as_int", where);
  return size;
}

std::vector<Size> Reader::readSizes(const json::Object &object, StringRef key, const std::string &where) {
  std::vector<Size> sizes;
  json.forEach(
      json.list(object, key, where, /*needed=*/true), where + "." + key.str(),
      [&](const json::Object &size, const std::string &here) { sizes.push_back(readSize(size, here)); });
  return sizes;
}

TensorMeta Reader::readMeta(const json::Object &object, const std::string &where) {
  TensorMeta meta;
  meta.dtype = json.integer(object, "dtype", where);
  meta.layout = json.integer(object, "layout", where);
  meta.requiresGrad = json.boolean(object, "requires_grad", where);
  meta.sizes = readSizes(object, "sizes", where);
  meta.strides = readSizes(object, "strides", where);
  if (const json::Object *offset = json.object(object, "storage_offset", where))
    meta.offset = readSize(*offset, where);
  return meta;
}

//===-- Arguments --------------------------------------------------------------===//

Element Reader::readElement(const json::Value &value, const std::string &where) {
  Element element;
  if (const json::Object *object = value.getAsObject()) {
    if (object->get("as_none"))
      return element;
    const json::Object *tensor = object->getObject("as_tensor");
    std::optional<StringRef> name = tensor ? tensor->getString("name") : object->getString("as_name");
    name = name ? name : object->getString("name");
    const json::Value *number = object->get("as_int");
    number = number ? number : object->get("as_float");
    if (name && !name->empty())
      element.name = name->str();
    else if (number)
      return readElement(*number, where);
    else
      json.fail(where + ": expected a name or a number");
    return element;
  }
  std::optional<double> number = numberOf(value);
  if (std::optional<bool> flag = value.getAsBoolean())
    number = *flag;
  if (!number)
    json.fail(where + ": expected a number");
  element.number = number.value_or(0);
  element.integer = value.getAsInteger().value_or(number == 1.0);
  return element;
}

void Reader::readElements(const json::Value &value, const std::string &where, Argument &argument) {
  const json::Array *list = value.getAsArray();
  if (!list)
    return json.fail(where + ": expected a list");
  for (const json::Value &element : *list)
    argument.elements.push_back(readElement(element, where));
}

Argument Reader::readArgument(const json::Object &object, const std::string &where) {
  using Kind = Argument::Kind;
  Argument argument;
  if (object.size() != 1) {
    json.fail(where + ": expected one field, got " + Twine(object.size()));
    return argument;
  }
  const json::Value &value = object.begin()->second;
  argument.field = StringRef(object.begin()->first).str();
  argument.kind = StringSwitch<Kind>(argument.field)
                      .Case("as_none", Kind::None)
                      .Case("as_tensor", Kind::Tensor)
                      .Cases({"as_tensors", "as_optional_tensors"}, Kind::Tensors)
                      .Case("as_int", Kind::Int)
                      .Cases({"as_ints", "as_sym_ints"}, Kind::Ints)
                      .Case("as_float", Kind::Float)
                      .Case("as_floats", Kind::Floats)
                      .Case("as_bool", Kind::Bool)
                      .Case("as_string", Kind::String)
                      .Case("as_sym_int", Kind::SymInt)
                      .Cases({"as_sym_float", "as_sym_bool"}, Kind::SymNumber)
                      .Case("as_scalar_type", Kind::ScalarType)
                      .Case("as_graph", Kind::Graph)
                      .Default(Kind::Other);
  switch (argument.kind) {
  case Kind::Tensor:
  case Kind::SymInt:
  case Kind::SymNumber: {
    Element element = readElement(value, where);
    argument.text = element.name;
    if (element.name.empty()) { // a symbolic one may be a number all the same
      argument.kind = argument.kind == Kind::SymInt ? Kind::Int : Kind::Float;
      argument.integer = element.integer;
      argument.number = element.number;
      if (argument.field == "as_tensor")
        json.fail(where + ": expected the name of a tensor");
    }
    break;
  }
  case Kind::Tensors:
  case Kind::Ints:
  case Kind::Floats:
    readElements(value, where, argument);
    break;
  case Kind::Int:
  case Kind::ScalarType:
  case Kind::Float:
  case Kind::Bool: {
    Element element = readElement(value, where);
    argument.integer = element.integer;
    argument.number = element.number;
    break;
  }
  case Kind::String:
    argument.text = value.getAsString().value_or("").str();
    break;
  case Kind::Graph:
    if (const json::Object *inside = value.getAsObject()) {
      argument.text = json.text(*inside, "name", where);
      argument.graph = std::make_shared<Graph>();
      if (const json::Object *graph = json.object(*inside, "graph", where))
        readGraph(*graph, where, *argument.graph);
    } else {
      json.fail(where + ": expected a graph");
    }
    break;
  case Kind::None:
  case Kind::Other:
    break;
  }
  return argument;
}

std::vector<Argument> Reader::readArguments(const json::Object &object, StringRef key,
                                            const std::string &where) {
  std::vector<Argument> arguments;
  json.forEach(json.list(object, key, where, /*needed=*/true), where + "." + key.str(),
               [&](const json::Object &argument, const std::string &here) {
                 arguments.push_back(readArgument(argument, here));
               });
  return arguments;
}

//===-- Graphs -----------------------------------------------------------------===//

NodeInfo Reader::readNode(const json::Object &object, const std::string &where) {
  NodeInfo node;
  node.target = json.text(object, "target", where);
  node.name = object.getString("name").value_or("").str();
  std::string here = where + " (" + node.target + ")";
  json.forEach(json.list(object, "inputs", here, /*needed=*/true), here + ".inputs",
               [&](const json::Object &input, const std::string &place) {
                 NamedArgument argument{input.getString("name").value_or("").str(), {}};
                 if (const json::Object *value = json.object(input, "arg", place))
                   argument.value = readArgument(*value, place);
                 node.inputs.push_back(std::move(argument));
               });
  node.outputs = readArguments(object, "outputs", here);
  if (const json::Object *metadata = json.object(object, "metadata", here, /*needed=*/false))
    node.stackTrace = metadata->getString("stack_trace").value_or("").str();
  return node;
}

void Reader::readGraph(const json::Object &object, const std::string &where, Graph &graph) {
  graph.inputs = readArguments(object, "inputs", where);
  graph.outputs = readArguments(object, "outputs", where);
  json.forEach(json.list(object, "nodes", where, /*needed=*/true), where + ".nodes",
               [&](const json::Object &node, const std::string &here) {
                 graph.nodes.push_back(readNode(node, here));
               });
  if (const json::Object *tensors = json.object(object, "tensor_values", where))
    for (const auto &[name, value] : *tensors) {
      std::string here = where + ".tensor_values." + StringRef(name).str();
      if (const json::Object *meta = value.getAsObject())
        graph.tensors[StringRef(name)] = readMeta(*meta, here);
      else
        json.fail(here + ": expected an object");
    }
}

/// The one key and its object, of a union.
static std::pair<std::string, const json::Object *> unionOf(const json::Object &object) {
  if (object.size() != 1)
    return {"", nullptr};
  return {StringRef(object.begin()->first).str(), object.begin()->second.getAsObject()};
}

InputSpec Reader::readInput(const json::Object &object, const std::string &where) {
  using Kind = InputSpec::Kind;
  InputSpec spec;
  auto [kind, content] = unionOf(object);
  if (!content) {
    json.fail(where + ": expected one kind of input");
    return spec;
  }
  spec.kind = StringSwitch<Kind>(kind)
                  .Case("user_input", Kind::User)
                  .Case("parameter", Kind::Parameter)
                  .Case("buffer", Kind::Buffer)
                  .Case("tensor_constant", Kind::Constant)
                  .Default(Kind::Other);
  spec.target = kind;
  const json::Object *arg = spec.kind == Kind::Other ? nullptr : json.object(*content, "arg", where);
  if (!arg)
    return spec;
  if (spec.kind == Kind::User) {
    spec.arg = readArgument(*arg, where);
    return spec;
  }
  spec.arg.kind = Argument::Kind::Tensor;
  spec.arg.text = json.text(*arg, "name", where);
  spec.target = json.text(*content, kind + "_name", where);
  return spec;
}

OutputSpec Reader::readOutput(const json::Object &object, const std::string &where) {
  OutputSpec spec;
  auto [kind, content] = unionOf(object);
  if (!content) {
    json.fail(where + ": expected one kind of output");
    return spec;
  }
  spec.target = kind;
  const json::Object *arg = json.object(*content, "arg", where);
  if (kind == "user_output" && arg) {
    spec.kind = OutputSpec::Kind::User;
    spec.arg = readArgument(*arg, where);
  } else if (kind == "buffer_mutation" && arg) {
    spec.kind = OutputSpec::Kind::BufferMutation;
    spec.arg.kind = Argument::Kind::Tensor;
    spec.arg.text = json.text(*arg, "name", where);
    spec.target = json.text(*content, "buffer_name", where);
  }
  return spec;
}

//===-- Files ------------------------------------------------------------------===//

void Reader::readVersion(const json::Object &file) {
  const json::Object *version = json.object(file, "schema_version", "the file");
  if (!version)
    return;
  int64_t major = json.integer(*version, "major", "schema_version");
  if (major != schemaVersion)
    json.fail("the model has version " + Twine(major) + " of PyTorch's schema, expected version " +
              Twine(schemaVersion) +
              ", which PyTorch 2.8 to 2.13 write; load the file there with torch.export.load "
              "and save it again, or export the module anew");
}

void Reader::readRanges(const json::Object &file, Model &model) {
  const json::Object *ranges = json.object(file, "range_constraints", "the file");
  if (!ranges)
    return;
  for (const auto &[name, value] : *ranges)
    if (const json::Object *range = value.getAsObject())
      model.ranges[StringRef(name)] = {range->getInteger("min_val"), range->getInteger("max_val")};
    else
      json.fail("range_constraints: expected an object for '" + StringRef(name) + "'");
}

/// The keys of a dictionary of tensors that the module returns. What it returns else has no names; then there
/// is no reason to fail.
void Reader::readOutputNames(const json::Object &module, Model &model) {
  const json::Array *calls = module.getArray("module_call_graph");
  const json::Object *call = calls && !calls->empty() ? calls->front().getAsObject() : nullptr;
  const json::Object *signature = call ? call->getObject("signature") : nullptr;
  std::optional<StringRef> text = signature ? signature->getString("out_spec") : std::nullopt;
  Expected<json::Value> spec = CheckedJson::parse(text.value_or("null"), limits);
  if (!spec)
    return consumeError(spec.takeError());
  const json::Array *versioned = spec->getAsArray();
  const json::Object *root = versioned && versioned->size() == 2 ? (*versioned)[1].getAsObject() : nullptr;
  if (!root || root->getString("type") != "builtins.dict")
    return;
  Expected<json::Value> keys = CheckedJson::parse(root->getString("context").value_or("null"), limits);
  if (!keys)
    return consumeError(keys.takeError());
  if (const json::Array *list = keys->getAsArray(); list && list->size() == model.outputs.size())
    for (const json::Value &key : *list)
      model.outputNames.push_back(key.getAsString().value_or("").str());
  if (is_contained(model.outputNames, ""))
    model.outputNames.clear();
}

Expected<Model> Reader::readModel(const json::Value &file) {
  Model model;
  const json::Object *object = file.getAsObject();
  if (!object)
    return createStringError(inconvertibleErrorCode(), "expected an object");
  readVersion(*object);
  model.torchVersion = object->getString("torch_version").value_or("").str();
  readRanges(*object, model);
  const json::Object *module = json.object(*object, "graph_module", "the file");
  const json::Object *graph = module ? json.object(*module, "graph", "graph_module") : nullptr;
  const json::Object *signature = module ? json.object(*module, "signature", "graph_module") : nullptr;
  if (json.hasFailed() || !graph || !signature)
    return failure();
  readGraph(*graph, "graph", model.graph);
  json.forEach(json.list(*signature, "input_specs", "signature", /*needed=*/true), "input_specs",
               [&](const json::Object &spec, const std::string &where) {
                 model.inputs.push_back(readInput(spec, where));
               });
  std::vector<OutputSpec> &outputs = model.outputs;
  json.forEach(json.list(*signature, "output_specs", "signature", /*needed=*/true), "output_specs",
               [&](const json::Object &spec, const std::string &where) {
                 outputs.push_back(readOutput(spec, where));
               });
  if (json.hasFailed())
    return failure();
  readOutputNames(*module, model);
  return model;
}

Expected<StringMap<Payload>> Reader::readPayloads(const json::Value &file) {
  StringMap<Payload> payloads;
  const json::Object *object = file.getAsObject();
  const json::Object *config = object ? json.object(*object, "config", "the file") : nullptr;
  if (!config)
    return createStringError(inconvertibleErrorCode(), "expected an object with 'config'");
  for (const auto &[key, value] : *config) {
    std::string name = StringRef(key).str();
    const json::Object *entry = value.getAsObject();
    if (!entry) {
      json.fail("'" + name + "': expected an object");
      break;
    }
    Payload payload{json.text(*entry, "path_name", "'" + name + "'"), {}};
    bool isPickled = json.boolean(*entry, "use_pickle", "'" + name + "'");
    const json::Object *meta = entry->getObject("tensor_meta");
    if (isPickled || !meta)
      json.fail("'" + name +
                "' is stored as an object of Python (a tensor's subclass, or no tensor), expected a "
                "plain tensor");
    else
      payload.meta = readMeta(*meta, "'" + name + "'");
    payloads[name] = std::move(payload);
  }
  if (json.hasFailed())
    return failure();
  return payloads;
}

} // namespace

static Error inFile(Error error) {
  return createStringError(inconvertibleErrorCode(), toString(std::move(error)));
}

Expected<Model> parseModel(StringRef text) {
  Expected<json::Value> file = CheckedJson::parse(text, limits);
  return file ? Reader().readModel(*file) : inFile(file.takeError());
}

Expected<StringMap<Payload>> parsePayloads(StringRef text) {
  Expected<json::Value> file = CheckedJson::parse(text, limits);
  return file ? Reader().readPayloads(*file) : inFile(file.takeError());
}

} // namespace dlc::pt2
